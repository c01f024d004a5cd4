import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Gate, type GateOptions, type Place } from "#/src/fairness/gate.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { houseOwner, type Owner } from "#/src/model/owner.ts";

const a: Owner = { key: "a" };
const b: Owner = { key: "b" };
const c: Owner = { key: "c" };
const waiting = { total: 4, share: 2, waitMs: 60_000 };

function gateOf(options: Partial<GateOptions> = {}): Gate {
  return new Gate({ what: "jobs", total: 4, share: 2, ...options });
}

function enter(gate: Gate, owner: Owner, amount = 1): Place {
  const place = gate.tryEnter(owner, amount);
  if (typeof place === "string") throw new Error(place);
  return place;
}

/** Settled promises have had their turn. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

afterEach(() => {
  vi.useRealTimers();
});

describe("a place", () => {
  it("is refused to an owner that has its share, and to all when the total is in use", () => {
    const gate = gateOf({ total: 3 });
    const first = enter(gate, a);
    enter(gate, a);
    expect(gate.tryEnter(a)).toBe("share");
    enter(gate, b);
    expect(gate.tryEnter(b)).toBe("total");
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    enter(gate, c);
    expect(gate.tryEnter(c)).toBe("total");
  });

  it("is refused to a mailbox whose account has its share", () => {
    const gate = gateOf({ accountShare: 2 });
    enter(gate, { key: "1", above: "x" });
    enter(gate, { key: "2", above: "x" });
    expect(gate.tryEnter({ key: "3", above: "x" })).toBe("account");
    enter(gate, { key: "4", above: "y" });
  });

  it("grows and shrinks within the share, and may be larger than the share if it is the owner's only one", () => {
    const gate = gateOf({ total: 100, share: 10 });
    const place = enter(gate, a, 20);
    expect(place.grow(1)).toBe("share");
    place.shrink(15);
    expect(place.grow(5)).toBe(undefined);
    expect(gate.taken).toBe(10);
    expect(place.amount).toBe(10);
  });

  it("in the spare part of the total is for owners that have little", () => {
    const gate = gateOf({ total: 100, share: 100, spare: { amount: 20, upTo: 10 } });
    enter(gate, a, 75);
    expect(gate.tryEnter(b, 11)).toBe("total");
    expect(gate.tryEnter(a, 6)).toBe("total");
    const place = enter(gate, b, 10);
    expect(place.grow(1)).toBe("total");
  });

  it("moves to another owner, unless that owner has its share", () => {
    const gate = gateOf({ share: 1 });
    const place = enter(gate, a);
    enter(gate, b);
    expect(place.moveTo(b)).toBe("share");
    expect(gate.takenBy(a)).toBe(1);
    expect(place.moveTo(c)).toBe(undefined);
    enter(gate, a);
  });

  it("of the house counts for the total alone", () => {
    const gate = gateOf({ total: 3, share: 1 });
    for (let count = 0; count < 3; count++) enter(gate, houseOwner);
    expect(gate.tryEnter(houseOwner)).toBe("total");
  });
});

describe("when all is in use", () => {
  it("the oldest place of the owner that has the most gives way", () => {
    const gate = gateOf({ total: 5, share: 3 });
    const gone: string[] = [];
    const open = (owner: Owner, name: string): Place => {
      const place = enter(gate, owner);
      place.giveWay(() => gone.push(name));
      return place;
    };
    open(b, "b1");
    open(a, "a1");
    open(a, "a2");
    open(a, "a3");
    open(b, "b2");
    enter(gate, c);
    expect(gone).toEqual(["a1"]);
    expect(gate.tryEnter(c)).toBe("total");
    enter(gate, { key: "d" });
    expect(gone).toEqual(["a1", "b1"]);
    expect(gate.taken).toBe(5);
  });

  it("a busy place does not give way, nor does a place of an owner that has no more than the new one", () => {
    const gate = gateOf({ total: 2, share: 2 });
    const busy = enter(gate, a);
    busy.giveWay(() => {});
    busy.giveWay(undefined);
    enter(gate, a).giveWay(undefined);
    expect(gate.tryEnter(b)).toBe("total");
    const equal = gateOf({ total: 1 });
    enter(equal, a).giveWay(() => {});
    expect(equal.tryEnter(b)).toBe("total");
  });

  it("a long idle place gives way to an owner that has as many", () => {
    let now = 0;
    const gate = gateOf({ total: 1, idleMs: 10, now: () => now });
    let isGone = false;
    enter(gate, a).giveWay(() => {
      isGone = true;
    });
    now = 9;
    expect(gate.tryEnter(b)).toBe("total");
    now = 10;
    enter(gate, b);
    expect(isGone).toBe(true);
  });

  it("a large place gives way to a small one, and not to one as large", () => {
    const gate = gateOf({ total: 100, share: 100 });
    let isGone = false;
    enter(gate, a, 90).giveWay(() => {
      isGone = true;
    });
    expect(gate.tryEnter(b, 80)).toBe("total");
    enter(gate, b, 20);
    expect(isGone).toBe(true);
    expect(gate.taken).toBe(20);
  });

  it("no place gives way when that would not be enough", () => {
    const gate = gateOf({ total: 100, share: 100 });
    enter(gate, a, 60);
    const place = enter(gate, a, 40);
    place.giveWay(() => {});
    expect(gate.tryEnter(b, 50)).toBe("total");
    expect(place.amount).toBe(40);
  });
});

describe("who waits", () => {
  it("goes in turns of the owners when a place is given back", async () => {
    const gate = gateOf({ total: 1, share: 1, waiting });
    const first = await gate.enter(a);
    const order: string[] = [];
    const wait = async (owner: Owner, name: string): Promise<void> => {
      using _place = await gate.enter(owner);
      order.push(name);
    };
    const all = [wait(a, "a1"), wait(a, "a2"), wait(b, "b1")];
    first[Symbol.dispose]();
    await Promise.all(all);
    expect(order).toEqual(["a1", "b1", "a2"]);
    expect(gate.taken).toBe(0);
  });

  it("passes a large request, if it is small and there is a spare part", async () => {
    const gate = gateOf({ total: 100, share: 100, waiting, spare: { amount: 20, upTo: 10 } });
    const first = await gate.enter(a, 80);
    const large = gate.enter(b, 50);
    const small = await gate.enter(c, 10);
    const smaller = await gate.enter({ key: "d" }, 5);
    const other = gate.enter({ key: "d" }, 4);
    const last = gate.enter(c, 50);
    expect(gate.waiting).toBe(2);
    expect((await other).amount).toBe(4);
    first[Symbol.dispose]();
    expect((await large).amount).toBe(50);
    small[Symbol.dispose]();
    smaller[Symbol.dispose]();
    (await large)[Symbol.dispose]();
    expect((await last).amount).toBe(50);
  });

  it("passes an owner that has its share", async () => {
    const gate = gateOf({ total: 3, share: 1, waiting });
    const first = await gate.enter(a);
    const second = gate.enter(a);
    const place = await gate.enter(b);
    expect(place.owner).toBe(b);
    first[Symbol.dispose]();
    expect((await second).owner).toBe(a);
  });

  it("is refused at the deadline, with the reason: the own share or the total", async () => {
    vi.useFakeTimers();
    const gate = gateOf({ total: 2, share: 1, waiting: { ...waiting, waitMs: 1000 } });
    enter(gate, a);
    enter(gate, b);
    const own = expect(gate.enter(a)).rejects.toMatchObject({ code: "rate_limited" });
    const all = expect(gate.enter(c)).rejects.toMatchObject({
      code: "upstream_unavailable",
      details: { reason: "busy", retryAfterMs: 1000 },
    });
    await vi.advanceTimersByTimeAsync(1000);
    await own;
    await all;
    expect(gate.waiting).toBe(0);
  });

  it("is refused beyond its share of the queue; when the queue is full, the owner with the most is refused", async () => {
    const gate = gateOf({ total: 1, share: 1, waiting: { total: 3, share: 2, waitMs: 60_000 } });
    const place = enter(gate, houseOwner);
    const taken: string[] = [];
    const wait = async (owner: Owner, name: string): Promise<void> => {
      using _place = await gate.enter(owner);
      taken.push(name);
    };
    const [first, second, third] = [wait(a, "a1"), wait(a, "a2"), wait(a, "a3")];
    await expect(third).rejects.toMatchObject({ code: "upstream_unavailable" });
    const others = [wait(b, "b1"), wait(c, "c1")];
    await expect(second).rejects.toMatchObject({ code: "upstream_unavailable" });
    place[Symbol.dispose]();
    await Promise.all([first, ...others]);
    expect(taken).toEqual(["a1", "b1", "c1"]);
  });

  it("leaves the queue when the caller goes", async () => {
    const gate = gateOf({ total: 1, waiting });
    const place = enter(gate, a);
    const gone = new AbortController();
    const waits = forCaller(gone.signal, () => gate.enter(b));
    await turn();
    gone.abort(new CallerGone());
    await expect(waits).rejects.toBeInstanceOf(CallerGone);
    place[Symbol.dispose]();
    expect(gate.taken).toBe(0);
  });

  it("counts for the caller where no owner is named", async () => {
    const gate = gateOf({ waiting });
    const place = await forCaller(
      new AbortController().signal,
      () => gate.enter(),
      () => b,
    );
    expect(place.owner).toBe(b);
    expect((await gate.enter()).owner).toBe(houseOwner);
  });
});

it("reports each refusal, and each owner that had to give way", () => {
  const told: string[] = [];
  const gate = gateOf({ total: 3, share: 2, note: ({ key }, reason) => told.push(`${key} ${reason}`) });
  const [place] = [enter(gate, a), enter(gate, a)];
  gate.tryEnter(a);
  enter(gate, b);
  gate.tryEnter(c);
  place!.giveWay(() => {});
  enter(gate, c);
  expect(told).toEqual(["a share", "c total", "a gave_way"]);
});

it("counts what is held, whatever comes and goes", () => {
  const owners: readonly Owner[] = [a, b, { key: "1", above: "x" }, { key: "2", above: "x" }];
  const action = fc.record({
    kind: fc.constantFrom("enter", "leave", "grow", "shrink", "move", "yield", "busy"),
    owner: fc.integer({ min: 0, max: 3 }),
    at: fc.nat(20),
    amount: fc.integer({ min: 0, max: 6 }),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const gate = gateOf({ total: 12, share: 7, accountShare: 9 });
      const held = new Set<Place>();
      for (const { kind, owner, at, amount } of actions) {
        const place = [...held][at % Math.max(1, held.size)];
        if (kind === "enter") {
          const entered = gate.tryEnter(owners[owner]!, amount);
          if (typeof entered !== "string") held.add(entered);
        } else if (place === undefined) continue;
        else if (kind === "leave") {
          place[Symbol.dispose]();
          held.delete(place);
        } else if (kind === "grow") place.grow(amount);
        else if (kind === "shrink") place.shrink(amount);
        else if (kind === "move") place.moveTo(owners[owner]!);
        else place.giveWay(kind === "busy" ? undefined : () => held.delete(place));
        const sum = (places: readonly Place[]) => places.reduce((all, one) => all + one.amount, 0);
        expect(gate.taken).toBe(sum([...held]));
        expect(gate.taken).toBeLessThanOrEqual(12);
        for (const one of owners)
          expect(gate.takenBy(one)).toBe(sum([...held].filter((place) => place.owner.key === one.key)));
      }
    }),
  );
});
