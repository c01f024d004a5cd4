import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createEventReader, type EventFilter } from "#/src/feed/events.ts";
import { createFeed, type Feed } from "#/src/feed/feed.ts";
import { nobody } from "#/src/model/author.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { append, deliver } from "../support/delivery.ts";
import { openTestStore, type Seed, seedAgent, type TestStore } from "../support/store.ts";
import { envelopeTo, outcome, submission } from "../support/submission.ts";

const all = { isVisible: () => true };

let opened: TestStore;
let feed: Feed;
let ada: Seed;
let bob: Seed;
beforeEach(async () => {
  opened = await openTestStore();
  feed = createFeed(opened.store);
  ada = await seedAgent(opened.store, "ada");
  bob = await seedAgent(opened.store, "bob");
});
afterEach(() => opened[Symbol.asyncDispose]());

describe("the doorbell", () => {
  it("rings for each listener of an agent that a commit touched, until the listener stops", async () => {
    let rings = 0;
    const ring = (): void => void rings++;
    const stops = [feed.subscribe(ada.agent, ring), feed.subscribe(ada.agent, ring)];
    await deliver(opened.store, [bob]);
    expect(rings).toBe(0);
    await deliver(opened.store, [ada]);
    expect(rings).toBe(2);
    stops[0]!();
    stops[0]!();
    await deliver(opened.store, [ada]);
    expect(rings).toBe(3);
    stops[1]!();
    await deliver(opened.store, [ada]);
    expect(rings).toBe(3);
  });

  it("rings when the change can be read", async () => {
    const before = await feed.position(ada.agent);
    const rung = new Promise<void>((resolve) => feed.subscribe(ada.agent, resolve));
    void deliver(opened.store, [ada]);
    await rung;
    const { changes, upTo } = await feed.readChanges(ada.agent, before);
    expect(changes.map((change) => change.kind)).toContain("event");
    expect(upTo).toBe(await feed.position(ada.agent));
  });
});

describe("a type of event that is added", () => {
  it("reaches only those who name it, unless its declaration says that it is sent unasked", async () => {
    const typesOf = async (unasked: readonly string[], filter: EventFilter) => {
      const reader = createEventReader(opened.store.ids, feed, new Set(unasked));
      const start = new Map([[ada.agent, { modseq: 0 as Modseq }]]);
      const { events } = await reader.read(ada.agent, start, [ada.agent], filter);
      return events.map(({ type }) => type);
    };
    await deliver(opened.store, [ada]);
    expect(await typesOf(["mail.sent"], all)).toEqual([]);
    expect(await typesOf(["mail.sent"], { ...all, types: new Set(["mail.received"]) })).toEqual([
      "mail.received",
    ]);
    expect(await typesOf(["mail.received"], all)).toEqual(["mail.received"]);
  });
});

describe("the log", () => {
  it("is read again for a reader that knows a later commit than the last ring", async () => {
    // Commits whose doorbell is still under way.
    const { store } = opened;
    const deaf = createFeed({
      ...store,
      key: store.key.bind(store),
      get: store.get.bind(store),
      all: store.all.bind(store),
      onCommit: () => () => {},
    });
    deaf.subscribe(ada.agent, () => {});
    const before = await deaf.position(ada.agent);
    expect(await deaf.readChanges(ada.agent, before, 10)).toMatchObject({ changes: [] });
    await deliver(opened.store, [ada]);
    const seen = await deaf.position(ada.agent);
    expect(await deaf.readChanges(ada.agent, before, 10, seen)).toMatchObject({ upTo: seen });
  });

  it("is read in whole transactions, however small the limit", async () => {
    const before = await feed.position(ada.agent);
    for (let index = 0; index < 5; index++) await deliver(opened.store, [ada]);
    const all = await feed.readChanges(ada.agent, before);
    expect(all.upTo).toBe(await feed.position(ada.agent));
    for (const limit of [1, 2, 3, 4, 7]) {
      const read = [];
      let at: Modseq = before;
      for (;;) {
        const page = await feed.readChanges(ada.agent, at, limit);
        read.push(...page.changes);
        at = page.upTo;
        if (page.upTo === page.end) break;
        expect(page.changes.at(-1)!.modseq).toBe(page.upTo);
      }
      expect(read).toEqual(all.changes);
    }
  });

  it("says when the next changes have been pruned", async () => {
    const before = await feed.position(ada.agent);
    await deliver(opened.store, [ada]);
    opened.clock.advance(100 * 86_400_000);
    await deliver(opened.store, [ada]);
    expect((await feed.readChanges(ada.agent, before)).isBelowFloor).toBe(false);
    const positions = await feed.events.tail([ada.agent]);
    const old = feed.events.seal(ada.agent, new Map([[ada.agent, { modseq: before }]]));
    await opened.store.maintain({ changesMs: 90 * 86_400_000 });
    expect((await feed.readChanges(ada.agent, before)).isBelowFloor).toBe(true);
    await expect(
      feed.events.read(ada.agent, feed.events.open(ada.agent, old), [ada.agent], all),
    ).rejects.toMatchObject({ code: "invalid", details: { reason: "expired_cursor", field: "/cursor" } });
    expect((await feed.events.read(ada.agent, positions, [ada.agent], all)).events).toEqual([]);
  });
});

