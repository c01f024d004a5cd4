/** Calendars and addressbooks on a test store, and the texts of their items. */
import type { Collections } from "#/src/collections/collections.ts";
import { createCollections } from "#/src/collections/create-collections.ts";
import type { ItemProvenance } from "#/src/collections/item.ts";
import { createDirectPreparation } from "#/src/collections/preparing/preparation.ts";
import { type Actor, nobody } from "#/src/model/author.ts";
import type { CollectionNumber, ItemNumber } from "#/src/model/numbers.ts";

export { calendarText, cardText, eventText } from "./item-texts.ts";

import { openTestStore, type Seed, seedAgent, type TestStore } from "./store.ts";

export interface ItemHouse extends AsyncDisposable {
  readonly test: TestStore;
  readonly collections: Collections;
  readonly ada: Seed;
  readonly actor: Actor;
  readonly calendar: CollectionNumber;
  readonly addressbook: CollectionNumber;
}

export const byDav: ItemProvenance = { source: "dav" };

/** One agent with its default collections. */
export async function openItemHouse(): Promise<ItemHouse> {
  const test = await openTestStore();
  const collections = createCollections(test.store, createDirectPreparation());
  const ada = await seedAgent(test.store);
  const numberOf = async (kind: "calendar" | "addressbook") =>
    (await collections.findCollectionOfRole(ada.agent, kind, "default"))!.number;
  return {
    test,
    collections,
    ada,
    actor: { ...nobody, agent: ada.agent, canApprove: false },
    calendar: await numberOf("calendar"),
    addressbook: await numberOf("addressbook"),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

export async function putEvent(
  { collections, ada, actor, calendar }: ItemHouse,
  segment: string,
  bytes: Buffer,
  collection = calendar,
): Promise<ItemNumber> {
  const put = { collection, segment, bytes, provenance: byDav, isAuthenticated: true };
  return (await collections.putItem(ada.agent, actor, put)).item;
}

/** Collects all pages of a listing. */
export async function gather<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}
