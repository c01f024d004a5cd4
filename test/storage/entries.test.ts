import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { keywordNumbers, systemFlagsMask } from "#/src/model/flags.ts";
import { countNumbers, type NumberSet, numbersIn } from "#/src/model/number-set.ts";
import type { MailboxNumber, Modseq, Uid } from "#/src/model/numbers.ts";
import { listChanges } from "#/storage/queries/changes.ts";
import { entryPages, findEntry, listUids } from "#/storage/queries/mail/entries.ts";
import { findMailboxByName, listKeywords } from "#/storage/queries/mail/mailboxes.ts";
import type { Store } from "#/storage/store.ts";
import type { StoreFlags } from "#/storage/transactions/mail/store-flags.ts";
import { append, positionOf } from "../support/delivery.ts";
import { openTestStore, type Seed, seedAgent } from "../support/store.ts";

const seen = 1;
const deleted = 8;

function storeFlags(store: Store, { agent, inbox }: Seed, uids: NumberSet, change: Partial<StoreFlags>) {
  return store.write(nobody, "storeFlags", {
    actor: nobody,
    agent,
    mailbox: inbox,
    uids,
    mode: "add",
    flags: 0,
    keywords: [],
    at: 0,
    ...change,
  });
}

async function target(store: Store, { agent }: Seed, name = "Archive"): Promise<MailboxNumber> {
  return (await findMailboxByName(store, agent, name))!.mailbox;
}

it("appends in order, with one MODSEQ for all and no event", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const before = await positionOf(store, ada);
  const result = await append(store, ada, 3, { keywords: ["Work"] });
  expect(result).toMatchObject({
    uids: [1, 2, 3],
    uidSet: [[1, 3]],
    messages: [before + 1, before + 2, before + 3],
    modseq: before + 3,
    hasNewKeyword: true,
  });
  expect(await listChanges(store, ada.agent, before, result.modseq, 10)).toMatchObject([
    { kind: "entry", operation: "add", parent: ada.inbox, ids: "1:3", modseq: before + 3, ordinal: 0 },
  ]);
});

it("refuses to append or copy beyond the quota, and to a mailbox that is not there", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store, "ada", { quotaBytes: 100 });
  await append(store, ada, 2, { text: "x".repeat(20) });
  const overQuota = { code: "policy_refused", details: { reason: "over_quota" } };
  await expect(append(store, ada, 2, { text: "x".repeat(20) })).rejects.toMatchObject(overQuota);
  const copy = store.write(nobody, "copyMessages", {
    actor: nobody,
    agent: ada.agent,
    source: ada.inbox,
    target: await target(store, ada),
    uids: [[1, 2]],
    at: 0,
  });
  await expect(copy).rejects.toMatchObject(overQuota);
  await expect(append(store, { ...ada, inbox: 99 as MailboxNumber })).rejects.toMatchObject({
    code: "not_found",
    details: { reason: "no_such_mailbox" },
  });
  expect(await listUids(store, ada.agent, ada.inbox)).toEqual([1, 2]);
});

it("sets the given flags on copies in one write, and leaves the flags of the source", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await append(store, ada, 1, { keywords: ["Work"] });
  await storeFlags(store, ada, [[1, 1]], { flags: seen });
  const archive = await target(store, ada);
  const before = await positionOf(store, ada);
  const { modseq } = await store.write(nobody, "copyMessages", {
    actor: nobody,
    agent: ada.agent,
    source: ada.inbox,
    target: archive,
    uids: [[1, 1]],
    flags: { mask: deleted, keywords: ["Other", "work"] },
    at: 0,
  });
  const names = (await listKeywords(store, ada.agent)).map(({ name }) => name);
  const shown = async (mailbox: MailboxNumber) => {
    const { flags, keywords } = (await findEntry(store, ada.agent, mailbox, 1 as Uid))!;
    const numbers = keywordNumbers({ mask: flags, overflow: keywords });
    return { system: flags & systemFlagsMask, keywords: numbers.map((number) => names[number]) };
  };
  expect(await shown(archive)).toEqual({ system: deleted, keywords: ["Work", "Other"] });
  expect(await shown(ada.inbox)).toEqual({ system: seen, keywords: ["Work"] });
  expect(await listChanges(store, ada.agent, before, modseq, 10)).toMatchObject([
    { kind: "entry", operation: "add", parent: archive, ids: "1" },
  ]);
});

it("lists the UIDs of a large mailbox, whether some are missing, many, most or all", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const { agent, inbox } = ada;
  await append(store, ada, 40);
  let highest = 40;
  while (highest < 40_000) {
    await store.write(nobody, "copyMessages", {
      actor: nobody,
      agent,
      source: inbox,
      target: inbox,
      uids: [[1, highest]],
      at: 0,
    });
    highest *= 2;
  }
  const present = new Set(Array.from({ length: highest }, (_, index) => index + 1));
  expect(await listUids(store, agent, inbox)).toEqual([...present]);
  const missing: NumberSet[] = [
    [[1, 1]],
    [[highest, highest]],
    [[17_000, 17_003]],
    [
      [2, 30],
      [30_000, 33_000],
    ],
    [[100, highest - 100]],
    [[1, highest]],
  ];
  for (const uids of missing) {
    await storeFlags(store, ada, uids, { flags: deleted });
    await store.write(nobody, "expungeMessages", { actor: nobody, agent, mailbox: inbox, uids, at: 0 });
    for (const uid of numbersIn(uids)) present.delete(uid);
    expect(await listUids(store, agent, inbox)).toEqual([...present]);
  }
});

