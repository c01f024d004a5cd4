/** Every row of the shares, with small numbers handed in: so many get a place, and one more does not. And the product takes those of the table. */
import { describe, expect, it } from "vitest";
import { createFairness } from "#/src/fairness/fairness.ts";
import { Gate, type GateLimits, type Place, type Refusal } from "#/src/fairness/gate.ts";
import { type Share, shares } from "#/src/fairness/shares.ts";
import type { Owner } from "#/src/model/owner.ts";

const rows = Object.entries<Share>(shares);
const numbers = ["total", "share", "mailboxShare", "accountShare"] as const;
const many = 1000;

const stranger = (at: number): Owner => ({ key: `network ${at}` });
const mailbox = (at: number): Owner => ({ key: `agent ${at}`, above: "account 1" });

/** Places that so many callers get, one after the other. */
function placesOf(limits: Partial<GateLimits>, count: number, ownerOf: (at: number) => Owner): number {
  const gate = new Gate({ what: "places", total: many, share: many, ...limits });
  const entered: (Place | Refusal)[] = [];
  for (let at = 0; at < count; at++) entered.push(gate.tryEnter(ownerOf(at)));
  return entered.filter((one) => typeof one !== "string").length;
}

describe("a row whose numbers are handed in as 3", () => {
  it.each(rows)("%s: three places in all, for one owner, one mailbox and one account", (_, row) => {
    const { idleMs } = row;
    expect(placesOf({ total: 3, idleMs }, 4, stranger)).toBe(3);
    expect(placesOf({ share: 3, idleMs }, 4, () => stranger(1))).toBe(3);
    expect(placesOf({ share: 3, idleMs }, 4, stranger)).toBe(4);
    expect(placesOf({ mailboxShare: 3, idleMs }, 4, () => mailbox(1))).toBe(3);
    expect(placesOf({ accountShare: 3, idleMs }, 4, mailbox)).toBe(3);
    expect(placesOf({ accountShare: 3, idleMs }, 4, stranger)).toBe(4);
  });
});

describe("a row where 3 may wait", () => {
  const waiting = rows.filter(([, row]) => row.waiting !== undefined);
  it.each(waiting)("%s: three wait in all, and three of one owner", async () => {
    for (const [limits, ownerOf] of [
      [{ total: 3, share: many }, stranger],
      [{ total: many, share: 3 }, () => stranger(1)],
    ] as const) {
      const gate = new Gate({
        what: "places",
        total: 1,
        share: 1,
        waiting: { ...limits, waitMs: 60_000 },
      });
      const taken = gate.tryEnter(stranger(0)) as Place;
      const entered = Array.from({ length: 4 }, (_, at) =>
        gate.enter(ownerOf(at + 1)).then((place) => place[Symbol.dispose]()),
      );
      expect(gate.waiting).toBe(3);
      taken[Symbol.dispose]();
      const states = (await Promise.allSettled(entered)).map(({ status }) => status);
      expect(states.filter((status) => status === "rejected")).toHaveLength(1);
    }
  });
});

describe("the product", () => {
  it.each(rows)("opens %s with the numbers of its row", (name, row) => {
    const fairness = createFairness();
    const open = numbers.filter((key) => typeof row[key] === "string");
    const given = Object.fromEntries(open.map((key) => [key, 7]));
    if (open.length > 0) expect(() => fairness.gate(name as keyof typeof shares)).toThrow(TypeError);
    const gate = fairness.gate(name as keyof typeof shares, given);
    const total = typeof row.total === "string" ? 7 : row.total;
    const share = typeof row.share === "string" ? 7 : row.share;
    const owner = stranger(1);
    // An amount that is larger than the share is taken of an owner that has nothing: so one by one.
    const first = gate.tryEnter(owner, Math.min(share, total));
    expect(first).toBeTypeOf("object");
    expect(gate.tryEnter(owner, 1)).toBeTypeOf("string");
  });
});
