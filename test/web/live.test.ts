/** The stream that keeps an open page true. */
import { expect, test, vi } from "vitest";
import { generateSessionToken, hashToken } from "#/src/accounts/secrets.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { pageSessionMs } from "#/src/model/limits.ts";
import { seenExactnessMs } from "#/src/sign-in/new-session.ts";
import { listPageSessions } from "#/storage/queries/accounts/sign-ins.ts";
import { openBrowser } from "../support/clients/browser.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

const cookie = "__Host-waypost";

async function signedIn(house: PagesHouse) {
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { ...house.person });
  return browser;
}

/** The stream of a browser, after its first frames. */
async function openStream(
  house: PagesHouse,
  { cookies }: Pick<Awaited<ReturnType<typeof signedIn>>, "cookies">,
  path = "/live",
) {
  const response = await fetch(`${house.origin}${path}`, {
    headers: { cookie: `${cookie}=${cookies.get(cookie)}` },
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const { value: first } = await reader.read();
  expect(first).toContain("event: count");
  return {
    first: first!,
    next: async (): Promise<string | undefined> => (await reader.read()).value,
    /** Without a commit to wake it, it would stay open. */
    async ends(): Promise<boolean> {
      for (;;) if ((await reader.read()).done) return true;
    },
    [Symbol.asyncDispose]: () => reader.cancel(),
  };
}

test("is not opened by HEAD, which has no body", async () => {
  await using house = await openPagesHouse();
  const { cookies } = await signedIn(house);
  const headers = { cookie: `${cookie}=${cookies.get(cookie)}` };
  for (let count = 0; count < 5; count++)
    expect((await fetch(`${house.origin}/live`, { method: "HEAD", headers })).status).toBe(204);
  await using _ = await openStream(house, { cookies });
});

test("ends at once with its session, and no other stream of the person does", async () => {
  await using house = await openPagesHouse();
  const [one, other] = [await signedIn(house), await signedIn(house)];
  await using ending = await openStream(house, one);
  await using staying = await openStream(house, other);
  await other.post("/mine/sessions/end", {});
  expect(await ending.ends()).toBe(true);
  let isOver = false;
  const over = staying.ends().then(() => {
    isOver = true;
  });
  await house.send();
  expect(isOver).toBe(false);
  await other.post("/sign-out", {});
  await over;
  expect(isOver).toBe(true);
});

test("ends at once with its person", async () => {
  await using house = await openPagesHouse();
  await using stream = await openStream(house, await signedIn(house));
  const { store, accounts } = house.daemon.daemon.house;
  const owner = (await accounts.findOwner(house.person.address))!;
  await store.write(atCommandLine, "deleteAgent", { agent: owner.agent });
  expect(await stream.ends()).toBe(true);
});

test("ends when the time of its session is over, without a commit", async () => {
  await using house = await openPagesHouse();
  const { store, accounts } = house.daemon.daemon.house;
  const { agent } = (await accounts.findOwner(house.person.address))!;
  const now = store.clock.now();
  const time = vi.spyOn(store.clock, "now").mockReturnValue(now);
  try {
    const token = generateSessionToken();
    const session = { hash: hashToken(token), device: "d", network: "n", proof: "password" } as const;
    const made = await store.write(atCommandLine, "createPageSession", {
      agent,
      session,
      at: now - pageSessionMs + 100,
    });
    await store.write(atCommandLine, "touchPageSession", { session: made.session, at: now });
    await using stream = await openStream(house, { cookies: new Map([[cookie, token]]) });
    time.mockReturnValue(now + 100);
    expect(await stream.ends()).toBe(true);
  } finally {
    time.mockRestore();
  }
});

test("is no use of its session, which ends after 14 days although mail comes", async () => {
  await using house = await openPagesHouse();
  const { store, accounts } = house.daemon.daemon.house;
  const { agent } = (await accounts.findOwner(house.person.address))!;
  const browser = await signedIn(house);
  await using stream = await openStream(house, browser);
  const seen = async () => (await listPageSessions(store, agent)).map(({ seenAt }) => seenAt);
  const before = await seen();
  const later = store.clock.now() + seenExactnessMs;
  const time = vi.spyOn(store.clock, "now").mockImplementation(() => later);
  try {
    await house.send();
    expect(await stream.next()).toContain("event: count\ndata: 1");
    expect(await seen()).toEqual(before);
    await browser.get("/mine");
    expect(await seen()).not.toEqual(before);
  } finally {
    time.mockRestore();
  }
});

test("begins with what the page was made of: what has changed before it is open is told", async () => {
  await using house = await openPagesHouse();
  const browser = await signedIn(house);
  const hold = await house.send();
  const streamOf = async () =>
    /data-live="([^"]+)"/.exec((await browser.get(`/approvals/${hold}`)).text)![1]!;
  const path = await streamOf();
  {
    await using same = await openStream(house, browser, path);
    expect(same.first).not.toContain("event: changed");
  }
  const { version } = await house.client.ok("part.describe", { id: hold });
  const body = { to: [house.person.address], subject: "Offer", text: "A thousand pieces." };
  await house.client.ok("hold.update", { id: hold, version, body });
  const changed = `event: changed\ndata: ${hold}\n`;
  {
    await using later = await openStream(house, browser, path);
    expect(later.first).toContain(changed);
  }
  const fresh = await streamOf();
  await house.administer("hold.decline", { hold });
  await using decided = await openStream(house, browser, fresh);
  expect(decided.first).toContain(changed);
});

test("takes no other words of the address", async () => {
  await using house = await openPagesHouse();
  const browser = await signedIn(house);
  for (const shows of [
    "hold_1",
    "x%0Aevent:%20count%0A",
    `hold_${"0".repeat(26)}.waiting.${"0".repeat(64)}%0A`,
  ]) {
    await using stream = await openStream(house, browser, `/live?shows=${shows}`);
    expect([shows, stream.first]).toEqual([shows, "event: count\ndata: 0\n\n"]);
  }
});
