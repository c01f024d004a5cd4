/** Random writes of all parties on held mail: only those who may approve can approve it, and the store is consistent (`check`, when it is
 *  disposed of). */
import { expect, it } from "vitest";
import { type Actor, nobody } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { isLiveHold } from "#/src/model/holds.ts";
import type { NumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Uid } from "#/src/model/numbers.ts";
import { findHold } from "#/storage/queries/outbound/holds.ts";
import { graceMs, type HoldHouse, openHoldHouse } from "./hold-house.ts";

/** A small generator, so that a seed is a history (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (((mixed ^ (mixed >>> 14)) >>> 0) % 1_000_000) % below;
  };
}

const mailboxes = ["Holds/Waiting", "Holds/Approved", "Holds/Declined", "Trash", "Sent", "Archive", "INBOX"];
const stepsPerHistory = 120;

it.each([1, 2, 3])("history %i", async (seed) => {
  await using house = await openHoldHouse();
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const { mail, robin, kim, store } = house;
  const approver: Actor = { ...nobody, agent: kim.agent, canApprove: true };
  const actors: readonly Actor[] = [
    approver,
    approver,
    // Whatever it claims.
    { ...nobody, agent: robin.agent, canApprove: true },
    { ...nobody, agent: 999 as AgentNumber, canApprove: false },
    nobody,
  ];
  const held: { hold: number; message: string }[] = [];
  const numbers = new Map<string, MailboxNumber>();
  const send = async (): Promise<void> => {
    const { hold, ref } = await house.send({ subject: `Mail ${held.length}` });
    held.push({ hold: store.ids.decode(hold)!.object, message: ref });
    for (const name of mailboxes) numbers.set(name, (await mail.findMailbox(robin.agent, name))!.number);
  };
  await send();

  for (let step = 0; step < stepsPerHistory; step++) {
    const before = await statesOf(house, held);
    const actor = pick(actors);
    const action = await oneStep(house, random, pick, numbers, actor, send);
    const after = await statesOf(house, held);
    for (const [hold, { state, message }] of after) {
      const was = before.get(hold);
      if (was === undefined || (was.state === state && was.message === message)) continue;
      const told = `${action} by ${actor?.agent}: ${was.state} to ${state}`;
      expect(isLiveHold(was.state), told).toBe(true);
      if (action === "time") {
        expect([`approved to sent`, "waiting to expired"], told).toContain(`${was.state} to ${state}`);
        continue;
      }
      expect(actor, told).toBeDefined();
      if (state === "approved" || state === "declined") expect(actor, told).toBe(approver);
      if (state === "waiting" && was.message === message) expect(actor, told).toBe(approver);
    }
  }
});

async function statesOf({ store, robin }: HoldHouse, held: readonly { hold: number }[]) {
  const states = new Map<number, { state: Awaited<ReturnType<typeof stateOf>>; message: MessageNumber }>();
  const stateOf = async (hold: number) => (await findHold(store, robin.agent, hold))!.state;
  for (const { hold } of held) {
    const row = (await findHold(store, robin.agent, hold))!;
    states.set(hold, { state: row.state, message: row.message });
  }
  return states;
}

async function oneStep(
  house: HoldHouse,
  random: (below: number) => number,
  pick: <T>(list: readonly T[]) => T,
  numbers: ReadonlyMap<string, MailboxNumber>,
  actor: Actor,
  send: () => Promise<void>,
): Promise<string> {
  const { mail, robin, kim, holds } = house;
  const agent = robin.agent;
  const sourceName = pick(mailboxes.slice(0, 5));
  const source = numbers.get(sourceName)!;
  const target = numbers.get(pick(mailboxes))!;
  const known = await mail.listUids(agent, source);
  const uid = known.length === 0 ? (1 as Uid) : pick(known);
  const uids: NumberSet = random(4) === 0 ? [[1, 1000]] : [[uid, uid]];
  const exact: NumberSet =
    known.length === 0 ? [[1, 1]] : uids[0]![1] === 1000 ? known.map((one) => [one, one]) : uids;
  const messageAt = async (): Promise<MessageNumber | undefined> => {
    for await (const [entry] of mail.shownPages(agent, source, [[uid, uid]], ["message"]))
      return entry?.message;
    return undefined;
  };
  const bytesAt = async (): Promise<Buffer | undefined> => {
    for await (const [message] of mail.messagePages(agent, source, [[uid, uid]]))
      return message && mail.readBytes(message);
    return undefined;
  };
  const keywords = pick([["$Approved"], ["$approved", "x"], ["y"], []]);
  const mode = pick(["add", "remove", "replace"] as const);
  const flags = pick([0, 8, 1]);
  const steps: Record<string, () => Promise<unknown>> = {
    move: () => mail.moveMessages(actor, agent, source, target, exact),
    copy: () => mail.copyMessages(actor, agent, source, target, exact),
    store: () => mail.storeFlags(actor, agent, source, { uids: exact, mode, flags, keywords }),
    expunge: () => mail.expungeMessages(actor, agent, source),
    delete: async () => {
      const message = await messageAt();
      const found = message && (await mail.findMessage(agent, message));
      if (found) await mail.deleteMessage(actor, agent, found.number, found.version);
    },
    update: async () => {
      const message = await messageAt();
      if (message === undefined) return;
      const change = pick([{ mailbox: target }, { addLabels: keywords }, { labels: keywords }]);
      await mail.updateMessages(actor, agent, { messages: [message], ...change });
    },
    append: async () => {
      const bytes = (await bytesAt()) ?? Buffer.from("Subject: x\r\n\r\nx\r\n");
      await mail.appendMessages(actor, agent, target, [{ bytes, flags, keywords }], { source: "imap" });
    },
    replace: async () => {
      const bytes = Buffer.from("Subject: x\r\n\r\nx\r\n");
      const message = { bytes, flags, keywords };
      await mail.replaceMessage(actor, agent, source, uid, target, message, { source: "imap" });
    },
    edit: async () => {
      const bytes = await bytesAt();
      if (bytes === undefined) return;
      const edited = Buffer.from(bytes.toString().replace(/pieces\.?/, `pieces, ${random(1000)}.`));
      await holds.editByMessage({ agent, message: { bytes: edited, flags: 0, keywords: [] }, actor });
    },
    transfer: async () => {
      const inbox = (await mail.findMailbox(kim.agent, pick(["INBOX", "Trash"])))!;
      const place = { agent, number: source, actor };
      const own = { ...inbox, actor: { ...nobody, agent: kim.agent, canApprove: false } };
      if (random(2) === 0) await mail.transferMessages(place, own, exact, random(2) === 0);
      else {
        const theirs = await mail.listUids(kim.agent, inbox.number);
        if (theirs.length > 0)
          await mail.transferMessages(own, { ...place, number: target }, [[theirs[0]!, theirs[0]!]], true);
      }
    },
    time: () => house.advance(pick([1000, graceMs, graceMs, 86_400_000])),
    send,
  };
  const name = pick(Object.keys(steps));
  try {
    await steps[name]!();
  } catch (error) {
    if (!isWaypostError(error) || error.code === "internal") throw error;
  }
  return name;
}
