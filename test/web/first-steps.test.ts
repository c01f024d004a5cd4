/** The first page of a person: the set-up of a mail program, and a mail to try it with. */
import { expect, test } from "vitest";
import { openBrowser } from "../support/clients/browser.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

async function subjectsOf(house: PagesHouse): Promise<string[]> {
  const { accounts, mail } = house.daemon.daemon.house;
  const { agent } = (await accounts.findOwner(house.person.address))!;
  return (await mail.listNewestMessages(agent, { limit: 10 })).map(({ subject }) => subject);
}

test("shows the set-up of a mail program and sends a test mail, until a program has a password of its own", async () => {
  await using house = await openPagesHouse();
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { ...house.person });
  expect((await browser.get("/approvals")).text).toContain("Set up your mail program");
  const sent = await browser.post("/approvals/test-mail", {});
  expect(sent.text).toContain("The test mail is in your INBOX.");
  expect(await subjectsOf(house)).toContain("It works");
  await browser.post("/mine/programs", { name: "Laptop", password: house.person.password });
  expect((await browser.get("/approvals")).text).not.toContain("Set up your mail program");
});

test("does it in German, the mail too", async () => {
  await using house = await openPagesHouse();
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { ...house.person });
  const german = { "accept-language": "de" };
  expect((await browser.get("/approvals", german)).text).toContain("Richten Sie Ihr Mailprogramm ein");
  await browser.post("/approvals/test-mail", {}, german);
  expect(await subjectsOf(house)).toContain("Es funktioniert");
});
