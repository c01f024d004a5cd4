/** Producers that put, change, move and delete events as fast as the store accepts them, and keep a journal of what was acknowledged.
 *  Readers follow the changes of calendars, and continue after the store was closed and opened again. */

import fs from "node:fs";
import type { Collections } from "#/src/collections/collections.ts";
import { createCollections } from "#/src/collections/create-collections.ts";
import { createDirectPreparation } from "#/src/collections/preparing/preparation.ts";
import { itemSegment } from "#/src/collections/rows.ts";
import { nobody } from "#/src/model/author.ts";
import type { AgentNumber, CollectionNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import { listAgents } from "#/storage/queries/accounts/agents.ts";
import type { Store } from "#/storage/store.ts";
import { eventText } from "../support/item-texts.ts";
import { formatLine, type JournalLine } from "./journal.ts";

const producers = 8;
const segment = "other";

export function collectionsOf(store: Store): Collections {
  return createCollections(store, createDirectPreparation());
}

/** Runs the producers. `attempt` makes each write and waits after a temporary refusal. */
export async function startItemLoad(
  store: Store,
  journal: number,
  tag: string,
  attempt: <R>(write: () => Promise<R>) => Promise<R | undefined>,
  isStopping: () => boolean,
): Promise<void> {
  const collections = collectionsOf(store);
  const agents = await listAgents(store);
  const say = (line: JournalLine): void => void fs.writeSync(journal, formatLine(line));

  async function otherOf(agent: AgentNumber): Promise<CollectionNumber> {
    const found = await collections.findCollectionBySegment(agent, "calendar", segment);
    if (found !== undefined) return found.number;
    const made = { kind: "calendar", segment, properties: {} } as const;
    return (await collections.createCollection(nobody, agent, made)).collection;
  }

  async function produce(number: number): Promise<void> {
    for (let round = 0; !isStopping(); round++) {
      const { agent } = agents[(number + round * producers) % agents.length]!;
      const actor = { ...nobody, agent, canApprove: false };
      const own = await attempt(() => collections.findCollectionOfRole(agent, "calendar", "default"));
      // Two producers of one agent may both try to make the calendar.
      const other = await attempt(() => otherOf(agent).catch(() => otherOf(agent)));
      if (own === undefined || other === undefined) continue;
      const mark = `${tag}-i${number}-${round}`;
      const put = (item: ItemNumber | undefined, summary: string) =>
        attempt(() =>
          collections.putItem(agent, actor, {
            collection: own.number,
            item,
            segment: item === undefined && round % 2 === 0 ? `${mark}.ics` : undefined,
            bytes: eventText(mark, `SUMMARY:${summary}`, `DESCRIPTION:${"x".repeat((round % 7) * 1000)}`),
            provenance: { source: "dav" },
            isAuthenticated: true,
          }),
        );
      const made = await put(undefined, mark);
      if (made === undefined) continue;
      const { item } = made;
      /** Makes one more write on the item, with a line in the journal before it and after it. */
      const tell = async (action: "put" | "move" | "remove", what: string, write: () => Promise<unknown>) => {
        const line = { action, agent, uid: item, mark: what };
        say({ ...line, isDone: false });
        if ((await write()) === undefined) return;
        say({ ...line, isDone: true });
      };
      say({ action: "put", agent, uid: item, mark: `${own.number}:${mark}`, isDone: true });
      if (round % 3 === 0) await tell("put", `${own.number}:${mark}-2`, () => put(item, `${mark}-2`));
      if (round % 4 === 1)
        await tell("move", String(other), () =>
          attempt(() => collections.moveItem(agent, actor, item, { collection: other, overwrite: false })),
        );
      if (round % 5 === 2)
        await tell("remove", "-", () => attempt(() => collections.deleteItem(agent, actor, item)));
    }
  }
  await Promise.all(Array.from({ length: producers }, (_, number) => produce(number)));
}

/** The collection and the summary of an item. Undefined: the item is deleted. */
type Place = { readonly collection: number; readonly summary: string } | undefined;

/** Items that are not as acknowledged, as sentences. */
export async function findItemLosses(store: Store, lines: readonly JournalLine[]): Promise<string[]> {
  const collections = collectionsOf(store);
  const possible = new Map<string, { readonly line: JournalLine; readonly places: readonly Place[] }>();
  for (const line of lines) {
    if (line.action !== "put" && line.action !== "move" && line.action !== "remove") continue;
    const key = `${line.agent} ${line.uid}`;
    const before = possible.get(key)?.places ?? [];
    const place = placeAfter(line, before[0]);
    // A write that was begun and not acknowledged may have happened or not.
    possible.set(key, { line, places: line.isDone ? [place] : [...before, place] });
  }
  const losses: string[] = [];
  for (const { line, places } of possible.values()) {
    const agent = line.agent as AgentNumber;
    const [stored] = await collections.readItems(agent, [line.uid as ItemNumber]);
    const summary = /SUMMARY:(\S+)/.exec(Buffer.from(stored?.bytes ?? []).toString())?.[1];
    const isFound = places.some((place) =>
      place === undefined
        ? stored === undefined
        : place.collection === stored?.collection && place.summary === summary,
    );
    if (!isFound)
      losses.push(
        `item ${line.uid} of agent ${agent} is ${stored === undefined ? "gone" : `"${summary}" in ${stored.collection}`}, and was acknowledged as ${JSON.stringify(places)}`,
      );
  }
  return losses;
}

function placeAfter({ action, mark }: JournalLine, before: Place): Place {
  if (action === "remove") return undefined;
  if (action === "move") return { collection: Number(mark), summary: before?.summary ?? "" };
  const [collection, summary] = mark.split(":");
  return { collection: Number(collection), summary: summary! };
}

/** One client for each calendar. The clients outlive the process of the store. */
export class ItemReaders {
  readonly #readers = new Map<
    string,
    { since: Modseq; told: number | undefined; readonly held: Map<string, string> }
  >();

  /** Each reader continues from its last place, in pages of random size and mostly to the end. Returns where its copy is wrong. */
  async follow(store: Store): Promise<string[]> {
    const collections = collectionsOf(store);
    const findings: string[] = [];
    for (const { agent } of await listAgents(store))
      for (const { number } of await collections.listCollections(agent, "calendar"))
        findings.push(...(await this.#followOne(collections, agent, number)));
    return findings;
  }

  async #followOne(
    collections: Collections,
    agent: AgentNumber,
    number: CollectionNumber,
  ): Promise<string[]> {
    const key = `${agent} ${number}`;
    const reader = this.#readers.get(key) ?? { since: 0 as Modseq, told: undefined, held: new Map() };
    this.#readers.set(key, reader);
    const limit = 1 + Math.floor(Math.random() * 40);
    for (;;) {
      const page = await collections.listItemChanges(agent, number, reader.since, limit, reader.told);
      if (page === undefined) return [`calendar ${key} does not know the place of a reader, ${reader.since}`];
      const items = await collections.findItems(
        agent,
        page.changes.map(({ item }) => item),
      );
      for (const [at, { item, operation, segment }] of page.changes.entries()) {
        const named = { agent, number: item, kind: "calendar", segment } as const;
        if (operation === "removed") reader.held.delete(itemSegment(collections.ids, named));
        else reader.held.set(itemSegment(collections.ids, items[at]!), String(items[at]!.modseq));
      }
      reader.since = page.modseq;
      reader.told = page.told;
      // Sometimes a reader stops in the middle and continues after the next start of the store.
      if (page.hasMore && Math.random() < 0.02) return [];
      if (!page.hasMore) break;
    }
    const there = new Map<string, string>();
    for await (const items of collections.listItems(agent, number))
      for (const item of items) there.set(itemSegment(collections.ids, item), String(item.modseq));
    const wrong = [...there].filter(([href, version]) => reader.held.get(href) !== version);
    const stale = [...reader.held.keys()].filter((href) => !there.has(href));
    if (wrong.length + stale.length === 0) return [];
    return [`a reader of calendar ${key} misses ${wrong.length} items and has ${stale.length} too many`];
  }
}
