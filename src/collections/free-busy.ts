/** When the owner of calendars is busy (RFC 4791 section 7.10, RFC 6638 section 5, RFC 7953 section 4): the one answer for CalDAV,
 *  JSON and scheduling. The caller checks the rights. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { expandRule } from "#/src/formats/icalendar/expand-rule.ts";
import {
  type Availability,
  type BusyPeriod,
  busyOfAvailabilities,
  listAvailabilities,
  mergeBusyPeriods,
  type Span,
} from "#/src/formats/icalendar/free-busy.ts";
import { isRepeating } from "#/src/formats/icalendar/is-repeating.ts";
import { type TimeZone, utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { busyPeriodsMax, mainBytesMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { busyOfItem, zoneOfCalendar } from "./busy-item.ts";
import type { Collection } from "./collection.ts";
import type { Collections } from "./collections.ts";
import type { Candidate, Item, StoredItem } from "./item.ts";
import { readPortions } from "./portions.ts";
import type { RuleExpansion } from "./rules/rule-expansion.ts";
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
  { collections, rules }: { readonly collections: Collections; readonly rules: RuleExpansion },
  { calendars, range, ownAddresses, owner }: FreeBusyQuestion,
): Promise<readonly BusyPeriod[]> {
  const turns = new LoopTurns();
  const spent = new WorkMeter();
  const busy: BusyPeriod[] = [];
  const availabilities: Availability[] = [];
  const zones = new Map<string | undefined, TimeZone>();
  /** One that its owner wrote takes some milliseconds to evaluate, which count. */
  const zoneOf = ({ timeZone }: Collection): TimeZone => {
    const zone = zones.get(timeZone) ?? spent.measure(() => zoneOfCalendar(timeZone));
    zones.set(timeZone, zone);
    return zone;
  };
  for (const collection of calendars) {
    if (collection.isTransparent || collection.kind !== "calendar") continue;
    const floating = zoneOf(collection);
    assertWithin(spent, busy);
    const { agent, number, timeZone } = collection;
    for await (const candidates of collections.listCandidates(agent, number, range.startMs, range.endMs)) {
      for await (const { bytes, component } of readTelling(collections, agent, candidates)) {
        const item = { bytes, component, range, timeZone, ownAddresses };
        const found =
          bytes.length > mainBytesMax || isRepeating(bytes)
            ? await rules.busyOf(spent, item)
            : spent.measure(() => busyOfItem(item, floating, expandRule));
        if (found === undefined) throw tooMuch();
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
    const reading = { range, floating: main === undefined ? utcZone : zoneOf(main) };
    const found = await rules.evaluate(spent, (expandRule) =>
      calendar === undefined ? [] : listAvailabilities(calendar, { ...reading, expandRule }),
    );
    availabilities.push(...found);
  }
  return mergeBusyPeriods([...busy, ...busyOfAvailabilities(availabilities)]);
}

function assertWithin(spent: WorkMeter, busy: readonly BusyPeriod[]): void {
  if (spent.isBeyond || busy.length > busyPeriodsMax) throw tooMuch();
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
