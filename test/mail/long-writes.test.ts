/** Writes of many messages: they are split into pieces, other writes run between the pieces, and an error leaves a defined state. */

import { expect, it } from "vitest";
import { shares } from "#/src/fairness/shares.ts";
import { createMail, type Mail } from "#/src/mail/mail.ts";
import { nobody } from "#/src/model/author.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { deletedFlag, flaggedFlag } from "#/src/model/flags.ts";
import { entryPieceEntries, flagPieceEntries } from "#/src/model/limits.ts";
import { countNumbers } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";
import { mailboxOwner } from "#/src/model/owner.ts";
import { findMailboxByName } from "#/storage/queries/mail/mailboxes.ts";
import type { Store } from "#/storage/store.ts";
import { append, positionOf } from "../support/delivery.ts";
import { openTestStore, type Seed, seedAgent, testFacts } from "../support/store.ts";

const many = flagPieceEntries * 2 + 100;
const some = entryPieceEntries * 2 + 100;

/** Fills INBOX with copies of a few messages. */
async function fill(store: Store, seed: Seed, count: number): Promise<void> {
  await append(store, seed, 50);
  const { agent, inbox } = seed;
  for (let held = 50; held < count; held *= 2) {
    const more = Math.min(held, count - held);
    await store.write(nobody, "copyMessages", {
      actor: nobody,
      agent,
      source: inbox,
      target: inbox,
      uids: [[1, more]],
      at: 0,
    });
  }
}

async function mailboxNamed(store: Store, agent: AgentNumber, name: string): Promise<MailboxNumber> {
  const found = await findMailboxByName(store, agent, name);
  return found?.mailbox ?? (await store.write(nobody, "createMailbox", { agent, name, at: 0 })).mailbox;
}

async function countIn(store: Store, agent: AgentNumber, mailbox: MailboxNumber): Promise<number> {
  const query = "select count(*) as count from entry where agent_id = ? and mailbox_id = ?";
  return (await store.get<{ count: number }>(query, agent, mailbox))!.count;
}

function flag(mail: Mail, seed: Seed, count: number, mode: "add" | "remove" = "add") {
  const change = { uids: [[1, count]] as const, mode, flags: flaggedFlag, keywords: [] };
  return asOwner(seed, () => mail.storeFlags(nobody, seed.agent, seed.inbox, change));
}

/** As a session of the mailbox's owner. */
function asOwner<T>(seed: Seed, work: () => T, signal = new AbortController().signal): T {
  return forCaller(signal, work, () => mailboxOwner(seed));
}

it("lets writes of others go between the pieces, and gives each piece a MODSEQ", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store, "ada");
  const eve = await seedAgent(store, "eve");
  await fill(store, ada, many);
  const facts = await testFacts();
  const order: string[] = [];
  const stop = store.onCommit(() => {
    stop();
    const message = {
      facts,
      flags: 0,
      keywords: [],
      internalDate: 0,
      provenance: "{}",
      isAuthenticated: false,
    };
    const args = { agent: eve.agent, mailbox: eve.inbox, messages: [message], actor: nobody, at: 0 };
    void store.write(nobody, "appendMessages", args).then(() => order.push("eve"));
  });
  const before = await positionOf(store, ada);
  const { pieces, changed, failed } = await flag(createMail(store), ada, many);
  order.push("ada");
  expect(order).toEqual(["eve", "ada"]);
  expect({ changed, failed }).toEqual({ changed: [[1, many]], failed: [] });
  expect(pieces).toEqual([
    expect.objectContaining({ modseq: before + 1, changed: [[1, flagPieceEntries]] }),
    expect.objectContaining({ modseq: before + 2 }),
    expect.objectContaining({ modseq: before + 3, changed: [[flagPieceEntries * 2 + 1, many]] }),
  ]);
});

it("answers what changed since in all pieces", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await fill(store, ada, many);
  const { agent, inbox } = ada;
  const unchangedSince = await positionOf(store, ada);
  const uids = [
    [7, 7],
    [many - 5, many - 5],
  ] as const;
  await store.write(nobody, "storeFlags", {
    actor: nobody,
    agent,
    mailbox: inbox,
    uids,
    mode: "add",
    flags: 1,
    keywords: [],
    at: 0,
  });
  const change = { uids: [[1, many]] as const, mode: "add" as const, flags: flaggedFlag, keywords: [] };
  const stored = await createMail(store).storeFlags(nobody, agent, inbox, { ...change, unchangedSince });
  expect(stored.failed).toEqual(uids);
  expect(countNumbers(stored.changed)).toBe(many - 2);
});

it("does one long write of an owner at a time, and the others after it", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await fill(store, ada, many);
  const mail = createMail(store);
  const before = await positionOf(store, ada);
  const [first, second] = await Promise.all([flag(mail, ada, many), flag(mail, ada, many, "remove")]);
  expect(first.pieces.map(({ modseq }) => modseq - before)).toEqual([1, 2, 3]);
  expect(second.pieces.map(({ modseq }) => modseq - before)).toEqual([4, 5, 6]);
});