it("sets the new MODSEQ only on entries that change", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await append(store, ada, 3);
  const first = await storeFlags(store, ada, [[2, 2]], { flags: seen });
  const second = await storeFlags(store, ada, [[1, 4294967295]], { flags: seen });
  expect(second).toMatchObject({
    changed: [
      [1, 1],
      [3, 3],
    ],
    failed: [],
    modseq: first.modseq + 1,
  });
  expect((await findEntry(store, ada.agent, ada.inbox, 2 as Uid))!.modseq).toBe(first.modseq);
  expect(await findMailboxByName(store, ada.agent, "INBOX")).toMatchObject({ unseenCount: 0 });
});

it("takes no MODSEQ and writes no change when a STORE changes nothing", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await append(store, ada, 2, { flags: seen });
  const before = await positionOf(store, ada);
  const result = await storeFlags(store, ada, [[1, 9]], { flags: seen });
  expect(result).toEqual({ modseq: before, changed: [], failed: [], hasNewKeyword: false });
  expect(await positionOf(store, ada)).toBe(before);
});

it("leaves messages alone that changed since UNCHANGEDSINCE, and names them", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const { modseq } = await append(store, ada, 3);
  await storeFlags(store, ada, [[2, 2]], { flags: seen });
  const result = await storeFlags(store, ada, [[1, 3]], { flags: deleted, unchangedSince: modseq });
  expect(result).toMatchObject({
    changed: [
      [1, 1],
      [3, 3],
    ],
    failed: [[2, 2]],
  });
});

it("replaces and removes flags and keywords, in whatever case a keyword is written", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await append(store, ada, 1, { keywords: ["Work"] });
  const flagsOf = async () => (await findEntry(store, ada.agent, ada.inbox, 1 as Uid))!.flags;
  expect(await storeFlags(store, ada, [[1, 1]], { keywords: ["WORK"] })).toMatchObject({ changed: [] });
  await storeFlags(store, ada, [[1, 1]], { mode: "replace", flags: seen, keywords: ["$Junk"] });
  expect(await flagsOf()).toBe(seen | (1 << 9));
  await storeFlags(store, ada, [[1, 1]], { mode: "remove", flags: seen, keywords: ["$junk", "unknown"] });
  expect(await flagsOf()).toBe(0);
  expect((await listKeywords(store, ada.agent)).map(({ name }) => name)).toEqual(["Work", "$Junk"]);
});

it.each(["", "two words", "x\r\n* BYE", "k".repeat(101), "\\Odd", "caf\xe9"])(
  "refuses %j as a keyword, whoever gives it",
  async (name) => {
    await using test = await openTestStore();
    const { store } = test;
    const ada = await seedAgent(store, "ada");
    await expect(append(store, ada, 1, { keywords: ["kept", name] })).rejects.toThrow("keyword");
    await append(store, ada, 1);
    await expect(storeFlags(store, ada, [[1, 1]], { keywords: [name] })).rejects.toThrow("keyword");
    expect(await store.all("select name from keyword")).toEqual([]);
  },
);

it("keeps keywords beyond the mask, and refuses more than there may be", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await append(store, ada, 2);
  const names = Array.from({ length: 30 }, (_, index) => `k${index}`);
  await storeFlags(store, ada, [[1, 1]], { keywords: names });
  const entry = await findEntry(store, ada.agent, ada.inbox, 1 as Uid);
  expect(entry).toMatchObject({ flags: 0x7fffff00, keywords: "23,24,25,26,27,28,29" });
  await storeFlags(store, ada, [[1, 2]], { mode: "remove", keywords: ["k24", "k29", "k0"] });
  expect(await findEntry(store, ada.agent, ada.inbox, 1 as Uid)).toMatchObject({
    flags: 0x7ffffe00,
    keywords: "23,25,26,27,28",
  });
  const many = Array.from({ length: 471 }, (_, index) => `more${index}`);
  await expect(storeFlags(store, ada, [[2, 2]], { keywords: many })).rejects.toMatchObject({
    details: { reason: "limit_reached" },
  });
  expect(await listKeywords(store, ada.agent)).toHaveLength(30);
});

