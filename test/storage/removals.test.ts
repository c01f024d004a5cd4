/** The change log names the message of each entry that a write removes, and which of them were deleted with it. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { formatNumberSet, numberSetOf, parseNumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Uid } from "#/src/model/numbers.ts";
import { formatRemoval, parseRemoval } from "#/src/model/removed-messages.ts";
import { findMailboxByName } from "#/storage/queries/mail/mailboxes.ts";
import type { Store } from "#/storage/store.ts";
import { append } from "../support/delivery.ts";
import { everyAuthor, type Write, writeEverything } from "../support/every-write.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

interface Entry {
  readonly agent: AgentNumber;
  readonly mailbox: MailboxNumber;
  readonly uid: Uid;
  readonly message: MessageNumber;
}

const nameOf = ({ agent, mailbox, uid, message }: Entry) => `${agent} ${mailbox} ${uid}: ${message}`;

async function readEntries(store: Store): Promise<Entry[]> {
  return store.all<Entry>(
    `select entry.agent_id as agent, mailbox_id as mailbox, uid, message_id as message
    from entry
    join agent on agent.agent_id = entry.agent_id and agent.state <> 'deleted'`,
  );
}

async function readMessages(store: Store): Promise<Set<string>> {
  const rows = await store.all<Pick<Entry, "agent" | "message">>(
    "select agent_id as agent, message_id as message from message",
  );
  return new Set(rows.map(({ agent, message }) => `${agent} ${message}`));
}

/** Does work, and compares what the log then says of removals with the tables before and after. Gives the number of removed entries.
 *  `known`: what the log said before. */
async function compare(store: Store, known: Set<string>, work: () => Promise<unknown>): Promise<number> {
  const before = await readEntries(store);
  await work();
  const [after, messages] = [new Set((await readEntries(store)).map(nameOf)), await readMessages(store)];
  const living = await store.all<{ agent: AgentNumber }>(
    "select agent_id as agent from agent where state <> 'deleted'",
  );
  const removed = before
    .filter((entry) => living.some(({ agent }) => agent === entry.agent) && !after.has(nameOf(entry)))
    .map((entry) => `${nameOf(entry)} ${!messages.has(`${entry.agent} ${entry.message}`)}`);
  const rows = await store.all<
    Pick<Entry, "agent"> & { parent: MailboxNumber; ids: string; data: string | null }
  >(
    `select agent_id as agent, parent, ids, data
    from change
    where kind = 'entry' and operation = 'remove'
    order by agent_id, modseq, ordinal`,
  );
  const logged = rows.flatMap(({ agent, parent: mailbox, ids, data }) =>
    parseRemoval(parseNumberSet(ids), data).map(
      ({ uid, message, isGone }) => `${nameOf({ agent, mailbox, uid, message })} ${isGone}`,
    ),
  );
  expect(logged.filter((one) => !known.has(one)).toSorted()).toEqual(removed.toSorted());
  for (const one of logged) known.add(one);
  return removed.length;
}

it("name the messages, of every write that removes any", async () => {
  const known = new Set<string>();
  await using test = await openTestStore();
  const { store } = test;
  const removing = new Set<string>();
  const write: Write = async (name, args) => {
    let result: unknown;
    const removed = await compare(store, known, async () => {
      result = await store.write(everyAuthor, name, args);
    });
    if (removed > 0) removing.add(name);
    return result as never;
  };
  await writeEverything(store, write);
  expect([...removing]).toEqual(
    expect.arrayContaining(["expungeMessages", "moveMessages", "deleteMessage", "updateDraft"]),
  );
});

