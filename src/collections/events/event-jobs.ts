/** All work on the text of an event, as jobs. A job is a pure function of the octets and the caller's input, so it runs on the main
 *  thread or on another one (`event-projection.ts`). */
import { type Component, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { readCalendarAddress } from "#/src/formats/icalendar/calendar-address.ts";
import { inYears } from "#/src/formats/icalendar/calendar-time.ts";
import { busyTypeOf } from "#/src/formats/icalendar/free-busy.ts";
import { acceptEvent, patchEvent } from "#/src/formats/jscalendar/accept-event.ts";
import {
  changeEvent,
  changeInstance,
  type EventChange,
  excludeInstance,
  findInstance,
} from "#/src/formats/jscalendar/instances.ts";
import { formatUtc, parseLocal } from "#/src/formats/jscalendar/local-time.ts";
import { findParticipant } from "#/src/formats/jscalendar/participants.ts";
import { readEvent } from "#/src/formats/jscalendar/read-event.ts";
import { updateEvent, writeEvent } from "#/src/formats/jscalendar/write-event.ts";
import { isEqual, isObject, type JsonObject, member, put } from "#/src/formats/jscontact/json.ts";
import { type Sign, signsOf } from "#/src/formats/text/signs.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import {
  baseOf,
  type EventForm,
  eventForms,
  hasForeignName,
  spanOf,
} from "#/src/render/events/event-form.ts";
import { agendaLine, eventText } from "#/src/render/events/event-text.ts";
import { type EventInstance, listInstances, zoneNamed } from "#/src/render/events/event-times.ts";
import { shownEvent } from "#/src/render/events/shown-event.ts";
import { shownIcal } from "#/src/render/events/shown-ical.ts";
import { createRemovalTally, type RemovalDetail } from "#/src/render/removal.ts";
import { findText, type LinkedValue, withoutLinks } from "#/src/render/shown-object.ts";
import { type ItemPart, partOf } from "../item-part.ts";
import { type Actions, doNamedJob, type JobAnswer, type NamedJob } from "../projected-jobs.ts";

export type EventRender = "text" | "json" | "ical" | "agenda";

export interface DescribedEvent {
  /** Absent for components that JSCalendar has no object for (VJOURNAL, VFREEBUSY, VAVAILABILITY). */
  readonly event: JsonObject | undefined;
  readonly linked: readonly LinkedValue[];
  readonly recurrenceId: string | undefined;
  /** As in a listing. */
  readonly times: Pick<EventForm, "start" | "end" | "time_zone" | "all_day">;
  readonly utcStart: string | undefined;
  readonly utcEnd: string | undefined;
  readonly text: string;
  readonly signs: readonly Sign[];
  readonly removed: readonly RemovalDetail[];
}

/** An instance in a listing of a range of time. */
export interface ListedInstance {
  readonly form: EventForm;
  readonly recurrenceId: string | undefined;
  readonly startMs: number;
  readonly endMs: number;
  /** Whether it takes its owner's time. */
  readonly isBusy: boolean;
}

/** Instances are listed by their starts, then by their recurrence ids; without one, all of that start are behind it. */
export interface InstancePlace {
  readonly startMs: number;
  readonly recurrenceId?: string;
}

interface Stored {
  readonly bytes: Uint8Array;
}

interface Zoned extends Stored {
  /** Of floating times and dates: an IANA name. */
  readonly zone: string | undefined;
}

interface Range {
  readonly sinceMs: number;
  readonly beforeMs: number;
}

interface Changing extends Zoned {
  /** Of the event, which links in it have. */
  readonly id: string;
  readonly at: number;
  /** Of the owner of the calendar, for `participants/me`. */
  readonly addresses: readonly string[];
  readonly instance: string | undefined;
}

