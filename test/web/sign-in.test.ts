/** Sessions of people: how they begin and end, and what a browser is told. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { server } from "#/src/model/author.ts";
import { type FormlessBrowser, openBrowser } from "../support/clients/browser.ts";
import { makeSoftPasskey } from "../support/soft-passkey.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

const sessionName = "__Host-waypost";

describe("an invitation", () => {
  test("opens the account once, and a GET spends nothing", async () => {
    await using house = await openPagesHouse();
    const link = await house.invite();
    const [page = "", invitation = ""] = link.split("#");
    expect(page).toBe(`${house.origin}/join`);
    const browser = openBrowser(house.origin);
    expect((await browser.get("/join")).status).toBe(200);
    expect((await browser.post("/join/options", { invitation })).status).toBe(200);
    const joined = await browser.post("/join", { invitation, device: "Kiosk", without: "passkey" });
    expect(joined.url).toBe(`${house.origin}/approvals`);
    const again = await openBrowser(house.origin).post("/join", { invitation });
    expect(again.status).toBe(403);
    expect(again.text).toContain("unknown, used or more than an hour old");
  });

  test("is for a person only, and the last one alone can be used", async () => {
    await using house = await openPagesHouse();
    await expect(house.invite(house.agent.address)).rejects.toMatchObject({ code: "not_found" });
    const [, first = ""] = (await house.invite()).split("#");
    const [, second = ""] = (await house.invite()).split("#");
    const browser = openBrowser(house.origin);
    expect((await browser.post("/join", { invitation: first })).status).toBe(403);
    expect((await browser.post("/join", { invitation: second })).url).toBe(`${house.origin}/approvals`);
  });
});

test("a browser without script is offered the app password as the one way in", async () => {
  await using house = await openPagesHouse();
  const { text } = await openBrowser(house.origin).get("/sign-in");
  const heading = /<h2>.*password.*<\/h2>/.exec(text)?.[0];
  expect(heading).toBe(
    '<h2><span class="needs-script">Or with an app password</span><span class="without-script">With an app password</span></h2>',
  );
});

describe("a session", () => {
  test("begins anew with each sign-in, whatever cookie the browser had, and ends with the sign-out", async () => {
    await using house = await openPagesHouse();
    const browser = openBrowser(house.origin);
    browser.cookies.set(sessionName, "A".repeat(43));
    await browser.post("/sign-in", { ...house.person });
    const first = browser.cookies.get(sessionName)!;
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(first).not.toBe("A".repeat(43));
    await browser.post("/sign-in", { ...house.person });
    expect(browser.cookies.get(sessionName)).not.toBe(first);
    const last = browser.cookies.get(sessionName)!;
    expect((await browser.post("/sign-out", {})).text).toContain("You are signed out.");
    expect(browser.cookies.has(sessionName)).toBe(false);
    const thief = openBrowser(house.origin);
    thief.cookies.set(sessionName, last);
    expect(new URL((await thief.get("/approvals")).url).pathname).toBe("/sign-in");
  });

  test("has a cookie for this host alone, which no script and no other site gets", async () => {
    await using house = await openPagesHouse();
    const answer = await fetch(`${house.origin}/sign-in`, {
      method: "POST",
      redirect: "manual",
      headers: { "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ ...house.person }),
    });
    expect(answer.status).toBe(303);
    const [cookie = ""] = answer.headers.getSetCookie();
    expect(cookie.replace(/=[\w-]{43};/, "=…;")).toBe(
      `${sessionName}=…; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=7776000`,
    );
  });

  test("ends after 14 days without use, and after 90 days however much it is used", async () => {
    await using house = await openPagesHouse();
    const { clock } = house.daemon.daemon.house.store;
    const dayMs = 86_400_000;
    const begunAt = clock.now();
    let now = begunAt;
    const time = vi.spyOn(clock, "now").mockImplementation(() => now);
    try {
      const [idle, used] = [openBrowser(house.origin), openBrowser(house.origin)];
      for (const browser of [idle, used]) await browser.post("/sign-in", { ...house.person });
      const isIn = async (browser: FormlessBrowser) =>
        new URL((await browser.get("/approvals")).url).pathname === "/approvals";
      for (const day of [13, 14, 27, 40, 53, 66, 79]) {
        now = begunAt + day * dayMs;
        expect([day, await isIn(used)]).toEqual([day, true]);
        if (day >= 14) expect([day, await isIn(idle)]).toEqual([day, false]);
      }
      now = begunAt + 90 * dayMs - 1;
      expect(await isIn(used)).toBe(true);
      now += 1;
      expect(await isIn(used)).toBe(false);
    } finally {
      time.mockRestore();
    }
  });

  test("ends when its person is deleted", async () => {
    await using house = await openPagesHouse();
    const kim = await house.createPerson("kim@waypost.test");
    const browser = openBrowser(house.origin);
    await browser.post("/sign-in", { address: kim.address, password: kim.password });
    expect((await browser.get("/approvals")).status).toBe(200);
    await house.administer("person.delete", { owner: kim.address });
    expect(new URL((await browser.get("/approvals")).url).pathname).toBe("/sign-in");
  });

  test("is listed with its browser, and ends one by one or all others at once", async () => {
    await using house = await openPagesHouse();
    const [one, two, three] = [1, 2, 3].map(() => openBrowser(house.origin)) as [
      FormlessBrowser,
      FormlessBrowser,
      FormlessBrowser,
    ];
    const agent = {
      "user-agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
    };
    await one.post("/sign-in", { ...house.person });
    await two.post("/sign-in", { ...house.person }, agent);
    await three.post("/sign-in", { ...house.person });
    const stranger = await house.createPerson("kim@waypost.test");
    const other = openBrowser(house.origin);
    await other.post("/sign-in", { address: stranger.address, password: stranger.password });
    const isIn = async (browser: FormlessBrowser) => !(await browser.get("/mine")).url.includes("/sign-in");
    const page = await one.get("/mine");
    expect(page.text).toContain("Safari (iPhone)");
    const [newest = "", older = ""] = [...page.text.matchAll(/action="(\/mine\/sessions\/\d+\/end)"/g)].map(
      ([, action]) => action!,
    );
    // A session of somebody else does not end.
    await other.post(newest, {});
    expect(await isIn(three)).toBe(true);
    await one.post(older, {});
    expect([await isIn(one), await isIn(two), await isIn(three)]).toEqual([true, false, true]);
    await one.post("/mine/sessions/end", {});
    expect([await isIn(one), await isIn(three), await isIn(other)]).toEqual([true, false, true]);
  });

  test("from a new browser is told to the person by a mail without a link", async () => {
    await using house = await openPagesHouse();
    const agents = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
    for (const _ of [1, 2]) await openBrowser(house.origin).post("/sign-in", { ...house.person }, agents);
    const { store, accounts, mail } = house.daemon.daemon.house;
    const { agent } = (await accounts.findOwner(house.person.address))!;
    const told = (await mail.listNewestMessages(agent, { limit: 10 })).filter(({ subject }) =>
      subject.startsWith("New sign-in"),
    );
    expect(told).toHaveLength(1);
    const octets = (await mail.readBytes(told[0]!)).toString();
    expect(octets).toContain("Firefox (Linux)");
    expect(octets).not.toMatch(/https?:/);
    expect(store.isReachable()).toBe(true);
  });
});

test("an answer of a passkey that is sent again is refused, and nobody is told of a sign-in", async () => {
  await using house = await openPagesHouse();
  const { store, accounts, mail } = house.daemon.daemon.house;
  const { agent } = (await accounts.findOwner(house.person.address))!;
  const { credential, publicKey, answer } = makeSoftPasskey();
  const at = store.clock.now();
  const facts = { credential, publicKey, signCount: 0, transports: [], host: "localhost", name: "Phone" };
  const challenge = { nonce: credential, expiresAt: at + 1000 };
  await store.write(server, "addPasskey", { agent, passkey: { ...facts, challenge }, at });
  const shown = (await openBrowser(house.origin).get("/sign-in")).text;
  const options = JSON.parse(/data-passkey="([^"]*)"/.exec(shown)![1]!.replaceAll("&quot;", '"'));
  const assertion = answer(options, house.origin);
  const signIn = (system: string) =>
    openBrowser(house.origin).post(
      "/sign-in",
      { assertion },
      { "user-agent": `Mozilla/5.0 (${system}) Firefox/140.0` },
    );
  const told = async () =>
    (await mail.listNewestMessages(agent, { limit: 10 })).filter(({ subject }) =>
      subject.startsWith("New sign-in"),
    );
  expect([(await signIn("X11; Linux")).status, (await told()).length]).toEqual([200, 1]);
  for (const system of ["Windows", "iPhone", "Android"]) expect((await signIn(system)).status).toBe(403);
  expect(await told()).toHaveLength(1);
});

describe("a form", () => {
  let house: PagesHouse;
  beforeAll(async () => {
    house = await openPagesHouse();
  });
  afterAll(() => house[Symbol.asyncDispose]());

  test.each([
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { "Sec-Fetch-Site": "none" },
    { "Sec-Fetch-Site": "", Origin: "https://evil.example" },
    { "Sec-Fetch-Site": "" },
  ])("of another site does nothing: %o", async (headers) => {
    const browser = openBrowser(house.origin);
    const refused = await browser.post("/sign-in", { ...house.person }, headers);
    expect([refused.status, browser.cookies.size]).toEqual([403, 0]);
    await browser.post("/sign-in", { ...house.person });
    const hold = await house.send();
    const page = await browser.get(`/approvals/${hold}`);
    const version = /name="version" value="(\w+)"/.exec(page.text)![1]!;
    const tried = await browser.post(`/approvals/${hold}/decide`, { act: "decline", version }, headers);
    expect(tried.status).toBe(403);
    expect((await house.client.ok("part.describe", { id: hold })).content.state).toBe("waiting");
  });

  test.each([
    "//evil.example/",
    "https://evil.example/",
    "/\\evil.example",
    "/\t/evil.example",
    "/.//evil.example/",
    "/a/..//evil.example/",
    "/%2e//evil.example",
    "javascript:alert(1)",
  ])("leads to no other place afterwards: %j", async (then) => {
    const answer = await fetch(`${house.origin}/sign-in`, {
      method: "POST",
      redirect: "manual",
      headers: { "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ ...house.person, then }),
    });
    const to = new URL(answer.headers.get("location")!, house.origin);
    expect(to.origin).toBe(house.origin);
  });

  test("of a stranger has at most 4 KiB", async () => {
    const answer = await openBrowser(house.origin).post("/sign-in", { address: "a".repeat(5000) });
    expect(answer.status).toBe(400);
  });
});

test("every answer forbids frames, other sources, sniffing and keeping", async () => {
  await using house = await openPagesHouse();
  const browser = openBrowser(house.origin);
  const answers = [
    await browser.get("/sign-in"),
    await browser.get("/join"),
    await browser.get("/nothing-here"),
  ];
  await browser.post("/sign-in", { ...house.person });
  const hold = await house.send();
  answers.push(await browser.get("/approvals"), await browser.get(`/approvals/${hold}`));
  answers.push(await browser.get("/approvals/hold_00000000000000000000000000"));
  for (const { headers, url } of answers.filter((one) => !one.url.endsWith("/nothing-here"))) {
    expect([url, headers.get("content-security-policy")]).toEqual([
      url,
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'",
    ]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
  }
  const frame = await browser.get(`/approvals/${hold}/frame`);
  expect(frame.headers.get("content-security-policy")).toBe(
    "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
  );
});

test("on a name that is not that of the pages, the answer is none that programs repeat on another connection", async () => {
  await using house = await openPagesHouse();
  const { port } = new URL(house.origin);
  // Thunderbird asks this when it searches calendars.
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "HEAD" });
  expect(answer.status).toBe(403);
});
