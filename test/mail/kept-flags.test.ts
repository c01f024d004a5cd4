import { expect, it } from "vitest";
import { createKeptFlags } from "#/src/mail/kept-flags.ts";
import { createMail, type Mail } from "#/src/mail/mail.ts";
import { everyUid } from "#/src/mail/search/search-keys.ts";
import { nobody } from "#/src/model/author.ts";
import type { NumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

const unseen = { mask: 1, value: 0 };
const messages = Array.from({ length: 1200 }, (_, index) => ({
  bytes: Buffer.from("Subject: a\r\n\r\n"),
  flags: index % 2,
  keywords: [],
}));

it("kept flags are the same as those of the store, after any change", async () => {
  await using test = await openTestStore();
  const ada = await seedAgent(test.store);
  const mail = createMail(test.store);
  await mail.appendMessages(nobody, ada.agent, ada.inbox, messages, { source: "imap" });
  const change = { mode: "add", flags: 1, keywords: [] } as const;
  for (const write of [
    () => mail.storeFlags(nobody, ada.agent, ada.inbox, { ...change, uids: [[3, 8]] }),
    () => mail.storeFlags(nobody, ada.agent, ada.inbox, { ...change, uids: [[7, 9]], mode: "remove" }),
    () => mail.storeFlags(nobody, ada.agent, ada.inbox, { ...change, uids: [[11, 11]], keywords: ["work"] }),
    () => mail.expungeMessages(nobody, ada.agent, ada.inbox, [[5, 5]]),
    () => mail.appendMessages(nobody, ada.agent, ada.inbox, messages.slice(0, 3), { source: "imap" }),
  ]) {
    await write();
    // It has nothing in memory yet.
    const expected = await shown(createMail(test.store), ada.inbox, ada.agent);
    for (let round = 0; round < 3; round++) expect(await shown(mail, ada.inbox, ada.agent)).toEqual(expected);
  }
});

const sets: readonly NumberSet[] = [
  everyUid,
  [[1, 1100]],
  [
    [2, 4],
    [6, 1004],
    [1006, 1006],
    [1201, 5000],
  ],
];

async function shown(mail: Mail, mailbox: MailboxNumber, agent: AgentNumber) {
  const found: unknown[] = [];
  for (const set of sets) {
    found.push(await mail.listFlaggedUids(agent, mailbox, set, unseen));
    const rows: unknown[] = [];
    for await (const page of mail.shownPages(agent, mailbox, set, ["flags"]))
      for (const { uid, flags } of page) rows.push([uid, flags]);
    found.push(rows);
  }
  return found;
}

it("flags are kept when they are read a second time, for a limited number of messages", async () => {
  await using test = await openTestStore();
  const ada = await seedAgent(test.store);
  const mail = createMail(test.store);
  const { number: other } = await mail.createMailbox(nobody, ada.agent, "Other");
  for (const mailbox of [ada.inbox, other])
    await mail.appendMessages(nobody, ada.agent, mailbox, messages, { source: "imap" });
  const kept = createKeptFlags(test.store, 2000);
  const finds = async (mailbox: MailboxNumber) =>
    (await kept.find(ada.agent, mailbox, everyUid)) !== undefined;
  expect([await finds(ada.inbox), await finds(ada.inbox), kept.count]).toEqual([false, true, 1200]);
  expect(await kept.find(ada.agent, ada.inbox, [[1, 10]])).toBe(undefined);
  expect([await finds(other), await finds(other), kept.count]).toEqual([false, true, 1200]);
  // There is room for one of them, and it was the other that was used last.
  expect(await finds(ada.inbox)).toBe(false);

  const keywords = Array.from({ length: 30 }, (_, index) => `label${index}`);
  await mail.storeFlags(nobody, ada.agent, other, { uids: [[9, 9]], mode: "add", flags: 0, keywords });
  // Not all of these keywords are in the mask.
  expect([await finds(other), await finds(other), await finds(other)]).toEqual([false, false, false]);
});
