import { expect, test } from "vitest";
import { createLanes } from "#/protocols/delivery/lanes.ts";
import { settleOutcomes } from "#/protocols/delivery/settle.ts";
import { Gate, type Place } from "#/src/fairness/gate.ts";

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Pieces of the owner that they begin with; "house" has no share. */
function openLanes({
  carriersPerLane = 2,
  carriers = 3,
  share = carriers,
  waitMs = 0,
}: {
  carriersPerLane?: number;
  carriers?: number;
  share?: number;
  waitMs?: number;
} = {}) {
  const log: string[] = [];
  const gates = new Map<string, () => void>();
  const places = new Map<string, Place>();
  const gate = new Gate({ what: "connections", total: carriers, share });
  const lanes = createLanes<string>({
    gate,
    carriersPerLane: () => carriersPerLane,
    ownerOf: (piece) => ({ key: piece.split(" ")[1] ?? "one" }),
    async carry(name, next, place) {
      for (let piece = await next(0); piece !== undefined; piece = await next(waitMs)) {
        log.push(`${name} ${piece}`);
        places.set(piece, place);
        await new Promise<void>((resolve) => gates.set(piece!, resolve));
      }
    },
  });
  const finish = async (piece: string): Promise<void> => {
    await turn();
    gates.get(piece)!();
    await turn();
  };
  return { lanes, log, finish, gate, places };
}

test("the carriers of a lane are limited, and those of all lanes", async () => {
  const { lanes, log } = openLanes();
  for (const piece of ["a1", "a2", "a3"]) lanes.push("a", piece);
  for (const piece of ["b1", "b2"]) lanes.push("b", piece);
  await turn();
  expect(log).toEqual(["a a1", "a a2", "b b1"]);
  expect([lanes.waitingIn("a"), lanes.waitingIn("b"), lanes.waitingIn("c")]).toEqual([1, 1, 0]);
});

test("a carrier takes the next piece of its lane, and ends for other lanes when there is none", async () => {
  const { lanes, log, finish } = openLanes();
  for (const piece of ["a1", "a2", "a3"]) lanes.push("a", piece);
  for (const piece of ["b1", "b2"]) lanes.push("b", piece);
  await turn();
  await finish("a1");
  expect(log.at(-1)).toBe("a a3");
  await finish("a2");
  expect(log.at(-1)).toBe("b b2");
});

test("a carrier ends after many pieces when another lane has no carrier", async () => {
  const { lanes, log, finish } = openLanes({ carriersPerLane: 1, carriers: 1 });
  for (let n = 0; n < 30; n++) lanes.push("a", `a${n}`);
  lanes.push("b", "b0");
  for (let n = 0; n < 20; n++) await finish(`a${n}`);
  expect(log.slice(-2)).toEqual(["a a19", "b b0"]);
  await finish("b0");
  expect(log.at(-1)).toBe("a a20");
});

test("drained pieces are not started", async () => {
  const { lanes, log, finish } = openLanes();
  for (const piece of ["a1", "a2", "a3", "a4"]) lanes.push("a", piece);
  await turn();
  expect(lanes.drain()).toEqual(["a3", "a4"]);
  const still = lanes.whenStill();
  await finish("a1");
  await finish("a2");
  await still;
  expect(log).toEqual(["a a1", "a a2"]);
});

test("one owner does not have all carriers, and its pieces in a lane take turns with those of others", async () => {
  const { lanes, log, finish } = openLanes({ carriersPerLane: 2, carriers: 4, share: 2 });
  for (const lane of ["a", "b", "c"]) lanes.push(lane, `${lane}1 greedy`);
  await turn();
  expect(log).toEqual(["a a1 greedy", "b b1 greedy"]);
  lanes.push("d", "d1 quiet");
  lanes.push("a", "a2 greedy");
  lanes.push("a", "a3 greedy");
  lanes.push("a", "a4 quiet");
  await turn();
  expect(log.slice(2)).toEqual(["d d1 quiet", "a a4 quiet"]);
  await finish("d1 quiet");
  // The carrier of the quiet one's connection goes on with nothing of an owner that has its share.
  await finish("a4 quiet");
  expect(log.slice(4)).toEqual([]);
  await finish("b1 greedy");
  expect(log.slice(4)).toEqual(["c c1 greedy"]);
});

test("an open connection carries the next piece of another owner, and counts for that owner", async () => {
  const { lanes, log, finish, gate } = openLanes({ carriersPerLane: 1, carriers: 1, waitMs: 60_000 });
  lanes.push("a", "a1 one");
  await finish("a1 one");
  lanes.push("a", "a2 two");
  await turn();
  expect(log).toEqual(["a a1 one", "a a2 two"]);
  expect([gate.takenBy({ key: "one" }), gate.takenBy({ key: "two" })]).toEqual([0, 1]);
  lanes.drain();
});

test("a carrier that has lost its place takes no further piece", async () => {
  const { lanes, log, finish, places } = openLanes({ carriersPerLane: 1, carriers: 2 });
  for (const piece of ["a1 greedy", "a2 greedy"]) lanes.push("a", piece);
  lanes.push("b", "b1 greedy");
  await turn();
  const taken: string[] = [];
  for (const [piece, place] of places) place.giveWay(() => taken.push(piece));
  lanes.push("c", "c1 quiet");
  await turn();
  expect(taken).toEqual(["a1 greedy"]);
  expect(log.at(-1)).toBe("c c1 quiet");
  await finish("a1 greedy");
  expect(log.at(-1)).toBe("c c1 quiet");
  await finish("c1 quiet");
  expect(log.at(-1)).toBe("a a2 greedy");
});

test("a deferred recipient is tried again at longer intervals, and fails when the mail expires", () => {
  const outcome = { number: 1, state: "deferred" as const, status: "4.2.1", isReportedThere: false };
  const day = 86_400_000;
  const settle = (attemptCount: number, now: number, random: number) =>
    settleOutcomes(
      {
        expiresAt: 5 * day,
        recipients: [
          { number: 1, address: "a@b.c", notify: [], orcpt: null, attemptCount, delayToldAt: null },
        ],
      },
      [outcome],
      now,
      () => random,
    )[0]!;
  expect([0, 1, 2, 3, 7, 50].map((count) => settle(count, 0, 0.5).retryAt! / 60_000)).toEqual([
    1, 2, 4, 8, 120, 120,
  ]);
  expect([0, 0.5, 0.999].map((random) => Math.round(settle(7, 0, random).retryAt! / 60_000))).toEqual([
    90, 120, 150,
  ]);
  expect(settle(7, 5 * day - 1000, 0.5).retryAt).toBe(5 * day);
  expect(settle(7, 5 * day, 0.5)).toMatchObject({ state: "failed", status: "4.4.7" });
});
