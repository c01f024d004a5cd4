/** When the owner of calendars is busy (RFC 4791 section 7.10, RFC 6638 section 5, RFC 7953 section 4): the one answer for CalDAV,
 *  JSON and scheduling. The caller checks the rights. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import {
  type Availability,
  type BusyPeriod,
  busyOfAvailabilities,
  mergeBusyPeriods,
  type Span,
} from "#/src/formats/icalendar/free-busy.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { busyPeriodsMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { BusyItem } from "./busy-item.ts";
import type { BusyReader } from "./busy-reader.ts";
import type { Collection } from "./collection.ts";
import type { Collections } from "./collections.ts";
import type { Candidate, Item, StoredItem } from "./item.ts";
import { readPortions } from "./portions.ts";
import { WorkMeter } from "./work-meter.ts";

export interface FreeBusyQuestion {
  readonly calendars: readonly Collection[];
  readonly range: Span;
  /** Calendar user addresses of whose time it is: what they declined does not make them busy. */
  readonly ownAddresses?: readonly string[];
  /** Whose time it is, where that is asked for and not what single calendars say: the availability of the scheduling inbox counts
   *  too (RFC 7953 section 7.2.3). */
  readonly owner?: AgentNumber | undefined;
}

/** In order, periods of one type merged. Calendars that are transparent (RFC 6638 section 9.1) say nothing. Throws `invalid` with
 *  the reason `limit_reached` if it is more work than one question may be. */
export async function readFreeBusy(
  rooms: BusyRooms,
  question: FreeBusyQuestion,
): Promise<readonly BusyPeriod[]> {
  return mergeBusyPeriods(await readBusyPeriods(rooms, question, new WorkMeter()));
}

export interface BusyRooms {
  readonly collections: Collections;
  readonly busyTimes: BusyReader;
}

/** The same, of each object by itself. Several questions may share one meter. */
export async function readBusyPeriods(
  { collections, busyTimes }: BusyRooms,
  { calendars, range, ownAddresses, owner }: FreeBusyQuestion,
  spent: WorkMeter,
): Promise<readonly BusyPeriod[]> {
  const turns = new LoopTurns();
  const busy: BusyPeriod[] = [];
  const availabilities: Availability[] = [];
  const add = async (item: BusyItem): Promise<void> => {
    const found = await busyTimes.busyOf(spent, item);
    if (found === undefined) throw tooMuch();
    for (const one of found.availabilities) availabilities.push(one);
    for (const one of found.busy) busy.push(one);
    if (spent.isBeyond || busy.length > busyPeriodsMax) throw tooMuch();
    await turns.turn();
  };
  for (const { agent, number, timeZone, isTransparent, kind } of calendars) {
    if (isTransparent || kind !== "calendar") continue;
    for await (const candidates of collections.listCandidates(agent, number, range.startMs, range.endMs))
      for await (const { bytes, component } of readTelling(collections, agent, candidates))
        await add({ bytes, component, range, timeZone, ownAddresses });
  }
  const inbox = owner && (await collections.findCollectionOfRole(owner, "calendar", "inbox"));
  if (inbox?.availability !== undefined) {
    const { timeZone } = calendars.find(({ role }) => role === "default") ?? {};
    const bytes = Buffer.from(inbox.availability);
    await add({ bytes, component: "VAVAILABILITY", range, timeZone, ownAddresses: undefined });
  }
  return [...busy, ...busyOfAvailabilities(availabilities)];
}

function tooMuch(): WaypostError {
  return new WaypostError("invalid", "The busy time of this range is too much for one answer.", {
    reason: "limit_reached",
  });
}

async function* readTelling(
  collections: Collections,
  agent: AgentNumber,
  candidates: readonly Candidate[],
): AsyncGenerator<StoredItem> {
  const items = await collections.findItems(
    agent,
    candidates.map(({ item }) => item),
  );
  const wanted = items.filter((item) => item !== undefined && telling.has(item.component)) as Item[];
  for await (const portion of readPortions(collections, agent, wanted)) yield* portion;
}

const telling: ReadonlySet<string> = new Set(["VEVENT", "VFREEBUSY", "VAVAILABILITY"]);
