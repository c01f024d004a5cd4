import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairQueue } from "#/src/fairness/fair-queue.ts";
import type { Owner } from "#/src/model/owner.ts";

interface Item {
  readonly owner: Owner;
  readonly name: string;
}

const network = (key: string): Owner => ({ key });
const mailbox = (key: string, above: string): Owner => ({ key, above });

function queueOf(...items: readonly (readonly [owner: Owner, name: string])[]): FairQueue<Item> {
  const queue = new FairQueue<Item>();
  for (const [owner, name] of items) queue.push({ owner, name });
  return queue;
}

function names(queue: FairQueue<Item>): string[] {
  const taken: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) taken.push(item.name);
  return taken;
}

describe("what waits", () => {
  it("is taken in turns of the owners, and of one owner in order", () => {
    const [a, b] = [network("a"), network("b")];
    expect(names(queueOf([a, "a1"], [a, "a2"], [a, "a3"], [b, "b1"], [b, "b2"]))).toEqual([
      "a1",
      "b1",
      "a2",
      "b2",
      "a3",
    ]);
  });

  it("is taken in turns of the accounts first, so that an account gains nothing by many mailboxes", () => {
    const [a1, a2, a3, b] = [mailbox("1", "a"), mailbox("2", "a"), mailbox("3", "a"), mailbox("4", "b")];
    const queue = queueOf([a1, "a1"], [a2, "a2"], [a3, "a3"], [a1, "a1 again"], [b, "b1"], [b, "b2"]);
    expect(names(queue)).toEqual(["a1", "b1", "a2", "b2", "a3", "a1 again"]);
  });

  it("is skipped while its owner has to wait, and nothing is taken when nobody may go", () => {
    const [a, b] = [network("a"), network("b")];
    const queue = queueOf([a, "a1"], [b, "b1"]);
    expect(queue.shift(({ owner }) => (owner === a ? "waits" : "goes"))?.name).toBe("b1");
    expect(queue.shift(() => "nobody goes")).toBe(undefined);
    expect(names(queue)).toEqual(["a1"]);
    expect(queue.isEmpty).toBe(true);
  });

  it("finds the newest item of the owner that has the most", () => {
    const [a, b] = [network("a"), network("b")];
    const queue = queueOf([b, "b1"], [a, "a1"], [a, "a2"]);
    expect(queue.newestOfGreediest()?.name).toBe("a2");
  });
});

it("loses nothing, counts what it has, and never lets an owner go twice while another waits", () => {
  const owners = [mailbox("1", "a"), mailbox("2", "a"), network("b"), network("c")];
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1, max: 3 })), (actions) => {
      const queue = new FairQueue<Item>();
      const waiting = new Map<string, string[]>();
      let last: { group: string; others: Set<string> } | undefined;
      for (const [at, action] of actions.entries()) {
        const owner = owners[action];
        if (owner !== undefined) {
          const item = { owner, name: String(at) };
          queue.push(item);
          waiting.set(owner.key, [...(waiting.get(owner.key) ?? []), item.name]);
          continue;
        }
        const item = queue.shift();
        if (item === undefined) {
          expect([...waiting.values()].flat()).toEqual([]);
          continue;
        }
        expect(waiting.get(item.owner.key)!.shift()).toBe(item.name);
        const group = item.owner.above ?? item.owner.key;
        if (last !== undefined && last.others.size > 0) expect(group).not.toBe(last.group);
        const others = owners.filter(({ key }) => (waiting.get(key) ?? []).length > 0);
        last = {
          group,
          others: new Set(others.map((one) => one.above ?? one.key).filter((one) => one !== group)),
        };
      }
      expect(queue.length).toBe([...waiting.values()].flat().length);
    }),
  );
});
