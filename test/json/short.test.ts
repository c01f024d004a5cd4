/** `detail`: how much an answer says. `full` is the default over /v1, `short` over MCP. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { operations } from "#/protocols/json/registry.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

it("is a field of every operation that reads, and of no other", async () => {
  for (const { name, effect } of operations) {
    const { content } = await server.ada.client.ok("help.describe", { operation: name });
    expect([name, "detail" in content.operations[0].fields]).toEqual([name, effect === "reads"]);
  }
  const { content } = await server.ada.client.ok("catalog.describe");
  expect(content.limits.detail).toEqual({ default: "full", over_mcp: "short" });
});

it("short leaves out what another member says, and of provenance what is usual", async () => {
  const checks = {
    spf: { result: "pass", domain: "a.example" },
    dkim: [
      { result: "pass", domain: "a.example" },
      { result: "fail", domain: "list.example" },
    ],
    dmarc: { result: "pass" },
    iprev: { result: "fail" },
    reply_to: { covered: false },
  };
  const id = await server.deliver(server.ada, plainMessage("Short"), {
    isAuthenticated: true,
    checks,
  });
  const { client } = server.ada;
  const full = await client.ok("part.describe", { id, detail: "full" });
  expect(await client.ok("part.describe", { id })).toEqual(full);
  expect(full.provenance).toMatchObject({ source: "smtp", checks });
  const { content, ...rest } = full;
  const { id: _, ...shortContent } = content;
  expect(await client.ok("part.describe", { id, detail: "short" })).toEqual({
    ...rest,
    content: shortContent,
    provenance: {
      authenticated: true,
      removed: [],
      checks: { dkim: [checks.dkim[1]], iprev: checks.iprev, reply_to: { covered: false } },
    },
  });
});

it("short has the UID of an event and of a contact once", async () => {
  const { client } = server.ada;
  const body = { title: "Review", start: "2030-01-15T10:00:00", duration: "PT1H" };
  const event = await client.ok("event.create", { body });
  const contact = await client.ok("contact.create", { body: { name: "Ada" } });
  for (const [{ ref }, own] of [
    [event, "event"],
    [contact, "card"],
  ] as const) {
    const full = await client.ok("part.describe", { id: ref });
    const { content } = await client.ok("part.describe", { id: ref, detail: "short" });
    expect([full.content.uid, content.uid]).toEqual([full.content[own].uid, undefined]);
    expect(content[own]).toEqual(full.content[own]);
  }
});

it("short says nothing of a host without a name, and says what else of its name is wrong", async () => {
  for (const [result, isTold] of [
    ["permerror", false],
    ["fail", true],
  ] as const) {
    const checks = { iprev: { result, address: "192.0.2.1" }, dmarc: { result: "pass" } };
    const id = await server.deliver(server.ada, plainMessage(`Named ${result}`), { checks });
    const { provenance } = await server.ada.client.ok("part.describe", { id, detail: "short" });
    expect([result, "checks" in provenance]).toEqual([result, isTold]);
  }
});