it("copies in order, sharing the message, also into the same mailbox", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const { messages } = await append(store, ada, 3, { flags: seen });
  const archive = await target(store, ada);
  const copy = (to: MailboxNumber, uids: NumberSet) =>
    store.write(nobody, "copyMessages", {
      actor: nobody,
      agent: ada.agent,
      source: ada.inbox,
      target: to,
      uids,
      at: 9,
    });
  expect(
    await copy(archive, [
      [1, 1],
      [3, 99],
    ]),
  ).toMatchObject({
    sourceUids: [
      [1, 1],
      [3, 3],
    ],
    targetUids: [[1, 2]],
  });
  expect(await copy(ada.inbox, [[2, 2]])).toMatchObject({ targetUids: [[4, 4]] });
  expect(await findEntry(store, ada.agent, archive, 2 as Uid)).toMatchObject({
    message: messages[2],
    flags: seen,
    savedAt: 9,
  });
  expect(await store.get("select count(*) as messages from message")).toEqual({ messages: 3 });
  const nothing = await copy(archive, [[50, 60]]);
  expect(nothing).toMatchObject({ sourceUids: [], targetUids: [] });
});

it("moves with one MODSEQ in both mailboxes and keeps the message", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await append(store, ada, 3);
  const archive = await target(store, ada);
  const before = await positionOf(store, ada);
  const moved = await store.write(nobody, "moveMessages", {
    actor: nobody,
    agent: ada.agent,
    source: ada.inbox,
    target: archive,
    uids: [[2, 3]],
    at: 0,
  });
  expect(moved).toMatchObject({ sourceUids: [[2, 3]], targetUids: [[1, 2]], modseq: before + 1 });
  expect(await listUids(store, ada.agent, ada.inbox)).toEqual([1]);
  const changes = await listChanges(store, ada.agent, before, moved.modseq, 10);
  expect(changes.map(({ parent, operation, ids }) => [parent, operation, ids])).toEqual([
    [ada.inbox, "remove", "2:3"],
    [archive, "add", "1:2"],
  ]);
});

it("expunges messages with \\Deleted, of some UIDs or of all, and frees the bytes of the last copy", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await append(store, ada, 5, { flags: deleted });
  await storeFlags(store, ada, [[3, 3]], { mode: "remove", flags: deleted });
  const archive = await target(store, ada);
  await store.write(nobody, "copyMessages", {
    actor: nobody,
    agent: ada.agent,
    source: ada.inbox,
    target: archive,
    uids: [[1, 1]],
    at: 0,
  });
  const expunge = (uids?: NumberSet) =>
    store.write(nobody, "expungeMessages", {
      actor: nobody,
      agent: ada.agent,
      mailbox: ada.inbox,
      uids,
      at: 0,
    });
  expect(await expunge([[2, 3]])).toMatchObject({ expunged: [[2, 2]] });
  expect(await expunge()).toMatchObject({
    expunged: [
      [1, 1],
      [4, 5],
    ],
  });
  expect(await store.get("select count(*) as blobs from blob")).toEqual({ blobs: 2 });
  const before = await positionOf(store, ada);
  expect(await expunge()).toEqual({ expunged: [], modseq: before });
});

it("never uses a UID again", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await append(store, ada, 2, { flags: deleted });
  await store.write(nobody, "expungeMessages", {
    actor: nobody,
    agent: ada.agent,
    mailbox: ada.inbox,
    at: 0,
  });
  expect((await append(store, ada, 1)).uids).toEqual([3]);
});

it("frees the bytes of a large mailbox in slices, until nothing is left", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  for (let round = 0; round < 4; round++) await append(store, ada, 250, { flags: deleted });
  const { expunged } = await store.write(nobody, "expungeMessages", {
    actor: nobody,
    agent: ada.agent,
    mailbox: ada.inbox,
    at: 0,
  });
  expect(countNumbers(expunged)).toBe(1000);
  const left = async () => (await store.get<{ blobs: number }>("select count(*) as blobs from blob"))!.blobs;
  while ((await left()) > 0) await store.write(nobody, "updateAgent", { agent: ada.agent });
  expect(await store.check()).toEqual([]);
});

it("reads sets of any shape in pages, in ascending order and without repeats", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  for (let round = 0; round < 3; round++) await append(store, ada, 300);
  const { modseq } = await storeFlags(store, ada, [[890, 900]], { flags: seen });
  const read = async (uids: NumberSet, changedSince?: Modseq) => {
    const found: number[] = [];
    for await (const rows of entryPages(store, ada.agent, ada.inbox, uids, { changedSince }))
      found.push(...rows.map(({ uid }) => uid));
    return found;
  };
  const odd = Array.from({ length: 450 }, (_, index) => index * 2 + 1);
  expect(await read([[1, 4294967295]])).toEqual(Array.from({ length: 900 }, (_, index) => index + 1));
  expect(await read(odd.map((uid) => [uid, uid]))).toEqual(odd);
  expect(
    await read([
      [5, 5],
      [100, 399],
      [895, 2000],
    ]),
  ).toHaveLength(307);
  expect(await read([[1, 900]], (modseq - 1) as Modseq)).toEqual(
    Array.from({ length: 11 }, (_, index) => 890 + index),
  );
});
