/** A client that sends half of a request and goes is no failure of the server, at any door of HTTP. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { openBrowser } from "../support/clients/browser.ts";
import { openPagesHouse } from "../web/pages-house.ts";

test("half a body and a hang-up leave no line of an error", async () => {
  await using house = await openPagesHouse();
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { ...house.person });
  const { token, address, password } = house.agent;
  const bearer = `Authorization: Bearer ${token}`;
  const basic = `Authorization: Basic ${Buffer.from(`${address}:${password}`).toString("base64")}`;
  const cookie = `Sec-Fetch-Site: same-origin\r\nCookie: ${[...browser.cookies].map((pair) => pair.join("=")).join("; ")}`;
  const form = "Content-Type: application/x-www-form-urlencoded";
  const json = "Content-Type: application/json";
  const { token: operator } = (await house.administer("operator.create", { name: "x" })) as { token: string };
  const { id } = (await house.daemon.agents)[0]!;
  const doors = [
    ["POST", "/v1/send", [bearer, json]],
    ["POST", "/mcp", [bearer, json, "Accept: application/json, text/event-stream"]],
    ["POST", "/operator/v1/agent.list", [`Authorization: Bearer ${operator}`, json]],
    ["PUT", `/dav/files/${id}/a.txt`, [basic]],
    ["PROPFIND", `/dav/files/${id}/`, [basic, "Content-Type: application/xml"]],
    ["POST", "/sign-in", ["Sec-Fetch-Site: same-origin", form]],
    ["POST", "/join/options", ["Sec-Fetch-Site: same-origin", form]],
    ["POST", "/mine/programs", [cookie, form]],
    ["POST", "/agents", [cookie, form]],
  ] as const;
  const failed = vi.spyOn(house.daemon.daemon.log, "error");
  for (const [method, path, fields] of doors) {
    const socket = connect(Number(new URL(house.origin).port), "127.0.0.1");
    await once(socket, "connect");
    const head = [
      `${method} ${path} HTTP/1.1`,
      `Host: ${new URL(house.origin).host}`,
      ...fields,
      "Content-Length: 1000",
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n<{na`);
    // The next request on the same daemon is answered after this one has begun.
    await browser.get("/mine");
    socket.destroy();
    await once(socket, "close");
    await house.client.ok("health", {});
  }
  await browser.get("/mine");
  expect(failed.mock.calls).toEqual([]);
});
