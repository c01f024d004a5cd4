import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import type { NumberSet } from "#/src/model/number-set.ts";
import type { MailboxNumber, MessageNumber, ThreadNumber } from "#/src/model/numbers.ts";
import { listEntriesOfMessage } from "#/storage/queries/mail/entries.ts";
import { findMailboxByName, listKeywords } from "#/storage/queries/mail/mailboxes.ts";
import { findMessage } from "#/storage/queries/mail/messages.ts";
import { newestMessagesSoon } from "#/storage/queries/mail/newest-messages.ts";
import type { MessageRow } from "#/storage/rows.ts";
import type { NewestMessages } from "#/storage/scans/newest-messages.ts";
import type { Store } from "#/storage/store.ts";
import { append, deliver, positionOf } from "../support/delivery.ts";
import { openTestStore, type Seed, seedAgent } from "../support/store.ts";

async function mailboxNamed(store: Store, { agent }: Seed, name: string): Promise<MailboxNumber> {
  return (await findMailboxByName(store, agent, name))!.mailbox;
}

async function copyTo(
  store: Store,
  { agent, inbox }: Seed,
  target: MailboxNumber,
  uids: NumberSet = [[1, 1]],
): Promise<void> {
  await store.write(nobody, "copyMessages", {
    actor: nobody,
    agent,
    source: inbox,
    target,
    uids,
    at: store.clock.now(),
  });
}

it("sets the read state of all entries of a message, and moves it from all its mailboxes to one", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const [delivery] = await deliver(store, [ada]);
  const { message } = delivery!;
  test.clock.advance(1000);
  const archive = await mailboxNamed(store, ada, "Archive");
  await copyTo(store, ada, archive);
  const sent = await mailboxNamed(store, ada, "Sent");
  const update = (change: object) =>
    store.write(nobody, "updateMessages", {
      actor: nobody,
      agent: ada.agent,
      messages: [message, 99 as MessageNumber],
      ...change,
      at: store.clock.now(),
    });
  const places = async () =>
    (await listEntriesOfMessage(store, ada.agent, message)).map(({ mailbox, uid, flags }) => [
      mailbox,
      uid,
      flags,
    ]);
  expect((await update({ marks: { unread: false, flagged: true } })).versions.at(-1)).toBeNull();
  expect(await places()).toEqual([
    [ada.inbox, 1, 5],
    [archive, 1, 5],
  ]);
  await update({ mailbox: sent, marks: { flagged: false } });
  expect(await places()).toEqual([[sent, 1, 1]]);
  const modseq = await positionOf(store, ada);
  expect((await update({ mailbox: sent })).modseq).toBe(modseq);
  await store.write(nobody, "copyMessages", {
    actor: nobody,
    agent: ada.agent,
    source: sent,
    target: archive,
    uids: [[1, 1]],
    at: store.clock.now(),
  });
  await update({ mailbox: archive });
  expect(await places()).toEqual([[archive, 2, 1]]);
});

it("replaces labels whole, adds and removes them", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const { messages } = await append(store, ada, 1, { keywords: ["$Forwarded", "old", "both"] });
  const labelsNow = async () => {
    const names = (await listKeywords(store, ada.agent)).map(({ name }) => name);
    const [entry] = await listEntriesOfMessage(store, ada.agent, messages[0]!);
    return names.filter((_, number) => entry!.flags & (1 << (8 + number)));
  };
  const update = (change: object) =>
    store.write(nobody, "updateMessages", { actor: nobody, agent: ada.agent, messages, at: 0, ...change });
  await update({ labels: ["both", "new"] });
  expect(await labelsNow()).toEqual(["both", "new"]);
  await update({ addLabels: ["more"], removeLabels: ["NEW"] });
  expect(await labelsNow()).toEqual(["both", "more"]);
  await update({ labels: [] });
  expect(await labelsNow()).toEqual([]);
  const before = await positionOf(store, ada);
  expect(await update({ labels: [], marks: { unread: true } })).toEqual({
    modseq: before,
    versions: [before],
    takenBack: [],
  });
});

it("puts a deleted message into Trash once, and removes it for good the second time", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const [delivery] = await deliver(store, [ada]);
  const { message } = delivery!;
  await copyTo(store, ada, await mailboxNamed(store, ada, "Archive"));
  const versionNow = async () => {
    const entries = await listEntriesOfMessage(store, ada.agent, message);
    return String(Math.max(0, ...entries.map(({ modseq }) => modseq)));
  };
  const remove = async () =>
    store.write(nobody, "deleteMessage", {
      actor: nobody,
      agent: ada.agent,
      message,
      version: await versionNow(),
      at: 0,
    });
  expect(await remove()).toMatchObject({ state: "trashed" });
  const entries = await listEntriesOfMessage(store, ada.agent, message);
  expect(entries.map(({ mailbox }) => mailbox)).toEqual([await mailboxNamed(store, ada, "Trash")]);
  expect(await remove()).toMatchObject({ state: "removed" });
  expect(await findMessage(store, ada.agent, message)).toBeUndefined();
  await expect(remove()).rejects.toMatchObject({ code: "not_found" });
});

