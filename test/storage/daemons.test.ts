/** How several daemons on one store divide shared work. The store's part is the same on both engines. */

import { describe, expect, it, vi } from "vitest";
import { type Author, nobody } from "#/src/model/author.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { LeaseKeeper } from "#/storage/leasing/lease-keeper.ts";
import { type LeaseTimes, leaseNames } from "#/storage/leasing/leases.ts";
import { listDue } from "#/storage/queries/outbound/submissions.ts";
import type { ArgumentsOf, ExactArguments, ResultOf, Store, TransactionName } from "#/storage/store.ts";
import { append } from "../support/delivery.ts";
import { openTestStore, type Seed, seedAgent } from "../support/store.ts";
import { envelopeTo, submission } from "../support/submission.ts";

describe("leases", () => {
  it("belong to one daemon until it stops, and then to another daemon at its next sign of life", async () => {
    await using test = await openTestStore({ isOnlooker: true });
    const { store } = test;
    const look = (daemon: string, beat: number) =>
      store.write(nobody, "keepLeases", { daemon, beat, wants: ["holds", "webhooks"], gone: [] });
    expect(await look("a", 1)).toMatchObject({ isNew: true, held: ["holds", "webhooks"] });
    expect(await look("b", 1)).toMatchObject({ isNew: true, held: [] });
    expect(await look("a", 2)).toMatchObject({ isNew: false, held: ["holds", "webhooks"] });
    await store.write(nobody, "dropLeases", { daemon: "a" });
    expect(await look("b", 2)).toMatchObject({ isNew: false, held: ["holds", "webhooks"] });
  });

  it("of a daemon that is considered dead are free, unless it gave a sign of life meanwhile", async () => {
    await using test = await openTestStore({ isOnlooker: true });
    const { store } = test;
    const look = (daemon: string, beat: number, gone: readonly { daemon: string; beat: number }[] = []) =>
      store.write(nobody, "keepLeases", { daemon, beat, wants: ["holds"], gone });
    await look("a", 1);
    const { daemons } = await look("b", 1);
    const seen = daemons.filter(({ daemon }) => daemon === "a");
    expect(seen).toEqual([{ daemon: "a", beat: 1 }]);
    await look("a", 2);
    expect(await look("b", 2, seen)).toMatchObject({ held: [] });
    expect(await look("b", 3, [{ daemon: "a", beat: 2 }])).toMatchObject({
      held: ["holds"],
    });
    expect(await look("a", 3)).toMatchObject({ isNew: true, held: [] });
  });

  it("are taken over from a daemon without connection to the store, which has given them up before", async () => {
    await using test = await openTestStore({ isOnlooker: true });
    const { times, ticking } = ticks({ lookMs: 5, gapMs: 2000, trustMs: 100, deadMs: 300 });
    const a = cutOff(test.store);
    const events: string[] = [];
    const gone = vi.fn();
    const first = new LeaseKeeper(a.store, () => {}, times);
    await first.start();
    const second = new LeaseKeeper(ticking(test.store), gone, times);
    await second.start();
    expect(leaseNames.every((name) => first.isHeld(name) && !second.isHeld(name))).toBe(true);
    first.onChange(() => !first.isHeld("holds") && events.push("lost"));
    second.onChange(() => second.isHeld("holds") && events.push("won"));
    a.cut();
    await vi.waitUntil(() => events.includes("won"), { timeout: 60_000, interval: 5 });
    expect(events).toEqual(["lost", "won"]);
    expect(gone).toHaveBeenCalledOnce();
    expect([first.isAlive(), first.term]).toEqual([false, 0]);
    a.mend();
    await vi.waitUntil(() => first.isAlive(), { timeout: 60_000, interval: 5 });
    // What it had before is not its own any more.
    expect([first.term, first.isHeld("holds")]).toEqual([1, false]);
    await second.stop();
    await vi.waitUntil(() => first.isHeld("holds"), { timeout: 60_000, interval: 5 });
    await first.stop();
    expect(await test.store.all("select * from daemon")).toEqual([]);
  });

  it("stay with their daemons when the store was unreachable for all", async () => {
    await using test = await openTestStore({ isOnlooker: true });
    const { times, ticking } = ticks({ lookMs: 5, gapMs: 60, trustMs: 100, deadMs: 150 });
    const both = cutOff(test.store);
    const store = ticking(both.store);
    const first = new LeaseKeeper(store, () => {}, times);
    const second = new LeaseKeeper(store, () => {}, times);
    await first.start();
    await second.start();
    both.cut();
    await vi.waitUntil(() => both.refused() > 100, { timeout: 60_000, interval: 5 });
    expect(first.isAlive()).toBe(false);
    both.mend();
    await vi.waitUntil(() => first.isAlive() && second.isAlive(), { timeout: 60_000, interval: 5 });
    expect([first.term, first.isHeld("holds"), second.isHeld("holds")]).toEqual([0, true, false]);
    await first.stop();
    await second.stop();
  });
});