export interface EventJobs {
  create: {
    readonly job: {
      readonly body: JsonObject;
      readonly uid: string;
      readonly at: number;
      /** The address of the organizer, if the event has participants and names no organizer. */
      readonly organizer: string | undefined;
      /** Of the calendar, for times without a zone: an IANA name. */
      readonly zone: string | undefined;
    };
    readonly result: Uint8Array;
  };
  /** undefined if the change makes no difference. */
  change: {
    readonly job: Changing & {
      readonly change: EventChange;
      /** The address of the organizer, if the event or one of its instances has participants then and names no organizer. */
      readonly organizer: string | undefined;
    };
    readonly result: Uint8Array | undefined;
  };
  /** Without the instance. */
  exclude: {
    readonly job: Stored & { readonly instance: string; readonly at: number };
    readonly result: Uint8Array;
  };
  list: { readonly job: Zoned; readonly result: EventForm };
  /** In the order of their places; undefined if they are too many to be expanded. */
  instances: {
    readonly job: Zoned &
      Range & {
        /** Without those up to this place. */
        readonly after?: InstancePlace;
        /** The earliest ones alone. */
        readonly limit?: number;
        /** Addresses of the owner of the calendar. */
        readonly own?: readonly string[];
      };
    readonly result: readonly ListedInstance[] | undefined;
  };
  describe: {
    readonly job: Zoned & {
      readonly id: string;
      readonly render: EventRender;
      readonly instance: string | undefined;
      readonly at: number;
    };
    /** Undefined if there is no such instance. */
    readonly result: DescribedEvent | undefined;
  };
  /** Undefined where the event has no text at that JSON pointer. */
  part: { readonly job: Stored & { readonly part: string }; readonly result: ItemPart | undefined };
}

const actions: Actions<EventJobs> = {
  create({ body, uid, at, organizer, zone }) {
    const given = acceptEvent(withoutLinks(body, "", {}), uid, zoneNamed(zone));
    const accepted = organizedBy(organizer, given);
    const time = formatUtc(at);
    return writeContentLines({ items: [writeEvent({ created: time, updated: time, ...accepted }, at)] });
  },
  change({ bytes, id, change, at, addresses, instance, zone, organizer }) {
    const floating = zoneNamed(zone);
    const calendar = calendarOf(bytes);
    const event = projectionOf(calendar);
    const me = "patch" in change ? ownIn(change.patch, shownOf(event, instance), addresses) : undefined;
    const resolved: EventChange =
      "patch" in change
        ? { patch: withoutLinks(withoutMe(change.patch, me), id, event) }
        : { body: withoutLinks(change.body, id, event) };
    if (instance !== undefined) assertInstance(calendar, event, instance);
    const changed = saidOfMe(me, () =>
      organizedBy(
        organizer,
        instance === undefined
          ? changeEvent(event, resolved, floating)
          : changeInstance(event, instance, resolved, floating),
      ),
    );
    const { updated: _, ...others } = changed;
    const { updated: before, ...were } = event;
    if (isEqual(others, were) && (changed.updated === undefined || changed.updated === before))
      return undefined;
    return written(bytes, calendar, withTime(event, changed, at));
  },
  exclude({ bytes, instance, at }) {
    const calendar = calendarOf(bytes);
    const event = projectionOf(calendar);
    assertInstance(calendar, event, instance);
    return written(bytes, calendar, withTime(event, excludeInstance(event, instance), at));
  },
  list: ({ bytes, zone }) => eventForms(calendarOf(bytes), zoneNamed(zone), createRemovalTally())(undefined),
  instances({ bytes, zone, sinceMs, beforeMs, after, limit, own = [] }) {
    const calendar = calendarOf(bytes);
    const floating = zoneNamed(zone);
    const formOf = eventForms(calendar, floating, createRemovalTally());
    const addresses = new Set(own.map(readCalendarAddress));
    const isOwn = (value: string): boolean => addresses.has(readCalendarAddress(value));
    const listed = listInstances(calendar, floating, sinceMs, beforeMs);
    return earliest(listed, after, limit)?.map((instance) => ({
      form: formOf(instance),
      recurrenceId: instance.recurrenceId,
      startMs: instance.startMs,
      endMs: instance.endMs,
      isBusy: instance.component.name === "VEVENT" && busyTypeOf(instance.component, isOwn) !== undefined,
    }));
  },
  describe({ bytes, id, render, instance, zone, at }) {
    const calendar = calendarOf(bytes);
    const floating = zoneNamed(zone);
    const tally = createRemovalTally();
    if (hasForeignName(calendar)) tally.add("name-is-address", "participants");
    const whole = readEvent(calendar);
    const told = whole === undefined || instance === undefined ? whole : findInstance(whole, instance);
    const found = instance === undefined ? undefined : instanceIn(calendar, instance, zone);
    if (instance !== undefined && (told === undefined || found === undefined)) return undefined;
    const base = baseOf(calendar);
    const span = found ?? (base === undefined ? undefined : spanOf(calendar, base, floating));
    const shown = told === undefined ? undefined : shownEvent(told, id, tally);
    const text =
      render === "ical" || shown === undefined
        ? shownIcal(calendar, id, tally)
        : render === "json"
          ? JSON.stringify(shown.event, undefined, 1)
          : render === "agenda"
            ? agendaOf(calendar, zone, at)
            : eventText({ ...shown, span });
    const recurrenceId = told === undefined ? undefined : member(told, "recurrenceId");
    return {
      event: shown?.event,
      linked: shown?.linked ?? [],
      recurrenceId: typeof recurrenceId === "string" ? recurrenceId : undefined,
      times: timesOf(eventForms(calendar, floating, createRemovalTally())(found)),
      utcStart: span === undefined ? undefined : formatUtc(inYears(span.startMs)),
      utcEnd: span === undefined ? undefined : formatUtc(inYears(span.endMs)),
      text,
      signs: signsOf(text),
      removed: tally.list(),
    };
  },
  part({ bytes, part }) {
    const event = readEvent(calendarOf(bytes));
    const value = event === undefined ? undefined : findText(event, part);
    return value === undefined ? undefined : partOf(value);
  },
};