it("deletes only the version that the caller has read, and names the current one", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const [delivery] = await deliver(store, [ada]);
  const { message, modseq } = delivery!;
  const { agent } = ada;
  await store.write(nobody, "updateMessages", {
    actor: nobody,
    agent,
    messages: [message],
    marks: { flagged: true },
    at: 0,
  });
  for (const version of [undefined, String(modseq)])
    await expect(
      store.write(nobody, "deleteMessage", { actor: nobody, agent, message, version, at: 0 }),
    ).rejects.toMatchObject({
      code: "precondition_failed",
      details: { version: String(modseq + 1) },
    });
});

it("joins the oldest thread that knows a key, and starts a new one otherwise", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const key = (number: number) => new Uint8Array(16).fill(number);
  const threadOf = async (...numbers: number[]) => {
    const [delivery] = await deliver(store, [ada], "x", { threadKeys: numbers.map(key) });
    return delivery!.thread;
  };
  const first = await threadOf(1);
  const second = await threadOf(2);
  expect(second).toBeGreaterThan(first);
  expect(await threadOf(1, 2, 3)).toBe(first);
  expect(await threadOf(3)).toBe(first);
  expect(await threadOf(2)).toBe(second);
  const alone = await threadOf();
  expect(await threadOf()).toBeGreaterThan(alone);
});

it("lists messages newest first, once each, of all mailboxes or of one", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const numbers: MessageNumber[] = [];
  for (let count = 0; count < 4; count++) {
    numbers.push((await deliver(store, [ada]))[0]!.message);
    test.clock.advance(1000);
  }
  await copyTo(store, ada, await mailboxNamed(store, ada, "Archive"));
  const list = async (args: object) =>
    (await store.scan("newestMessages", { agent: ada.agent, limit: 10, ...args })).map(
      ({ message }) => message,
    );
  expect(await list({})).toEqual(numbers.toReversed());
  expect(await list({ limit: 2 })).toEqual([numbers[3], numbers[2]]);
  expect(await list({ before: numbers[1] })).toEqual([numbers[0]]);
  expect(await list({ thread: numbers[1] })).toEqual([numbers[1]]);
  expect(await list({ mailbox: await mailboxNamed(store, ada, "Archive") })).toEqual([numbers[0]]);
  expect(await list({ mailbox: await mailboxNamed(store, ada, "Drafts") })).toEqual([]);
});

it("finds the same newest messages on the main thread as a scan does, or leaves the search to the scan", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const numbers: MessageNumber[] = [];
  for (let count = 0; count < 6; count++) {
    numbers.push((await deliver(store, [ada]))[0]!.message);
    test.clock.advance(1000);
  }
  const archive = await mailboxNamed(store, ada, "Archive");
  await copyTo(store, ada, archive);
  await copyTo(store, ada, archive);
  const compare = async (args: Partial<NewestMessages>): Promise<"soon" | "scan"> => {
    const asked = { agent: ada.agent, limit: 10, ...args };
    const soon = await newestMessagesSoon(store, asked);
    if (soon === undefined) return "scan";
    // Octets of another thread are no Buffer.
    const comparable = (rows: readonly MessageRow[]) =>
      rows.map((row) => ({ ...row, trace: new Uint8Array(row.trace) }));
    expect(comparable(soon)).toEqual(comparable(await store.scan("newestMessages", asked)));
    return "soon";
  };
  const nowhere = 999_999 as MailboxNumber;
  const places = [{}, { mailbox: archive }, { mailbox: ada.inbox }, { mailbox: nowhere }];
  for (const place of places)
    for (const before of [undefined, ...numbers])
      for (const after of [undefined, numbers[2]])
        for (const limit of [1, 3, 100])
          expect(await compare({ ...place, before, after, limit })).toBe("soon");
  expect(await compare({ limit: 101 })).toBe("scan");
  expect(await compare({ thread: numbers[0] as number as ThreadNumber })).toBe("scan");
  // The one message of Archive stands below more than 500 places of others.
  for (let times = 0; times < 8; times++) await copyTo(store, ada, ada.inbox, [[1, 4294967295]]);
  expect(await compare({ mailbox: archive })).toBe("scan");
  expect(await compare({ mailbox: ada.inbox, limit: 1 })).toBe("soon");
});
