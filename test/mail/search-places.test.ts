import { expect, it } from "vitest";
import { createFairness } from "#/src/fairness/fairness.ts";
import { createSearchPlaces } from "#/src/mail/search/search-places.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { mailboxOwner } from "#/src/model/owner.ts";
import { WorkBudget } from "#/src/model/work-budget.ts";

const ada = 1;
const bob = 2;
const limits = { bytesMax: 100, timeMs: 1000 };

/** Places of which each owner has so many. */
function openPlaces(share: number) {
  const places = createSearchPlaces(createFairness().gate("searches", { share }), limits);
  return {
    take: (agent: number, signal = new AbortController().signal) =>
      forCaller(
        signal,
        () => places.take(),
        () => mailboxOwner({ agent: agent as AgentNumber, account: agent as AccountNumber }),
      ),
  };
}

it("counts octets, and time from the first octets on", () => {
  let now = 0;
  const budget = new WorkBudget(limits, () => now);
  now = 5000;
  expect(budget.isSpent).toBe(false);
  budget.spend(60);
  now = 5999;
  expect(budget.isSpent).toBe(false);
  budget.spend(39);
  expect(budget.isSpent).toBe(false);
  budget.spend(1);
  expect(budget.isSpent).toBe(true);
  const slow = new WorkBudget(limits, () => now);
  slow.spend(1);
  now += 1000;
  expect(slow.isSpent).toBe(true);
});

it("lets a limited number of one owner's searches work at a time; the others wait in their order", async () => {
  const places = openPlaces(2);
  const order: string[] = [];
  const first = await places.take(ada);
  const second = await places.take(ada);
  const third = places.take(ada).then((place) => {
    order.push("third");
    return place;
  });
  const fourth = places.take(ada).then((place) => {
    order.push("fourth");
    return place;
  });
  using _other = await places.take(bob);
  expect(order).toEqual([]);
  second[Symbol.dispose]();
  second[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  await fourth;
  expect(order).toEqual(["third", "fourth"]);
  first[Symbol.dispose]();
});

it("lets waiting searches go first when its budget is spent, and continues with a new budget", async () => {
  const places = openPlaces(1);
  using place = await places.take(ada);
  const order: string[] = [];
  const waiting = places.take(ada).then((other) => {
    order.push("other");
    other[Symbol.dispose]();
  });
  place.budget.spend(99);
  await place.giveWayIfSpent();
  expect(order).toEqual([]);
  place.budget.spend(1);
  await place.giveWayIfSpent();
  order.push("again");
  await waiting;
  expect(order).toEqual(["other", "again"]);
  expect(place.budget.isSpent).toBe(false);
});

it("forgets a search whose caller has gone while it waited", async () => {
  const places = openPlaces(1);
  const place = await places.take(ada);
  const gone = new AbortController();
  const waiting = places.take(ada, gone.signal);
  const behind = places.take(ada);
  gone.abort(new CallerGone());
  await expect(waiting).rejects.toBeInstanceOf(CallerGone);
  place[Symbol.dispose]();
  (await behind)[Symbol.dispose]();
  (await places.take(ada))[Symbol.dispose]();
});
