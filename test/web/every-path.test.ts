/** What has to hold at each path of the pages, whoever asks: the table is made of the routes (`every-path.ts`). */
import http from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FormlessBrowser, openBrowser } from "../support/clients/browser.ts";
import { manyRequests } from "../support/daemon.ts";
import { type AskedPath, everyPath } from "./every-path.ts";
import { signInOperator } from "./operator-browser.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

let house: PagesHouse;
let hold: string;
let paths: readonly AskedPath[];
let person: FormlessBrowser;
let operator: FormlessBrowser;

beforeAll(async () => {
  house = await openPagesHouse([...manyRequests, "pages.agents_per_person=9"]);
  hold = await house.send();
  paths = everyPath(hold, house.daemon.agents[0]!.id);
  person = openBrowser(house.origin);
  await person.post("/sign-in", { ...house.person });
  operator = (await signInOperator(house)).browser;
});
afterAll(() => house[Symbol.asyncDispose]());

const cookiesOf = (...browsers: readonly FormlessBrowser[]): string =>
  browsers.flatMap(({ cookies }) => [...cookies].map(([name, value]) => `${name}=${value}`)).join("; ");

/** The answer without its body, which may be a stream. */
async function ask({ method, path }: AskedPath, headers: Readonly<Record<string, string>>) {
  const answer = await fetch(`${house.origin}${path}`, {
    method,
    redirect: "manual",
    headers,
    ...(method === "POST" ? { body: new URLSearchParams({ act: "approve", name: "x", local: "x" }) } : {}),
  });
  await answer.body?.cancel();
  return answer;
}

const isWaiting = async (): Promise<boolean> =>
  (await house.client.ok("part.describe", { id: hold })).content.state === "waiting";

test("every answer forbids frames, other sources, sniffing and keeping, with a session and without", async () => {
  for (const path of paths.filter(({ method }) => method === "GET"))
    for (const cookie of ["", cookiesOf(person, operator)]) {
      const { status, headers } = await ask(path, { cookie });
      const policy = headers.get("content-security-policy") ?? "";
      const isFrame = path.path.endsWith("/frame") && cookie !== "";
      expect({
        path: path.path,
        isAnswered: status < 500,
        frames: /frame-ancestors '[a-z]+'|^sandbox; default-src 'none'$/.exec(policy)?.[0],
        sources: policy.includes("default-src 'none'"),
        keeping: headers.get("cache-control"),
        sniffing: headers.get("x-content-type-options"),
        referrer: headers.get("referrer-policy"),
        opener: headers.get("cross-origin-opener-policy"),
        resource: headers.get("cross-origin-resource-policy"),
      }).toEqual({
        path: path.path,
        isAnswered: true,
        frames: `frame-ancestors '${isFrame ? "self" : "none"}'`,
        sources: true,
        keeping: "no-store",
        sniffing: "nosniff",
        referrer: "same-origin",
        opener: "same-origin",
        resource: "same-origin",
      });
    }
});

test.each([
  { "Sec-Fetch-Site": "cross-site" },
  { "Sec-Fetch-Site": "same-site" },
  { "Sec-Fetch-Site": "none" },
  { Origin: "https://evil.example" },
  {},
])("no form of another site is taken: %o", async (site) => {
  const cookie = cookiesOf(person, operator);
  for (const path of paths.filter(({ method }) => method === "POST")) {
    // The client of this test names its mode and no site.
    const { status, headers } = await ask(path, { cookie, ...(site as Record<string, string>) });
    expect([path.path, status, headers.getSetCookie()]).toEqual([path.path, 403, []]);
  }
  expect(await isWaiting()).toBe(true);
});

describe("nobody gets further than to the sign-in", () => {
  /** Asks for each path that needs a session. */
  async function refused(headers: Readonly<Record<string, string>>): Promise<void> {
    for (const path of paths.filter(({ who }) => who !== "anybody")) {
      const answer = await ask(path, { "Sec-Fetch-Site": "same-origin", ...headers });
      const to = new URL(answer.headers.get("location") ?? "/none", house.origin);
      expect([path.method, path.path, to.pathname]).toEqual([path.method, path.path, path.door]);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect(await isWaiting()).toBe(true);
  }

  test.each([
    ["the token of an agent", ({ agent }: PagesHouse) => ({ authorization: `Bearer ${agent.token}` })],
    [
      "the login of an agent",
      ({ agent: { address, password } }: PagesHouse) => ({
        authorization: `Basic ${Buffer.from(`${address}:${password}`).toString("base64")}`,
      }),
    ],
    [
      "the login of a person",
      ({ person: { address, password } }: PagesHouse) => ({
        authorization: `Basic ${Buffer.from(`${address}:${password}`).toString("base64")}`,
      }),
    ],
    [
      "cookies of an agent's making",
      ({ agent }: PagesHouse) => ({
        cookie: `__Host-waypost=${agent.token}; __Host-waypost-operator=${agent.token}`,
      }),
    ],
    [
      "the session of a person at the operator's door, and the other way round",
      () => ({
        cookie: `__Host-waypost=${operator.cookies.get("__Host-waypost-operator")}; __Host-waypost-operator=${person.cookies.get("__Host-waypost")}`,
      }),
    ],
  ])("with %s", async (_, headersOf) => {
    await refused(headersOf(house));
  });

  test("with the session of a person who is deleted, or of an operator who is revoked", async () => {
    const kim = await house.createPerson("kim@waypost.test");
    const browser = openBrowser(house.origin);
    await browser.post("/sign-in", { address: kim.address, password: kim.password });
    const { browser: other, number } = await signInOperator(house, { name: "kim" });
    expect((await browser.get("/mine")).url).toContain("/mine");
    expect((await other.get("/operator/me")).url).toContain("/operator/me");
    await house.administer("person.delete", { owner: kim.address });
    await house.administer("operator.revoke", { number });
    await refused({ cookie: cookiesOf(browser, other) });
  });
});

test.each(["evil.example", "127.0.0.1", "localhost.evil.example", "localhost@evil.example"])(
  "at another name there is no page and no cookie, whoever asks: Host: %s",
  async (host) => {
    const { hostname, port } = new URL(house.origin);
    for (const { method, path } of paths) {
      const headers = {
        host: `${host}:${port}`,
        cookie: cookiesOf(person, operator),
        "sec-fetch-site": "same-origin",
      };
      const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
        const asked = http.request({ hostname, port, method, path, headers }, resolve);
        asked.on("error", reject);
        asked.end();
      });
      let text = "";
      for await (const piece of answer.setEncoding("utf8")) text += piece;
      const to = new URL(answer.headers.location ?? "/", house.origin).origin;
      expect([path, answer.statusCode! >= 300, to, answer.headers["set-cookie"]]).toEqual([
        path,
        true,
        house.origin,
        undefined,
      ]);
      expect(text).not.toContain("Offer");
      expect(text).not.toContain('type="password"');
    }
  },
);
