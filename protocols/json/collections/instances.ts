/** The instances of a calendar's events in a range of time, in the order of their starts, in pages. A cursor names the last listed
 *  instance, so no instance is repeated or left out when events are added or removed between two pages. */
import type { InstancePlace } from "#/src/collections/events/event-jobs.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { WaypostError } from "#/src/model/errors.ts";

import type { ItemNumber } from "#/src/model/numbers.ts";
import type { ReachedCollection } from "#/src/reach/collection-reach.ts";
import { authorFactsOf } from "../describe/author-facts.ts";
import type { OperationContext } from "../operation.ts";
import { shownForm } from "./event-form.ts";
import { overlapsMax } from "./overlaps.ts";
import { itemId } from "./reach.ts";

/** Instances of one answer ("Writing" of the interface). */
const instancesMax = 500;
/** How many instances are held while the earliest ones are searched. */
const heldMax = 4 * instancesMax;

export interface InstancesRequest {
  readonly sinceMs: number;
  readonly beforeMs: number;
  /** The zone for floating times and dates. */
  readonly zone: string | undefined;
  /** Text of the request to which the cursor is bound. */
  readonly scope: string;
  readonly cursor?: string | undefined;
  /** Characters of one page, and how many characters one instance counts. */
  readonly charactersMax: number;
  lengthOf(shown: ShownInstance): number;
}

/** An event as a listing has it, with the times of the instance. */
export type ShownInstance = ReturnType<typeof shownForm> & {
  readonly recurrence_id?: string;
  /** A series of too many instances to list each of them. */
  readonly dense?: true;
  readonly overlaps?: readonly string[];
};

export interface Instances {
  /** What cut it. */
  readonly more?: "limit" | "max_chars";
  readonly items: readonly ShownInstance[];
  readonly cursor?: string;
}

interface Told {
  readonly startMs: number;
  readonly endMs: number;
  /** It takes its owner's time. */
  readonly isBusy: boolean;
  readonly item: ItemNumber;
  readonly recurrenceId: string;
  readonly shown: ShownInstance;
}

type Place = Pick<Told, "startMs" | "item" | "recurrenceId">;