describe("mail that is due", () => {
  it("is claimed by one daemon, until it reports or releases it or is considered dead", async () => {
    await using test = await openTestStore();
    const { store } = test;
    const ada = await seedAgent(store);
    const envelope = envelopeTo("mel@far.example", "kit@else.example");
    const { submission: number } = await store.write(
      nobody,
      "submitMessage",
      await submission(store, ada, { envelope }),
    );
    for (const daemon of ["a", "b"])
      await store.write(nobody, "keepLeases", { daemon, beat: 1, wants: [], gone: [] });
    const [far, other] = ["far.example", "else.example"].map((domain) => ({
      agent: ada.agent,
      submission: number!,
      domain,
    }));
    const claim = (daemon: string) =>
      store.write(nobody, "claimDeliveries", { daemon, deliveries: [far!, other!] });
    const dueOf = async (daemon: string) =>
      (await listDue(store, { now: store.clock.now(), limit: 9, after: undefined, daemon })).map(
        ({ domain }) => domain,
      );
    expect(await claim("a")).toHaveLength(2);
    expect(await claim("a")).toHaveLength(2);
    expect(await claim("b")).toEqual([]);
    expect([await dueOf("a"), await dueOf("b")]).toEqual([["else.example", "far.example"], []]);
    await store.write(nobody, "releaseDeliveries", { daemon: "b", deliveries: [far!] });
    await store.write(nobody, "releaseDeliveries", { daemon: "a", deliveries: [other!] });
    expect(await claim("b")).toEqual([other]);
    await report(store, ada, number!, { daemon: "a", domain: "far.example" });
    expect(await claim("b")).toHaveLength(2);
    await store.write(nobody, "keepLeases", {
      daemon: "a",
      beat: 2,
      wants: [],
      gone: [{ daemon: "b", beat: 1 }],
    });
    await expect(claim("b")).rejects.toMatchObject({ code: "precondition_failed" });
    expect(await claim("a")).toHaveLength(2);
  });
});

it("does not continue a copy that another daemon has undone", async () => {
  await using test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store);
  await append(store, ada, 4);
  const { mailbox: target } = await store.write(nobody, "createMailbox", {
    agent: ada.agent,
    name: "Target",
    at: 0,
  });
  const copy = (uids: readonly (readonly [number, number])[], begun: Modseq | undefined, isLast: boolean) =>
    store.write(nobody, "copyMessages", {
      actor: nobody,
      agent: ada.agent,
      source: ada.inbox,
      target,
      uids,
      part: { copy: begun, isLast, daemon: "gone" },
      at: 0,
    });
  const first = await copy([[1, 2]], undefined, false);
  while (!(await store.write(nobody, "undoCopy", { agent: ada.agent, copy: first.copy!, at: 0 })).isDone);
  await expect(copy([[3, 4]], first.copy, true)).rejects.toMatchObject({ code: "precondition_failed" });
  expect(await store.all("select * from entry where mailbox_id = ?", target)).toEqual([]);
});

type Leasing = Pick<Store, "write" | "whenReady">;

/** Times by a clock that goes on by some milliseconds with each heartbeat that is tried, however busy the machine is. */
function ticks(times: Omit<LeaseTimes, "now">) {
  let now = 0;
  return {
    times: { ...times, now: () => now },
    ticking: (store: Leasing): Leasing => ({
      write(by, name, args) {
        now += times.lookMs;
        return store.write(by, name, args);
      },
      whenReady: () => store.whenReady(),
    }),
  };
}

/** A store that can be out of reach for some of those who have it. */
function cutOff(store: Leasing) {
  let isCut = false;
  let refusedCount = 0;
  function write<N extends TransactionName, A extends ArgumentsOf<N>>(
    by: Author,
    name: N,
    args: ExactArguments<N, A>,
  ): Promise<ResultOf<N>> {
    if (!isCut) return store.write(by, name, args);
    refusedCount++;
    return Promise.reject(new Error("cut off"));
  }
  return {
    store: { write, whenReady: () => store.whenReady() },
    cut() {
      isCut = true;
    },
    mend() {
      isCut = false;
    },
    refused: () => refusedCount,
  };
}

async function report(
  store: Store,
  { agent }: Seed,
  number: number,
  claim: { readonly daemon: string; readonly domain: string },
): Promise<void> {
  await store.write(nobody, "reportDelivery", {
    agent,
    submission: number,
    outcomes: [],
    isDelayTold: false,
    letters: [],
    claim,
    breaker: null,
    at: store.clock.now(),
  });
}