it("name the messages, in any order of numbers and with several places of one message", async () => {
  const known = new Set<string>();
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const boxes = [ada.inbox, (await findMailboxByName(store, ada.agent, "Archive"))!.mailbox];
  await append(store, ada, 20);
  const step = fc.tuple(
    fc.constantFrom("copyMessages" as const, "moveMessages" as const, "expungeMessages" as const),
    fc.nat(1),
    fc.infiniteStream(fc.boolean()),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      for (const [name, from, chosen] of steps) {
        const [source, target] = from === 0 ? [boxes[0]!, boxes[1]!] : [boxes[1]!, boxes[0]!];
        const uids = (await readEntries(store))
          .filter(({ mailbox }) => mailbox === source)
          .map(({ uid }) => uid)
          .filter(() => chosen.next().value);
        const place = { agent: ada.agent, actor: nobody, at: 0, uids: numberSetOf(uids) };
        if (uids.length === 0) continue;
        await compare(store, known, async () => {
          if (name !== "expungeMessages") return store.write(nobody, name, { ...place, source, target });
          const flags = { mode: "add", flags: 8, keywords: [] } as const;
          await store.write(nobody, "storeFlags", { ...place, ...flags, mailbox: source });
          return store.write(nobody, name, { ...place, mailbox: source });
        });
      }
      await append(store, ada, 3);
    }),
    { numRuns: 10 },
  );
});

it("name the messages of a mailbox that is deleted with them", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  const { agent } = ada;
  const { mailbox } = await store.write(nobody, "createMailbox", { agent, name: "Box", at: 0 });
  await append(store, { ...ada, inbox: mailbox }, 3);
  const uids = [[1, 3]] as const;
  await store.write(nobody, "copyMessages", {
    ...{ agent, actor: nobody, at: 0, uids: [uids[0]] },
    source: mailbox,
    target: ada.inbox,
  });
  await append(store, { ...ada, inbox: mailbox }, 2);
  const removed = await compare(store, new Set(), () =>
    store.write(nobody, "deleteMailbox", { agent, mailbox, at: 0 }),
  );
  expect(removed).toBe(5);
});

it("are read as they were written", () => {
  const entry = fc.record({
    uid: fc.integer({ min: 1 }),
    message: fc.integer({ min: 1 }),
    isGone: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.uniqueArray(entry, { selector: ({ uid }) => uid, minLength: 1 }), (made) => {
      const goneOf = new Map(made.map(({ message, isGone }) => [message, isGone]));
      const entries = made.map(({ uid, message }) => ({
        uid: uid as Uid,
        message: message as MessageNumber,
      }));
      const gone = new Set([...goneOf].filter(([, isGone]) => isGone).map(([message]) => message));
      const read = parseRemoval(numberSetOf(entries.map(({ uid }) => uid)), formatRemoval(entries, gone));
      expect(read).toEqual(
        entries.toSorted((a, b) => a.uid - b.uid).map((one) => ({ ...one, isGone: gone.has(one.message) })),
      );
    }),
  );
});

it("of messages that came one after the other take few octets", () => {
  const entries = Array.from({ length: 10_000 }, (_, at) => ({
    uid: (at + 1) as Uid,
    message: (2 * at + 40) as MessageNumber,
  }));
  const all = new Set(entries.map(({ message }) => message as number));
  expect(formatRemoval(entries, all).length).toBeLessThan(60);
});

it("add as many octets to the log as the README says, of 10,000 in order and in any order", () => {
  const octetsOf = (messageOf: (at: number) => number): number => {
    const entries = Array.from({ length: 10_000 }, (_, at) => ({
      uid: (at + 1) as Uid,
      message: messageOf(at) as MessageNumber,
    }));
    const uids = formatNumberSet(numberSetOf(entries.map(({ uid }) => uid)));
    return uids.length + formatRemoval(entries, new Set(entries.map(({ message }) => message))).length;
  };
  // Others were written between them, a thousand times.
  expect(octetsOf((at) => 1_000_000 + at + Math.floor(at / 10))).toBeLessThan(10_000);
  expect(octetsOf((at) => 1_000_000 + at)).toBeLessThan(500);
  // 7919 is prime, so each number is there once, and the next is far away; of seven digits.
  expect(octetsOf((at) => 1_000_000 + ((at * at * 7919) % 999_983))).toBeLessThan(80_000);
});