describe("events", () => {
  it("are read once from each cursor between them, over several mailboxes and other changes", async () => {
    const owner = ada.agent;
    const agents = [ada.agent, bob.agent];
    const start = await feed.events.tail(agents);
    for (let index = 0; index < 12; index++) {
      await deliver(opened.store, index % 4 === 0 ? [ada, bob] : [index % 3 === 0 ? bob : ada]);
      await append(opened.store, ada);
      opened.clock.advance(1000);
    }
    const { events } = await feed.events.read(owner, start, agents, all);
    expect(events).toHaveLength(15);
    expect(events.map((event) => event.at)).toEqual(events.map((event) => event.at).toSorted());
    for (const [index, event] of events.entries()) {
      const from = feed.events.open(owner, event.cursor);
      const rest = await feed.events.read(owner, from, agents, all);
      expect(rest.events).toEqual(events.slice(index + 1));
    }
  });

  it("of one large transaction are read a page at a time, each once", async () => {
    const { agent } = ada;
    const { store } = opened;
    const addresses = Array.from({ length: 600 }, (_, n) => `r${n}@far.example`);
    const made = await store.write(
      nobody,
      "submitMessage",
      await submission(store, ada, { envelope: envelopeTo(...addresses) }),
    );
    let positions = await feed.events.tail([agent]);
    await store.write(nobody, "reportDelivery", {
      agent,
      submission: made.submission!,
      outcomes: addresses.map((_, index) => outcome(index + 1, "delivered")),
      isDelayTold: false,
      letters: [],
      breaker: null,
      at: store.clock.now(),
    });
    const told: string[] = [];
    for (let hasMore = true; hasMore; ) {
      const page = await feed.events.read(agent, positions, [agent], all);
      expect(page.events.length).toBeLessThanOrEqual(250);
      told.push(...page.events.map(({ type, recipient }) => `${type} ${recipient}`));
      const last = page.events.at(-1);
      if (last !== undefined) {
        const from = feed.events.open(agent, last.cursor);
        const [next, same] = await Promise.all(
          [from, page.positions].map((place) => feed.events.read(agent, place, [agent], all)),
        );
        expect(next).toEqual(same);
      }
      ({ positions, hasMore } = page);
    }
    expect(told).toEqual(
      addresses.flatMap((address) => [`mail.sent ${address}`, `mail.delivered ${address}`]),
    );
    expect(positions).toEqual(await feed.events.tail([agent]));
  });

  it("have the same cursor for the same position, which shows no number to its readers", async () => {
    const positions = await feed.events.tail([ada.agent]);
    const cursor = feed.events.seal(ada.agent, positions);
    expect(feed.events.seal(ada.agent, positions)).toBe(cursor);
    expect(feed.events.open(ada.agent, cursor)).toEqual(positions);
    expect(Buffer.from(cursor, "base64url").toString("latin1")).not.toContain(`[${ada.agent},`);
    expect(() => feed.events.open(bob.agent, cursor)).toThrow("not one that this deployment gave");
  });

  it("have a cursor that stays valid after their row is pruned, when no change is missed", async () => {
    const start = await feed.events.tail([ada.agent]);
    await deliver(opened.store, [ada]);
    const [event] = (await feed.events.read(ada.agent, start, [ada.agent], all)).events;
    opened.clock.advance(10_000);
    await opened.store.maintain({ changesMs: 1000 });
    const from = feed.events.open(ada.agent, event!.cursor);
    expect((await feed.events.read(ada.agent, from, [ada.agent], all)).events).toEqual([]);
    await deliver(opened.store, [ada]);
    expect((await feed.events.read(ada.agent, from, [ada.agent], all)).events).toHaveLength(1);
  });

  it("are refused for a cursor beyond the end of the log, as after a restored backup", async () => {
    const modseq = ((await feed.position(ada.agent)) + 1) as Modseq;
    await expect(
      feed.events.read(ada.agent, new Map([[ada.agent, { modseq }]]), [ada.agent], all),
    ).rejects.toMatchObject({ code: "invalid", details: { reason: "expired_cursor" } });
  });

  it("have a cursor that is refused when one bit is changed", async () => {
    const cursor = feed.events.seal(ada.agent, await feed.events.tail([ada.agent, bob.agent]));
    const sealed = Buffer.from(cursor, "base64url");
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => feed.events.open(ada.agent, changed.toString("base64url"))).toThrow();
    }
    for (const text of ["", "A", `${cursor}A`, cursor.slice(1), `${cursor}=`, "a".repeat(30_000)])
      expect(() => feed.events.open(ada.agent, text)).toThrow();
    expect(feed.seal("other").open(cursor)).toBeUndefined();
  });
});
