import fc from "fast-check";
import { expect, it } from "vitest";
import { sortInTurns } from "#/src/mail/ordering/sort-in-turns.ts";
import {
  type ThreadedMessage,
  type ThreadNode,
  threadByReferences,
  threadBySubject,
} from "#/src/mail/ordering/thread-tree.ts";

const count = 100_000;

function message(uid: number, change: Partial<ThreadedMessage>): ThreadedMessage {
  return { uid, time: uid, subject: "", isReply: false, id: `${uid}`, references: [], ...change };
}

function uidsOf(threads: readonly ThreadNode[]): number[] {
  const uids: number[] = [];
  const open = [...threads];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.uid !== undefined) uids.push(node.uid);
    for (const child of node.children) open.push(child);
  }
  return uids.sort((a, b) => a - b);
}

it("sorts as a stable sort does", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 5000 }),
      fc.integer({ min: 1, max: 50 }),
      async (length, spread) => {
        const items = Array.from({ length }, (_, at) => ({ at, key: (at * 7919) % spread }));
        const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
        expect(await sortInTurns(items, compare)).toEqual(items.toSorted(compare));
      },
    ),
    { numRuns: 30 },
  );
});

it("lists every message once, with any ids and subjects", async () => {
  const id = fc.integer({ min: 1, max: 12 }).map(String);
  const shape = fc.record({
    time: fc.integer({ min: 0, max: 5 }),
    subject: fc.constantFrom("", "A", "B"),
    isReply: fc.boolean(),
    id: fc.oneof(id, fc.constant("")),
    references: fc.uniqueArray(id, { maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(shape, { maxLength: 30 }), async (shapes) => {
      const messages = shapes.map((one, at) => ({ ...one, uid: at + 1 }));
      const all = messages.map(({ uid }) => uid);
      expect(uidsOf(await threadByReferences(messages))).toEqual(all);
      expect(uidsOf(await threadBySubject(messages))).toEqual(all);
    }),
    { numRuns: 1000 },
  );
});

it.each([
  ["nothing in common", (uid: number) => ({ time: (uid * 7919) % count })],
  ["one subject", () => ({ subject: "A", isReply: true })],
  ["one parent", (uid: number) => ({ references: uid === 1 ? [] : ["1"] })],
  ["a chain", (uid: number) => ({ references: uid === 1 ? [] : [`${uid - 1}`] })],
  ["a chain the other way round", (uid: number) => ({ references: [`${uid + 1}`] })],
  ["a comb of missing messages", (uid: number) => ({ id: "", references: [`g${uid}`, `g${uid + 1}`] })],
  [
    "links that contradict each other",
    (uid: number) => ({
      references: Array.from({ length: 10 }, (_, at) => `${((uid * (at + 3)) % count) + 1}`),
    }),
  ],
])(`threads ${count} messages with %s`, async (_what, change) => {
  const messages = Array.from({ length: count }, (_, at) => message(at + 1, change(at + 1)));
  const threads = await threadByReferences(messages);
  expect(uidsOf(threads)).toHaveLength(count);
});
