/** When the owner of calendars is busy (RFC 4791 section 7.10, RFC 6638 section 5, RFC 7953 section 4): the one answer for CalDAV,
 *  JSON and scheduling. Who may ask is decided above. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import {
  type Availability,
  type BusyPeriod,
  busyOfAvailabilities,
  type FreeBusyReading,
  listAvailabilities,
  listBusyPeriods,
  mergeBusyPeriods,
  type Span,
} from "#/src/formats/icalendar/free-busy.ts";
import { type TimeZone, utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { busyPeriodsMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Collection } from "./collection.ts";
import type { Collections } from "./collections.ts";
import type { Candidate, Item, StoredItem } from "./item.ts";
import { readPortions } from "./portions.ts";
import type { RuleExpansion } from "./rules/rule-expansion.ts";
import { WorkMeter } from "./work-meter.ts";

export interface FreeBusyQuestion {
  readonly calendars: readonly Collection[];
  /** Of floating times and dates in a calendar. One that its owner wrote takes some milliseconds to evaluate, which count. */
  readonly zoneOf: (collection: Collection) => TimeZone;
  readonly range: Span;
  readonly isOwnAddress?: FreeBusyReading["isOwnAddress"];
  /** Whose time it is, where that is asked for and not what single calendars say: the availability of the scheduling inbox counts
   *  too (RFC 7953 section 7.2.3). */
  readonly owner?: AgentNumber | undefined;
}

/** In order, periods of one type merged. Calendars that are transparent (RFC 6638 section 9.1) say nothing. Throws `invalid` with
 *  the reason `limit_reached` if it is more work than one question may be. */
export async function readFreeBusy(
  { collections, rules }: { readonly collections: Collections; readonly rules: RuleExpansion },
  { calendars, zoneOf, range, isOwnAddress, owner }: FreeBusyQuestion,
): Promise<readonly BusyPeriod[]> {
  const turns = new LoopTurns();
  const spent = new WorkMeter();
  const busy: BusyPeriod[] = [];
  const availabilities: Availability[] = [];
  for (const collection of calendars) {
    if (collection.isTransparent || collection.kind !== "calendar") continue;
    const floating = spent.measure(() => zoneOf(collection));
    assertWithin(spent, busy);
    const { agent, number } = collection;
    const reading = { range, floating, ...(isOwnAddress === undefined ? {} : { isOwnAddress }) };
    for await (const candidates of collections.listCandidates(agent, number, range.startMs, range.endMs)) {
      for await (const item of readTelling(collections, agent, candidates)) {
        const [calendar] = spent.measure(() => listComponents(readContentLines(item.bytes), "VCALENDAR"));
        if (calendar === undefined) continue;
        const found = await rules.evaluate(spent, (expandRule) =>
          item.component === "VAVAILABILITY"
            ? { availabilities: listAvailabilities(calendar, { ...reading, expandRule }), busy: [] }
            : { availabilities: [], busy: listBusyPeriods(calendar, { ...reading, expandRule }) },
        );
        for (const one of found.availabilities) availabilities.push(one);
        for (const one of found.busy) busy.push(one);
        assertWithin(spent, busy);
        await turns.turn();
      }
    }
  }
  const inbox = owner && (await collections.findCollectionOfRole(owner, "calendar", "inbox"));
  if (inbox?.availability !== undefined) {
    const [calendar] = listComponents(readContentLines(Buffer.from(inbox.availability)), "VCALENDAR");
    const main = calendars.find(({ role }) => role === "default");
    const floating = main === undefined ? utcZone : spent.measure(() => zoneOf(main));
    const found = await rules.evaluate(spent, (expandRule) =>
      calendar === undefined ? [] : listAvailabilities(calendar, { range, floating, expandRule }),
    );
    availabilities.push(...found);
  }
  return mergeBusyPeriods([...busy, ...busyOfAvailabilities(availabilities)]);
}

function assertWithin(spent: WorkMeter, busy: readonly BusyPeriod[]): void {
  if (spent.isBeyond || busy.length > busyPeriodsMax)
    throw new WaypostError("invalid", "The busy time of this range is too much for one answer.", {
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