export async function listInstances(
  context: OperationContext,
  collection: ReachedCollection,
  { sinceMs, beforeMs, zone, scope, cursor, charactersMax, lengthOf }: InstancesRequest,
): Promise<Instances> {
  const { collections, feed } = context.rooms;
  const seal = feed.seal("collection");
  const boundTo = [context.principal.agent, collection.agent, collection.number, scope];
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const { agent, number } = collection;
  const turns = new LoopTurns();
  const own = ((await context.rooms.accounts.findAgentFacts(agent))?.addresses ?? []).map(
    (address) => `mailto:${address}`,
  );
  let held: Told[] = [];
  candidates: for await (const page of collections.listCandidates(agent, number, sinceMs, beforeMs)) {
    for (const { item, isExact, startMs } of page) {
      // An exact period is the instance itself, so instances before the cursor can be skipped.
      if (isExact && after !== undefined && startMs < after.startMs) continue;
      if (held.length >= instancesMax) {
        held = earliest(held);
        // Periods come in the order of their starts: no later one begins earlier.
        if (held.length > instancesMax && startMs > held.at(-1)!.startMs) break candidates;
      }
      const [stored] = await collections.readItems(agent, [item]);
      if (stored === undefined || stored.collection !== number) continue;
      for (const told of await instancesOf(stored)) {
        held.push(told);
        if (held.length > heldMax) held = earliest(held);
      }
      await turns.turn();
    }
  }
  held.sort(comparePlaces);
  let more: Instances["more"] = held.length > instancesMax ? "limit" : undefined;
  const page: Told[] = [];
  let characters = 0;
  for (const told of held.slice(0, instancesMax)) {
    characters += lengthOf(told.shown);
    if (characters > charactersMax && page.length > 0) {
      more = "max_chars";
      break;
    }
    page.push(told);
  }
  const items = withOverlaps(page);
  const last = page.at(-1);
  if (more === undefined || last === undefined) return { items };
  return { more, items, cursor: seal.seal([...boundTo, last.startMs, last.item, last.recurrenceId]) };

  async function instancesOf(stored: StoredItem): Promise<readonly Told[]> {
    const { number: item } = stored;
    // One more than an answer has: whether there are more.
    const limit = instancesMax + 1;
    const job = { bytes: stored.bytes, zone, sinceMs, beforeMs, limit, own, ...afterIn(item) };
    const instances = await context.rooms.events.run("instances", job);
    const id = itemId(context, stored);
    const facts = await authorFactsOf(context, stored);
    if (instances === undefined) {
      if (after !== undefined && comparePlaces({ startMs: sinceMs, item, recurrenceId: "" }, after) <= 0)
        return [];
      const form = await context.rooms.events.run("list", { bytes: stored.bytes, zone });
      const shown = { ...shownForm(stored, form, id, facts), dense: true as const };
      return [{ startMs: sinceMs, endMs: sinceMs, isBusy: false, item, recurrenceId: "", shown }];
    }
    return instances.map(({ form, recurrenceId = "", startMs, endMs, isBusy }) => ({
      startMs,
      endMs,
      isBusy,
      item,
      recurrenceId,
      shown: {
        ...shownForm(stored, form, recurrenceId === "" ? id : `${id}#${recurrenceId}`, facts),
        ...(recurrenceId === "" ? {} : { recurrence_id: recurrenceId }),
      },
    }));
  }

  /** Where the instances of an item go on behind the cursor. */
  function afterIn(item: ItemNumber): { readonly after?: InstancePlace } {
    if (after === undefined) return {};
    const { startMs, recurrenceId } = after;
    if (item === after.item) return { after: { startMs, recurrenceId } };
    return { after: { startMs: item > after.item ? startMs : startMs + 1 } };
  }

  function readCursor(text: string): Place {
    const value = seal.open(text);
    const isSame =
      value?.length === boundTo.length + 3 && boundTo.every((one, index) => one === value[index]);
    if (isSame)
      return {
        startMs: value.at(-3) as number,
        item: value.at(-2) as ItemNumber,
        recurrenceId: value.at(-1) as string,
      };
    throw new WaypostError("invalid", "The cursor is not from this listing.", {
      field: "/cursor",
      hint: "Repeat the request that gave the cursor, with nothing changed but cursor and max_chars.",
    });
  }
}

/** In one sweep over the page, which is in the order of starts. */
function withOverlaps(page: readonly Told[]): ShownInstance[] {
  const found = new Map<Told, string[]>();
  let open: Told[] = [];
  for (const told of page.filter(({ isBusy }) => isBusy)) {
    open = open.filter(({ endMs }) => endMs > told.startMs);
    if (told.endMs <= told.startMs) continue;
    for (const other of open) {
      addTo(told, other.shown.id);
      addTo(other, told.shown.id);
    }
    open.push(told);
  }
  return page.map((told) => {
    const overlaps = found.get(told);
    return overlaps === undefined ? told.shown : { ...told.shown, overlaps };
  });

  function addTo(told: Told, id: string): void {
    const ids = found.get(told) ?? [];
    found.set(told, ids);
    if (ids.length < overlapsMax) ids.push(id);
  }
}

/** The earliest instances: one more than an answer has, to know whether there are more. */
function earliest(told: readonly Told[]): Told[] {
  return told.toSorted(comparePlaces).slice(0, instancesMax + 1);
}

function comparePlaces(one: Place, other: Place): number {
  return (
    one.startMs - other.startMs ||
    one.item - other.item ||
    (one.recurrenceId < other.recurrenceId ? -1 : Number(one.recurrenceId > other.recurrenceId))
  );
}