function timesOf({ start, end, time_zone, all_day }: EventForm): DescribedEvent["times"] {
  return {
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    ...(time_zone === undefined ? {} : { time_zone }),
    ...(all_day === undefined ? {} : { all_day }),
  };
}

/** The calendar object of an event that is stored. */
function calendarOf(bytes: Uint8Array): Component {
  const [calendar] = listComponents(readContentLines(bytes), "VCALENDAR");
  if (calendar === undefined) throw new WaypostError("internal", "A stored event has no VCALENDAR.");
  return calendar;
}

function projectionOf(calendar: Component): JsonObject {
  const event = readEvent(calendar);
  if (event !== undefined) return event;
  throw new WaypostError("policy_refused", "Only events and tasks are changed here.", {
    hint: "Journals and availabilities are changed by calendar clients.",
  });
}

function written(bytes: Uint8Array, calendar: Component, event: JsonObject): Uint8Array {
  const changed = updateEvent(calendar, event);
  const { items } = readContentLines(bytes);
  return writeContentLines({
    items: items.map((item) => (item.kind === "component" && item.name === "VCALENDAR" ? changed : item)),
  });
}

/** Sets the time of the change, unless the caller gives one. */
function withTime(before: JsonObject, event: JsonObject, at: number): JsonObject {
  const isSaid = event.updated !== undefined && event.updated !== before.updated;
  return isSaid ? event : { ...event, updated: formatUtc(at) };
}

function shownOf(event: JsonObject, instance: string | undefined): JsonObject {
  return instance === undefined ? event : (findInstance(event, instance) ?? event);
}

/** `participants/me/…` is the participant whose calendar it is. */
const ownAlias = /^\/?participants\/me(?=\/|$)/;

/** The id of that participant; undefined where a patch does not use the alias. */
function ownIn(patch: JsonObject, event: JsonObject, addresses: readonly string[]): string | undefined {
  if (Object.hasOwn((member(event, "participants") ?? {}) as JsonObject, "me")) return undefined;
  const pointer = Object.keys(patch).find((one) => ownAlias.test(one));
  if (pointer === undefined) return undefined;
  const id = findParticipant(event, addresses);
  if (id !== undefined) return id;
  throw new WaypostError("invalid", "The owner of this calendar is not a participant of the event.", {
    field: `/${pointer.replace(/^\//, "")}`,
    hint: "content.event.participants of part.describe has their ids.",
  });
}

