import { expect, inject, test } from "vitest";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { nextBatch, type Slice } from "#/src/render/indexing/batch.ts";
import type { MessageRow } from "#/storage/rows.ts";
import { randomSource } from "../support/random.ts";

const random = randomSource(inject("seed"));

/** Mailboxes with messages of these sizes, of which a batch takes what is next. */
function mailboxes(sizes: readonly (readonly number[])[]) {
  const rows = sizes.map((list) =>
    list.map((size, at) => ({ message: at + 1, size }) as unknown as MessageRow),
  );
  const positions = rows.map(() => 0);
  const behind = new Set(rows.map((_, at) => at as AgentNumber));
  const newMailOf = async (agent: AgentNumber, limit: number): Promise<Slice | undefined> => {
    const after = positions[agent]!;
    const messages = rows[agent]!.slice(after, after + limit);
    if (messages.length === 0) return undefined;
    const isPartial = messages.length === limit;
    const upTo = (after + messages.length) as Modseq;
    return { agent, messages, upTo, isPartial, isBehind: false, hasRemovals: false };
  };
  return { behind, newMailOf, positions };
}

test("a batch has mail of several mailboxes, at most 64 messages and 1 MiB but for one that is larger, and none is left out", async () => {
  for (let round = 0; round < 200; round++) {
    const sizes = Array.from({ length: 1 + random.below(40) }, () =>
      Array.from(
        { length: random.below(90) },
        () => 1 + random.below(random.below(8) === 0 ? 3_000_000 : 30_000),
      ),
    );
    const { behind, newMailOf, positions } = mailboxes(sizes);
    let batches = 0;
    while (behind.size > 0) {
      const batch = await nextBatch(behind, newMailOf, () => false);
      const messages = batch.flatMap((slice) => [...slice.messages]);
      expect(messages.length).toBeLessThanOrEqual(64);
      if (messages.length > 1)
        expect(messages.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(1024 * 1024);
      expect(new Set(batch.map(({ agent }) => agent)).size).toBe(batch.length);
      for (const { agent, messages: its, upTo } of batch) {
        expect(its[0]!.message).toBe(positions[agent]! + 1);
        positions[agent] = upTo;
      }
      expect(++batches).toBeLessThan(10_000);
    }
    expect(positions).toEqual(sizes.map(({ length }) => length));
  }
});

test("sixty-four mailboxes with a message each are one batch", async () => {
  const { behind, newMailOf } = mailboxes(Array.from({ length: 64 }, () => [4000]));
  expect(await nextBatch(behind, newMailOf, () => false)).toHaveLength(64);
  // The last one may have more.
  expect(behind.size).toBeLessThanOrEqual(1);
});

test("mail that is tried alone is alone in its batch", async () => {
  const { behind, newMailOf } = mailboxes([[1000], [1000], [1000]]);
  const isTriedAlone = (agent: AgentNumber): boolean => agent === 1;
  const batches = [];
  while (behind.size > 0)
    batches.push((await nextBatch(behind, newMailOf, isTriedAlone)).map(({ agent }) => agent));
  expect(batches).toEqual([[0], [1], [2]]);
});