it("refuses more waiting long writes of an owner than the limit, and accepts those of others", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store, "ada");
  const eve = await seedAgent(store, "eve");
  const mail = createMail(store);
  await fill(store, ada, 200);
  await fill(store, eve, 200);
  const { share } = shares.longWrites.waiting;
  const writing = Array.from({ length: share + 2 }, () => flag(mail, ada, 200));
  const others = flag(mail, eve, 200);
  const settled = await Promise.allSettled(writing);
  expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(share + 1);
  expect(settled.at(-1)).toMatchObject({ reason: { code: "rate_limited" } });
  expect((await others).changed).toEqual([[1, 200]]);
  expect((await flag(mail, ada, 200)).changed).toEqual([]);
});

it("does not start for a caller who has gone while waiting, and finishes a started write", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await fill(store, ada, many);
  const mail = createMail(store);
  const caller = new AbortController();
  const [begun, waiting] = [1, 2].map((mask) =>
    asOwner(
      ada,
      () =>
        mail.storeFlags(nobody, ada.agent, ada.inbox, {
          uids: [[1, many]],
          mode: "add",
          flags: mask,
          keywords: [],
        }),
      caller.signal,
    ),
  );
  const stop = store.onCommit(() => {
    stop();
    caller.abort(new CallerGone());
  });
  await expect(waiting).rejects.toBeInstanceOf(CallerGone);
  expect((await begun!).changed).toEqual([[1, many]]);
});

it("expunges messages with \\Deleted in pieces, and no other", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await fill(store, ada, some);
  const mail = createMail(store);
  const { agent, inbox } = ada;
  const uids = [[11, some - 10]] as const;
  expect((await mail.expungeMessages(nobody, agent, inbox)).expunged).toEqual([]);
  await mail.storeFlags(nobody, agent, inbox, { uids, mode: "add", flags: deletedFlag, keywords: [] });
  const before = await positionOf(store, ada);
  const { expunged, modseq } = await mail.expungeMessages(nobody, agent, inbox);
  expect(expunged).toEqual(uids);
  expect(modseq).toBe(before + 3);
  expect(await countIn(store, agent, inbox)).toBe(20);
});

it("moves in pieces, and reports the moved messages when a piece fails", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await fill(store, ada, some);
  const mail = createMail(store);
  const { agent, inbox } = ada;
  const target = await mailboxNamed(store, agent, "Target");
  const moving = mail.moveMessages(nobody, agent, inbox, target, [[1, some]]);
  const stop = store.onCommit(() => {
    stop();
    // Before the second piece is posted.
    void store.write(nobody, "deleteMailbox", { agent, mailbox: target, at: 0 });
  });
  const { sourceUids, targetUids, failure } = await moving;
  expect(sourceUids).toEqual([[1, entryPieceEntries]]);
  expect(targetUids).toEqual([[1, entryPieceEntries]]);
  expect(failure).toMatchObject({ details: { reason: "no_such_mailbox" } });
  const archive = await mailboxNamed(store, agent, "Archive2");
  const rest = await mail.moveMessages(nobody, agent, inbox, archive, [[1, some]]);
  expect(rest.sourceUids).toEqual([[entryPieceEntries + 1, some]]);
  expect(await countIn(store, agent, inbox)).toBe(0);
  expect(await countIn(store, agent, archive)).toBe(some - entryPieceEntries);
});

it("copies in pieces, and removes the copies when one fails", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await fill(store, ada, some);
  const mail = createMail(store);
  const { agent, inbox } = ada;
  const target = await mailboxNamed(store, agent, "Target");
  const { bytes } = (await store.get<{ bytes: number }>(
    "select byte_count as bytes from agent where agent_id = ?",
    agent,
  ))!;
  const quotaBytes = bytes + Math.floor((bytes / some) * entryPieceEntries * 1.5);
  await store.write(nobody, "updateAgent", { agent, quotaBytes });
  const before = await positionOf(store, ada);
  await expect(mail.copyMessages(nobody, agent, inbox, target, [[1, some]])).rejects.toMatchObject({
    details: { reason: "over_quota" },
  });
  expect(await positionOf(store, ada)).toBe(before + 2);
  expect(await countIn(store, agent, target)).toBe(0);
  await store.write(nobody, "updateAgent", { agent, quotaBytes: null });
  const copied = await mail.copyMessages(nobody, agent, inbox, target, [[1, some]]);
  const first = entryPieceEntries + 1;
  expect(copied).toMatchObject({ sourceUids: [[1, some]], targetUids: [[first, first + some - 1]] });
  expect(await store.all("select * from unfinished_copy")).toEqual([]);
});

