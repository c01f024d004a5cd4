/** A month of a calendar. */
import { utcOfLocal } from "#/src/formats/icalendar/time-zone.ts";
import type { ReachedCollection } from "#/src/reach/collection-reach.ts";
import { zoneNamed } from "#/src/render/events/event-times.ts";
import { defaultCharacters } from "../describe/limits.ts";
import type { OperationContext } from "../operation.ts";
import { listInstances } from "./instances.ts";

export interface MonthRequest {
  readonly month: string;
  readonly cursor?: string | undefined;
  readonly max_chars?: number | undefined;
}

/** The bounds of a month in the local time of a zone, as UTC. */
export function monthRange(month: string, zone: string | undefined) {
  const [year, number] = month.split("-").map(Number) as [number, number];
  const localOf = (at: number) => new Date(0).setUTCFullYear(year, number - 1 + at, 1);
  const [sinceMs, beforeMs] = [localOf(0), localOf(1)].map((ms) => utcOfLocal(zoneNamed(zone), ms));
  return { sinceMs: sinceMs!, beforeMs: beforeMs! };
}

export function listMonth(
  context: OperationContext,
  collection: ReachedCollection,
  zone: string | undefined,
  { month, cursor, max_chars: charactersMax = defaultCharacters }: MonthRequest,
) {
  return listInstances(context, collection, {
    ...monthRange(month, zone),
    zone,
    scope: `month ${month}`,
    cursor,
    charactersMax,
    lengthOf: (shown) => JSON.stringify(shown).length,
  });
}
