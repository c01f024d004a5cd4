import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import type { MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import { listChanges } from "#/storage/queries/changes.ts";
import { listUids } from "#/storage/queries/mail/entries.ts";
import { findMailboxByName, listMailboxes, listSubscriptions } from "#/storage/queries/mail/mailboxes.ts";
import { listMetadata } from "#/storage/queries/mail/metadata.ts";
import { append, positionOf } from "../support/delivery.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

it("makes the mailboxes above a new one", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent } = await seedAgent(store);
  const before = (await store.get<{ modseq: Modseq }>("select modseq from agent"))!.modseq;
  const created = await store.write(nobody, "createMailbox", { agent, name: "Work/2026/May", at: 0 });
  const names = (await listMailboxes(store, agent)).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["Work", "Work/2026", "Work/2026/May"]));
  expect(created).toMatchObject({ name: "Work/2026/May", mailbox: before + 3, modseq: before + 3 });
  expect(await listChanges(store, agent, before, created.modseq, 10)).toMatchObject([
    { kind: "mailbox", operation: "add", parent: 0, ids: `${before + 1}:${before + 3}` },
  ]);
});

it("accepts INBOX in upper and lower case", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent, inbox } = await seedAgent(store);
  expect((await findMailboxByName(store, agent, "inBox"))!.mailbox).toBe(inbox);
  await expect(store.write(nobody, "createMailbox", { agent, name: "inbox", at: 0 })).rejects.toMatchObject({
    code: "invalid",
    details: { reason: "already_exists" },
  });
  expect(await store.write(nobody, "createMailbox", { agent, name: "inbox/lists", at: 0 })).toMatchObject({
    name: "INBOX/lists",
  });
});

it.each([
  "",
  "/a",
  "a/",
  "a//b",
  "a\u0000b",
  "a\nb",
  "a\ud800",
  "x".repeat(501),
  Array(21).fill("a").join("/"),
])("refuses the name %j", async (name) => {
  await using test = await openTestStore();
  const { agent } = await seedAgent(test.store);
  await expect(test.store.write(nobody, "createMailbox", { agent, name, at: 0 })).rejects.toMatchObject({
    code: "invalid",
  });
});

it("gives a special use to one mailbox only", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const { agent } = ada;
  const create = (name: string) =>
    store.write(nobody, "createMailbox", { agent, name, role: "archive", at: 0 });
  const old = await create("Old");
  const roles = (await listMailboxes(store, agent)).filter(({ role }) => role === "archive");
  expect(roles.map(({ name }) => name)).toEqual(["Old"]);
  await append(store, { ...ada, inbox: old.mailbox }, 1);
  await expect(create("Older")).rejects.toMatchObject({ details: { reason: "use_taken" } });
});

it("keeps annotations with their mailbox, and deletes those of a deleted agent", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const eve = await seedAgent(store, "eve");
  const { mailbox } = await store.write(nobody, "createMailbox", { agent: ada.agent, name: "Work", at: 0 });
  const before = await positionOf(store, ada);
  const value = Buffer.from("v");
  const entries = [0 as const, ada.agent, eve.agent].map((holder) => ({ holder, name: "/comment", value }));
  await store.write(nobody, "setMetadata", { agent: ada.agent, mailbox, entries, at: 0 });
  const rows = await listMetadata(store, ada.agent, mailbox, eve.agent);
  expect(rows.map(({ holder }) => holder)).toEqual([0, eve.agent]);
  const now = await positionOf(store, ada);
  expect(await listChanges(store, ada.agent, before, now, 10)).toMatchObject([
    { kind: "mailbox", operation: "update", ids: String(mailbox) },
    ...[0, ada.agent, eve.agent].map((holder) => ({
      kind: "metadata",
      parent: mailbox,
      ids: String(holder),
      data: '["/comment"]',
    })),
  ]);
  await store.write(nobody, "setMetadata", {
    agent: ada.agent,
    mailbox,
    entries: entries.filter(({ holder }) => holder === ada.agent),
    at: 0,
  });
  expect(await positionOf(store, ada)).toBe(now);
  await store.write(nobody, "deleteAgent", { agent: eve.agent });
  expect(await listMetadata(store, ada.agent, mailbox, eve.agent)).toHaveLength(1);
  await store.write(nobody, "deleteMailbox", { agent: ada.agent, mailbox, at: 0 });
  expect(await store.get("select count(*) as count from mailbox_metadata")).toEqual({ count: 0 });
});

it("deletes a mailbox with its mail, and never uses its UIDVALIDITY again", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const { agent } = ada;
  const created = await store.write(nobody, "createMailbox", { agent, name: "Work", at: 0 });
  await append(store, { ...ada, inbox: created.mailbox }, 3);
  await store.write(nobody, "deleteMailbox", { agent, mailbox: created.mailbox, at: 0 });
  expect(await findMailboxByName(store, agent, "Work")).toBeUndefined();
  expect(await store.get("select count(*) as blobs from blob")).toEqual({ blobs: 0 });
  const again = await store.write(nobody, "createMailbox", { agent, name: "Work", at: 0 });
  expect(again.uidValidity).toBeGreaterThan(created.uidValidity);
  await expect(
    store.write(nobody, "deleteMailbox", { agent, mailbox: created.mailbox, at: 0 }),
  ).rejects.toMatchObject({ code: "not_found", details: { reason: "no_such_mailbox" } });
});