it("removes the copies of an unfinished COPY at the next start", async () => {
  await using test = await openTestStore();
  const ada = await seedAgent(test.store);
  await fill(test.store, ada, 200);
  const { agent, inbox } = ada;
  const target = await mailboxNamed(test.store, agent, "Target");
  let copy: Modseq | undefined;
  for (const uids of [[[1, 100]], [[101, 150]]] as const) {
    const part = { copy, isLast: false, daemon: "" };
    const args = { agent, source: inbox, target, uids, part, actor: nobody, at: 0 };
    ({ copy } = await test.store.write(nobody, "copyMessages", args));
  }
  await test.store.write(nobody, "expungeMessages", { actor: nobody, agent, mailbox: target, at: 0 });
  expect(await countIn(test.store, agent, target)).toBe(150);
  const store = await test.reopen();
  const undone = Promise.withResolvers<void>();
  store.onCommit(() => {
    void countIn(store, agent, target).then((count) => count === 0 && undone.resolve());
  });
  await undone.promise;
  expect(await countIn(store, agent, inbox)).toBe(200);
});

it("makes no copy in pieces of mail that waits for a person", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await fill(store, ada, some);
  const { agent, inbox } = ada;
  const { mailbox: target } = (await store.get<{ mailbox: MailboxNumber }>(
    "select mailbox_id as mailbox from mailbox where agent_id = ? and role = 'scheduled'",
    agent,
  )) ?? { mailbox: undefined };
  if (target === undefined) return;
  await expect(
    createMail(store).copyMessages(nobody, agent, inbox, target, [[1, some]]),
  ).rejects.toMatchObject({
    details: { reason: "limit_reached" },
  });
});

it("copies and moves between agents in pieces", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store, "ada");
  const eve = await seedAgent(store, "eve");
  const mail = createMail(store);
  const message = { bytes: Buffer.from("Subject: one of many\r\n\r\ntext\r\n"), flags: 0, keywords: [] };
  await mail.appendMessages(nobody, ada.agent, ada.inbox, Array(250).fill(message), { source: "imap" });
  const places = [ada, eve].map(({ agent, inbox }) => ({ agent, number: inbox, actor: nobody }));
  const [from, to] = [places[0]!, places[1]!];
  const copied = await mail.transferMessages(from, to, [[1, 250]], false);
  expect(copied).toMatchObject({ sourceUids: [[1, 250]], targetUids: [[1, 250]] });
  expect(await store.all("select * from unfinished_copy")).toEqual([]);
  await store.write(nobody, "updateAgent", { agent: eve.agent, quotaBytes: 1 });
  await expect(mail.transferMessages(from, to, [[1, 250]], false)).rejects.toMatchObject({
    details: { reason: "over_quota" },
  });
  await store.write(nobody, "updateAgent", { agent: eve.agent, quotaBytes: null });
  const moved = await mail.transferMessages(from, to, [[1, 250]], true);
  expect(moved).toMatchObject({ sourceUids: [[1, 250]], targetUids: [[251, 500]] });
  expect(await countIn(store, ada.agent, ada.inbox)).toBe(0);
});

it("deletes large mailboxes, and moves what was in a folder to Trash", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const { agent, inbox } = ada;
  await fill(store, ada, some);
  const mail = createMail(store);
  const [one, two] = [await mailboxNamed(store, agent, "One"), await mailboxNamed(store, agent, "Two")];
  await mail.copyMessages(nobody, agent, inbox, one, [[1, some]]);
  await mail.copyMessages(nobody, agent, inbox, two, [[1, some]]);
  await mail.deleteMailbox(nobody, agent, one);
  expect(await mail.findMailboxByNumber(agent, one)).toBeUndefined();
  const { version } = (await mail.findMailboxByNumber(agent, two))!;
  await expect(mail.deleteFolder(nobody, agent, two, "1")).rejects.toMatchObject({
    code: "precondition_failed",
  });
  expect(await countIn(store, agent, two)).toBe(some);
  const once = {
    agent,
    operation: "folder.delete",
    key: "k",
    requestHash: new Uint8Array(32),
    expiresAt: store.clock.now() + 1e9,
  };
  const answers = await Promise.all(
    [1, 2].map(() => asOwner(ada, () => mail.deleteFolder(nobody, agent, two, version, once))),
  );
  expect(answers.map(({ isReplayed }) => isReplayed).sort()).toEqual([false, true]);
  expect(await countIn(store, agent, await mailboxNamed(store, agent, "Trash"))).toBe(some);
  await expect(mail.deleteMailbox(nobody, agent, inbox)).rejects.toMatchObject({
    details: { reason: "mailbox_is_required" },
  });
});

it("moves all of a large INBOX to its new name", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await fill(store, ada, some);
  const mail = createMail(store);
  await mail.renameMailbox(nobody, ada.agent, ada.inbox, "Before");
  expect(await countIn(store, ada.agent, ada.inbox)).toBe(0);
  expect(await countIn(store, ada.agent, await mailboxNamed(store, ada.agent, "Before"))).toBe(some);
});
