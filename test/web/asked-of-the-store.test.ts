/** What the pages of waiting mails ask of the store: as much for hundreds as for those that the first page shows. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../support/clients/browser.ts";
import { manyRequests } from "../support/daemon.ts";
import { noteStoreQuestions } from "../support/store-questions.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

/** More than a page shows. */
const some = 20;
const many = 120;

let house: PagesHouse;
const asked: string[] = [];

beforeAll(async () => {
  // The notice would be written meanwhile.
  house = await openPagesHouse([
    ...manyRequests,
    "limits.sends_per_hour=0",
    "limits.sends_per_day=0",
    "holds.notice_minutes=60",
    // Elsewhere mail of a domain for tests does not leave.
    "outbound.smarthost_host=smarthost.test",
  ]);
});
afterAll(() => house[Symbol.asyncDispose]());

const send = (): Promise<string> =>
  house.send({
    to: ["anna@honest.example"],
    attachments: [{ name: "a.txt", type: "text/plain", data: "YQ==" }],
  });

test("many more mails take as many statements of each page, and about as many octets", async () => {
  const first = await send();
  for (let sent = 1; sent < some; sent++) await send();
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { ...house.person });
  const load = async (path: string) => {
    // What is kept in memory is read with the first one.
    await browser.get(path);
    asked.length = 0;
    const { status, text } = await browser.get(path);
    return { path, status, asked: asked.toSorted(), length: text.length };
  };
  const loadAll = async () => {
    const loads = [];
    for (const path of ["/approvals", `/approvals/${first}`, "/mine", "/agents"])
      loads.push(await load(path));
    return loads;
  };
  noteStoreQuestions(asked);
  const before = await loadAll();
  for (let sent = some; sent < many; sent++) await send();
  const after = await loadAll();
  for (const [at, one] of before.entries()) {
    expect([one.path, one.status, one.asked.length > 0]).toEqual([one.path, 200, true]);
    expect([one.path, after[at]!.asked]).toEqual([one.path, one.asked]);
    // Numbers have more digits, and there is a button for more.
    expect(after[at]!.length).toBeLessThan(one.length + 1000);
  }
});