it.each([
  ["1969", -1000],
  ["2200", Date.UTC(2200, 0, 1)],
])(
  "gives a valid UIDVALIDITY when the clock is at %s, and greater ones when the clock is right again",
  async (_, wrong) => {
    await using test = await openTestStore();
    const { store } = test;
    const { agent } = await seedAgent(store);
    const given: number[] = [];
    for (const [name, at] of [
      ["before", store.clock.now()],
      ["wrong", wrong],
      ["after", store.clock.now()],
    ] as const)
      given.push((await store.write(nobody, "createMailbox", { agent, name, at })).uidValidity);
    expect(given).toEqual(given.toSorted((a, b) => a - b));
    expect(new Set(given).size).toBe(3);
    expect(given.every((one) => one >= 1 && one < 2 ** 32)).toBe(true);
  },
);

it("refuses to delete INBOX, mailboxes of special use, and those with children", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent, inbox } = await seedAgent(store);
  const remove = (mailbox: MailboxNumber) => store.write(nobody, "deleteMailbox", { agent, mailbox, at: 0 });
  const required = { code: "policy_refused", details: { reason: "mailbox_is_required" } };
  await expect(remove(inbox)).rejects.toMatchObject(required);
  await expect(remove((await findMailboxByName(store, agent, "Trash"))!.mailbox)).rejects.toMatchObject(
    required,
  );
  await store.write(nobody, "createMailbox", { agent, name: "Work/2026", at: 0 });
  await expect(remove((await findMailboxByName(store, agent, "Work"))!.mailbox)).rejects.toMatchObject({
    details: { reason: "mailbox_has_children" },
  });
});

it("renames a mailbox with its children", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent } = await seedAgent(store);
  const child = await store.write(nobody, "createMailbox", { agent, name: "Work/2026", at: 0 });
  await store.write(nobody, "createMailbox", { agent, name: "Workshop", at: 0 });
  const work = await findMailboxByName(store, agent, "Work");
  await store.write(nobody, "renameMailbox", { agent, mailbox: work!.mailbox, name: "Old/Jobs", at: 0 });
  const names = (await listMailboxes(store, agent)).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["Old", "Old/Jobs", "Old/Jobs/2026", "Workshop"]));
  expect(names).not.toContain("Work");
  expect(await findMailboxByName(store, agent, "Old/Jobs/2026")).toMatchObject({
    mailbox: child.mailbox,
    uidValidity: child.uidValidity,
  });
});

it("refuses to rename onto another mailbox, or below itself", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const { agent } = await seedAgent(store);
  const { mailbox } = await store.write(nobody, "createMailbox", { agent, name: "Work", at: 0 });
  await expect(
    store.write(nobody, "renameMailbox", { agent, mailbox, name: "Sent", at: 0 }),
  ).rejects.toMatchObject({
    details: { reason: "already_exists" },
  });
  await expect(
    store.write(nobody, "renameMailbox", { agent, mailbox, name: "Work/deeper", at: 0 }),
  ).rejects.toMatchObject({ code: "invalid" });
});

it("moves the mail when INBOX is renamed and leaves what is below INBOX", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const { agent, inbox } = ada;
  await store.write(nobody, "createMailbox", { agent, name: "INBOX/lists", at: 0 });
  await append(store, ada, 3);
  const { mailbox } = await store.write(nobody, "renameMailbox", {
    agent,
    mailbox: inbox,
    name: "Old",
    at: 0,
  });
  expect(await listUids(store, agent, inbox)).toEqual([]);
  expect(await listUids(store, agent, mailbox)).toEqual([1, 2, 3]);
  expect(await findMailboxByName(store, agent, "INBOX/lists")).toBeDefined();
  expect(await findMailboxByName(store, agent, "INBOX")).toMatchObject({ messageCount: 0, uidNext: 4 });
});

it("subscribes names with and without a mailbox, and logs changes that other sessions show", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const { agent } = ada;
  const before = await positionOf(store, ada);
  await store.write(nobody, "setSubscription", { agent, name: "Gone", isSubscribed: true, at: 1 });
  expect(await positionOf(store, ada)).toBe(before);
  await store.write(nobody, "setSubscription", { agent, name: "inbox", isSubscribed: false, at: 1 });
  await store.write(nobody, "setSubscription", { agent, name: "inbox", isSubscribed: false, at: 1 });
  const names = await listSubscriptions(store, agent);
  expect(names).toContain("Gone");
  expect(names).not.toContain("INBOX");
  expect(await positionOf(store, ada)).toBe(before + 1);
});