function withoutMe(patch: JsonObject, me: string | undefined): JsonObject {
  if (me === undefined) return patch;
  const resolved: Record<string, JsonObject[string]> = {};
  for (const [pointer, value] of Object.entries(patch))
    put(resolved, pointer.replace(ownAlias, `participants/${me}`), value);
  return resolved;
}

/** A refusal points at the place as the patch has named it. */
function saidOfMe<R>(me: string | undefined, change: () => R): R {
  try {
    return change();
  } catch (error) {
    if (me === undefined || !isWaypostError(error)) throw error;
    const { field } = error.details;
    const own = `/participants/${me}`;
    if (field === undefined || !`${field}/`.startsWith(`${own}/`)) throw error;
    throw new WaypostError(error.code, error.message, {
      ...error.details,
      field: `/participants/me${field.slice(own.length)}`,
    });
  }
}

function organizedBy(organizer: string | undefined, event: JsonObject): JsonObject {
  return organizer === undefined || event.organizerCalendarAddress !== undefined || !hasParticipants(event)
    ? event
    : patchEvent(event, { organizerCalendarAddress: organizer });
}

/** Whether the event, or one of its instances, has somebody. */
function hasParticipants(event: JsonObject): boolean {
  const overrides = Object.values((member(event, "recurrenceOverrides") ?? {}) as JsonObject);
  return [event, ...overrides].some(
    (one) => isObject(one) && Object.keys(one).some((name) => /^participants(?:\/|$)/.test(name)),
  );
}

function assertInstance(calendar: Component, event: JsonObject, instance: string): void {
  const isThere =
    parseLocal(instance) !== undefined &&
    (member(event, "recurrenceId") === instance || instanceIn(calendar, instance, undefined) !== undefined);
  if (!isThere)
    throw new WaypostError("not_found", "There is no such object.", {
      hint: "An instance has its time on the event's clock, event_…#2026-03-02T10:00:00. calendarMonth.list has those of a month.",
    });
}

function earliest(
  listed: readonly EventInstance[] | undefined,
  after: InstancePlace | undefined,
  limit = Number.POSITIVE_INFINITY,
): readonly EventInstance[] | undefined {
  const behind = listed?.filter((one) => after === undefined || isBehind(one, after));
  return behind?.toSorted(comparePlaces).slice(0, limit);
}

function isBehind(instance: EventInstance, after: InstancePlace): boolean {
  if (after.recurrenceId !== undefined) return comparePlaces(instance, after) > 0;
  return instance.startMs >= after.startMs;
}

type Placed = { readonly startMs: number; readonly recurrenceId?: string | undefined };

function comparePlaces(one: Placed, other: Placed): number {
  const [first, second] = [one.recurrenceId ?? "", other.recurrenceId ?? ""];
  return one.startMs - other.startMs || (first < second ? -1 : Number(first > second));
}

/** The instance with this recurrence id. It may have been moved, so it is looked for where the series has it. */
function instanceIn(calendar: Component, instance: string, zone: string | undefined) {
  const at = parseLocal(instance);
  if (at === undefined) return undefined;
  const spread = 366 * 24 * 3_600_000;
  const near = (reach: number) =>
    listInstances(calendar, zoneNamed(zone), at - reach, at + reach)?.find(
      ({ recurrenceId }) => recurrenceId === instance,
    );
  return near(2 * 24 * 3_600_000) ?? near(spread);
}

/** The instances of the next year. */
function agendaOf(calendar: Component, zone: string | undefined, at: number): string {
  const floating = zoneNamed(zone);
  const listed = listInstances(calendar, floating, at, at + 366 * 24 * 3_600_000) ?? [];
  const formOf = eventForms(calendar, floating, createRemovalTally());
  const lines = listed.slice(0, agendaLinesMax).map((instance) => agendaLine(formOf(instance)));
  return lines.join("\n");
}

const agendaLinesMax = 100;

export function doEventJob(job: NamedJob<EventJobs>): JobAnswer<EventJobs> {
  return doNamedJob(actions, job);
}
