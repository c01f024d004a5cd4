/** A client follows the changes of a collection, as sync-collection does (RFC 6578). */

import { expect, it } from "vitest";
import type { ItemAction } from "#/src/collections/collections.ts";
import { itemSegment } from "#/src/collections/rows.ts";
import { nobody } from "#/src/model/author.ts";
import type { CollectionNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import { byDav, eventText, gather, type ItemHouse, openItemHouse, putEvent } from "../support/items.ts";
import { type RandomSource, randomSource } from "../support/random.ts";

/** What a client holds of one collection: hrefs, with the version that it last got. */
class Follower {
  readonly held = new Map<string, string>();
  readonly #house: ItemHouse;
  readonly #collection: CollectionNumber;
  #since = 0 as Modseq;
  #told: number | undefined;

  constructor(house: ItemHouse, collection: CollectionNumber) {
    this.#house = house;
    this.#collection = collection;
  }

  /** One page. False when it was the last. */
  async follow(limit: number): Promise<boolean> {
    const { collections, ada } = this.#house;
    const page = await collections.listItemChanges(
      ada.agent,
      this.#collection,
      this.#since,
      limit,
      this.#told,
    );
    expect(page).toBeDefined();
    const { changes, modseq, told, hasMore } = page!;
    expect(changes.length).toBeLessThanOrEqual(limit);
    const items = await collections.findItems(
      ada.agent,
      changes.map(({ item }) => item),
    );
    const hrefs = new Set<string>();
    for (const [at, { item, operation, segment }] of changes.entries()) {
      const named = { agent: ada.agent, number: item, kind: "calendar", segment } as const;
      const found = items[at];
      const href = itemSegment(collections.ids, operation === "removed" ? named : found!);
      // One answer for each href.
      expect(hrefs.has(href)).toBe(false);
      hrefs.add(href);
      if (operation === "removed") this.held.delete(href);
      else this.held.set(href, String(found!.modseq));
    }
    this.#since = modseq;
    this.#told = told;
    return hasMore;
  }
}

async function stateOf({ collections, ada }: ItemHouse, collection: CollectionNumber) {
  const items = await gather(collections.listItems(ada.agent, collection));
  return new Map(items.map((item) => [itemSegment(collections.ids, item), String(item.modseq)]));
}

/** One transaction of some actions; those that cannot be done are no harm. */
async function changeSomething(
  house: ItemHouse,
  places: readonly CollectionNumber[],
  random: RandomSource,
): Promise<void> {
  const { collections, ada, actor } = house;
  const all: ItemNumber[] = [];
  for (const place of places)
    all.push(...(await gather(collections.listItems(ada.agent, place))).map(({ number }) => number));
  const segment = () => random.one([undefined, "a.ics", "b.ics", "c.ics", "d.ics"]);
  const action = (): ItemAction => {
    const collection = random.one(places);
    const item = random.one(all);
    const kind = all.length === 0 ? "put" : random.one(["put", "put", "remove", "move", "move"] as const);
    if (kind === "remove") return { kind, item };
    if (kind === "move") return { kind, item, to: { collection, segment: segment(), overwrite: true } };
    const uid = `u${random.below(8)}`;
    return {
      kind,
      collection,
      segment: segment(),
      bytes: eventText(uid, `SUMMARY:${random.below(1000)}`),
      provenance: byDav,
      isAuthenticated: true,
    };
  };
  const actions = Array.from({ length: 1 + random.below(4) }, action);
  await collections.changeItems(nobody, [{ agent: ada.agent, actor, actions }]).catch(() => {});
}

it.each([1, 2, 3, 4])(
  "brings a client to the state of the store, with any writes meanwhile and any size of pages (seed %i)",
  { timeout: 60_000 },
  async (seed) => {
    await using house = await openItemHouse();
    const { collections, ada, calendar } = house;
    const random = randomSource(seed);
    const made = { kind: "calendar", properties: {} } as const;
    const { collection } = await collections.createCollection(nobody, ada.agent, made);
    const places = [calendar, collection];
    const followers = places.flatMap((place) =>
      Array.from({ length: 3 }, () => ({ place, follower: new Follower(house, place) })),
    );
    let pages = 0;
    for (let turn = 0; turn < 150; turn++) {
      await changeSomething(house, places, random);
      for (const { follower } of followers)
        if (random.below(4) === 0) {
          await follower.follow(1 + random.below(3));
          pages++;
        }
    }
    expect(pages).toBeGreaterThan(100);
    for (const { place, follower } of followers) {
      while (await follower.follow(1 + random.below(5)));
      expect(follower.held).toEqual(await stateOf(house, place));
    }
  },
);

it("lists the changes of one transaction in pages, each once", async () => {
  await using house = await openItemHouse();
  const { collections, ada, actor, calendar } = house;
  const before = (await collections.findCollection(ada.agent, calendar))!.modseq;
  const actions = Array.from({ length: 7 }, (_, at) => ({
    kind: "put" as const,
    collection: calendar,
    bytes: eventText(`u${at}`),
    provenance: byDav,
    isAuthenticated: true,
  }));
  await collections.changeItems(nobody, [{ agent: ada.agent, actor, actions }]);
  const told: number[] = [];
  let place: { modseq: Modseq; told?: number } = { modseq: before };
  for (;;) {
    const page = await collections.listItemChanges(ada.agent, calendar, place.modseq, 3, place.told);
    told.push(...page!.changes.map(({ item }) => item));
    place = page!;
    if (!page!.hasMore) break;
  }
  expect(told).toHaveLength(7);
  expect(new Set(told).size).toBe(7);
  expect(place).toMatchObject({ modseq: (await collections.findCollection(ada.agent, calendar))!.modseq });
});

it("refuses a position below the floor of the log, unless nothing has changed since", async () => {
  await using house = await openItemHouse();
  const { collections, ada, calendar, addressbook, test } = house;
  const tokens = async () => [
    (await collections.findCollection(ada.agent, calendar))!.modseq,
    (await collections.findCollection(ada.agent, addressbook))!.modseq,
  ];
  const [old, quiet] = await tokens();
  await putEvent(house, "a.ics", eventText("a"));
  const [recent] = await tokens();
  await putEvent(house, "b.ics", eventText("b"));
  const later = test.clock.now() + 1;
  await test.store.write(nobody, "pruneChanges", { agent: ada.agent, before: later, limit: 1000 });
  const changes = (collection: CollectionNumber, since: number) =>
    collections.listItemChanges(ada.agent, collection, since as Modseq, 10);
  expect(await changes(calendar, old!)).toBeUndefined();
  expect(await changes(calendar, recent!)).toBeUndefined();
  expect(await changes(addressbook, quiet!)).toMatchObject({ changes: [], hasMore: false });
  const [now] = await tokens();
  expect(await changes(calendar, now!)).toMatchObject({ changes: [], modseq: now });
  expect(await changes(calendar, 1e9)).toBeUndefined();
});

it("refuses an older position when the store was replaced by its backup", async () => {
  await using house = await openItemHouse();
  const { collections, ada, calendar, test } = house;
  const item = await putEvent(house, "a.ics", eventText("a"));
  const before = (await collections.findCollection(ada.agent, calendar))!.modseq;
  const version = (await collections.findItem(ada.agent, item))!.modseq;
  const copy = `${test.folder}/copy/waypost.db`;
  const fs = await import("node:fs");
  fs.mkdirSync(`${test.folder}/copy`);
  await test.store.backup(copy);
  const { openTestStore } = await import("../support/store.ts");
  const { createCollections } = await import("#/src/collections/create-collections.ts");
  const { createDirectPreparation } = await import("#/src/collections/preparing/preparation.ts");
  await using restored = await openTestStore({ folder: `${test.folder}/copy` });
  const again = createCollections(restored.store, createDirectPreparation());
  expect(await again.listItemChanges(ada.agent, calendar, before, 10)).toBeUndefined();
  expect((await again.findCollection(ada.agent, calendar))!.modseq).toBeGreaterThan(before);
  expect((await again.findItem(ada.agent, item))!.modseq).toBe(version);
});
