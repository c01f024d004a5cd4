/** The stream that keeps an open page true. */
import { expect, test } from "vitest";
import { atCommandLine } from "#/src/model/author.ts";
import { openBrowser } from "../support/clients/browser.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

const cookie = "__Host-waypost";

async function signedIn(house: PagesHouse) {
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { ...house.person });
  return browser;
}

/** The stream of a browser, after its first frame. */
async function openStream(house: PagesHouse, browser: Awaited<ReturnType<typeof signedIn>>) {
  const response = await fetch(`${house.origin}/live`, {
    headers: { cookie: `${cookie}=${browser.cookies.get(cookie)}` },
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await reader.read();
  expect(value).toContain("event: count");
  return {
    /** Without a commit to wake it, it would stay open. */
    async ends(): Promise<boolean> {
      for (;;) if ((await reader.read()).done) return true;
    },
    [Symbol.asyncDispose]: () => reader.cancel(),
  };
}

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
