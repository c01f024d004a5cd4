/** What an organizer's change means for the attendees (RFC 6638 section 3.2.1, RFC 5546 section 3.2.2 and 3.2.5).
 *
 *  | the attendee is | before | now | message |
 *  | --- | --- | --- | --- |
 *  | new | | series or instances | REQUEST of what the attendee is in |
 *  | gone | series or instances | | CANCEL of it |
 *  | in the series | | an instance less (EXDATE, an override without the attendee) | CANCEL of the instance |
 *  | in the series | | the series or its participants changed, or an override fell away | REQUEST of everything |
 *  | anywhere | | only overrides changed or came | REQUEST of these |
 *  | out of the series | series | instances | CANCEL of the series, REQUEST of the instances |
 *
 *  A component with STATUS:CANCELLED counts as deleted for every attendee. Attendees with SCHEDULE-AGENT=CLIENT or NONE count as
 *  absent, so an attendee who gets one of these values is sent a CANCEL. */
import { type Component, makeComponent, makeProperty } from "#/src/formats/content-lines/content-line.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import { makeOverride } from "../instances.ts";
import {
  type Method,
  makeMessageCalendar,
  pickProperties,
  type SchedulingMessage,
  sequenceOf,
  stamped,
  withoutOwnNotes,
  withSequence,
} from "../outgoing/messages.ts";
import { type Attendee, listAttendees } from "../participants.ts";
import {
  type Addresses,
  componentAt,
  type InstanceKey,
  listByInstance,
  type SchedulingObject,
} from "../scheduling-object.ts";
import { listMemberships, listViewComponents, type Membership, viewOf } from "./attendee-view.ts";
import { type Difference, differenceOf } from "./differences.ts";

/** `now` as it will be stored (`store-organizer.ts`); `forced`: attendees whom the client asks to send to. */
export interface OrganizerChange {
  readonly old: SchedulingObject | undefined;
  readonly now: SchedulingObject | undefined;
  readonly who: Addresses;
  readonly forced: Addresses;
  readonly nowMs: number;
}

export function listOrganizerMessages(change: OrganizerChange): SchedulingMessage[] {
  const { old, now, who } = change;
  const [before, after] = [listMemberships(old), listMemberships(now)];
  const differences = listDifferences(change);
  const writing: Writing = { ...change, requests: new Map(), cancels: new Map() };
  const requests: SchedulingMessage[] = [];
  for (const address of new Set([...before.keys(), ...after.keys()])) {
    if (who.has(address)) continue;
    const [was, is] = [before.get(address), after.get(address)];
    if (is === undefined) cancel(writing, address, was!.keys.has(undefined) ? [undefined] : [...was!.keys]);
    else if (was === undefined) requests.push(request(writing, address, is, undefined, true));
    else requests.push(...listForMember(writing, differences, address, was, is));
  }
  // An attendee who loses the series and keeps an instance gets the CANCEL of the series first.
  return [...listCancels(writing), ...requests];
}

type Differences = ReadonlyMap<InstanceKey | undefined, Difference>;

/** Of each component that is there now, against the same one before, or the instance that the series was then. */
function listDifferences({ old, now }: OrganizerChange): Differences {
  const differences = new Map<InstanceKey | undefined, Difference>();
  if (old === undefined || now === undefined) return differences;
  for (const [key, component] of listByInstance(now)) {
    const before = componentAt(old, key) ?? (key === undefined ? undefined : makeOverride(old, key));
    const isNew =
      before === undefined || (key !== undefined && old.exclusions.has(key) && !old.overrides.has(key));
    differences.set(
      key,
      isNew ? "content" : differenceOf({ object: old, component: before }, { object: now, component }),
    );
  }
  return differences;
}

function listForMember(
  writing: Writing,
  differences: Differences,
  address: CalendarAddress,
  was: Membership,
  is: Membership,
): SchedulingMessage[] {
  const { old, now, forced } = writing;
  const [before, after] = [viewOf(old!, was.keys), viewOf(now!, is.keys)];
  if (before.hasMaster && !after.hasMaster) {
    cancel(writing, address, [undefined]);
    return [request(writing, address, is, undefined, true)];
  }
  // Instances that were there: overrides of the attendee, and those of the series that nothing took away.
  const lost = after.hasMaster
    ? [...after.missing].filter(
        (key) => before.instances.has(key) || (before.hasMaster && !before.missing.has(key)),
      )
    : [...before.instances].filter((key) => !after.instances.has(key));
  if (lost.length > 0) cancel(writing, address, lost);
  const changed = [...is.keys].filter((key) => differences.get(key) !== "none");
  const isForced = forced.has(address);
  const reinstated = [...before.missing].some((key) => !after.missing.has(key) && !after.instances.has(key));
  const reverted =
    after.hasMaster &&
    [...before.instances].some((key) => !after.instances.has(key) && !after.missing.has(key));
  if (changed.length === 0 && !isForced && !reinstated && !reverted) return [];
  const isWhole =
    isForced || reinstated || reverted || changed.includes(undefined) || before.hasMaster !== after.hasMaster;
  const isSignificant =
    isForced || reinstated || reverted || changed.some((key) => differences.get(key) !== "participants");
  return [request(writing, address, is, isWhole ? undefined : changed, isSignificant)];
}

/** The properties of a component that a CANCEL has, so that the attendee's program and a reader can identify the event. */
const cancelledNames = new Set([
  "UID",
  "RECURRENCE-ID",
  "SUMMARY",
  "LOCATION",
  "DTSTART",
  "DTEND",
  "DUE",
  "DURATION",
  "ORGANIZER",
  "SEQUENCE",
]);

interface Writing extends OrganizerChange {
  /** A message that is the same for several attendees is made once. */
  readonly requests: Map<string, Component>;
  readonly cancels: Map<
    string,
    { readonly keys: readonly (InstanceKey | undefined)[]; readonly to: CalendarAddress[] }
  >;
}

/** `keys`: only these components; all of the attendee's if undefined. */
function request(
  writing: Writing,
  to: CalendarAddress,
  { keys: own }: Membership,
  keys: readonly (InstanceKey | undefined)[] | undefined,
  isSignificant: boolean,
): SchedulingMessage {
  const { nowMs, requests } = writing;
  const now = writing.now!;
  const view = viewOf(now, own);
  const name = `${view.name}/${keys?.join(" ")}`;
  let calendar = requests.get(name);
  if (calendar === undefined) {
    const components =
      keys === undefined ? listViewComponents(now, view) : keys.map((key) => componentAt(now, key)!);
    const sent = components.map((component) => stamped(withoutOwnNotes(component), nowMs));
    calendar = makeMessageCalendar("REQUEST", sent, now.calendar);
    requests.set(name, calendar);
  }
  return message(writing, "REQUEST", to, calendar, isSignificant);
}

function cancel({ cancels }: Writing, to: CalendarAddress, keys: readonly (InstanceKey | undefined)[]): void {
  const name = keys.join(" ");
  const known = cancels.get(name);
  if (known === undefined) cancels.set(name, { keys, to: [to] });
  else known.to.push(to);
}

/** One CANCEL for all attendees who lose the same components; it names them (RFC 5546 section 3.2.5). */
function listCancels(writing: Writing): SchedulingMessage[] {
  const { old, cancels } = writing;
  return [...cancels.values()].flatMap(({ keys, to }) => {
    const components = keys
      .map((key) => cancelled(writing, new Set(to), key))
      .filter((one) => one !== undefined);
    const calendar = makeMessageCalendar("CANCEL", components, old!.calendar);
    return to.map((address) => message(writing, "CANCEL", address, calendar, true));
  });
}

function cancelled(
  { old, now, nowMs }: Writing,
  to: Addresses,
  key: InstanceKey | undefined,
): Component | undefined {
  const source = componentAt(old!, key) ?? (key === undefined ? undefined : makeOverride(old!, key));
  if (source === undefined) return undefined;
  const present = now === undefined ? undefined : (componentAt(now, key) ?? now.master);
  // RFC 5546 section 3.2.5: greater than what the attendee has, where the event is gone for all.
  const sequence =
    present === undefined ? sequenceOf(source) + 1 : Math.max(sequenceOf(present), sequenceOf(source));
  const plain = makeComponent(source.name, [
    ...pickProperties(source, cancelledNames),
    ...listAttendees(source)
      .filter(({ address }) => to.has(address))
      .map(({ property }) => property),
    makeProperty("STATUS", "CANCELLED"),
  ]);
  return withSequence(stamped(withoutOwnNotes(plain), nowMs), sequence);
}

/** DECLINECOUNTER (RFC 5546 section 3.2.8), to each attendee whose proposal was taken away. */
export function listDeclinedProposals(
  old: SchedulingObject | undefined,
  declined: ReadonlyMap<Component, readonly Attendee[]>,
  nowMs: number,
): SchedulingMessage[] {
  const byAttendee = new Map<CalendarAddress, Component[]>();
  for (const [component, attendees] of declined)
    for (const { address, property } of attendees) {
      const plain = makeComponent(component.name, [...pickProperties(component, cancelledNames), property]);
      const told = withSequence(stamped(withoutOwnNotes(plain), nowMs), sequenceOf(component));
      byAttendee.set(address, [...(byAttendee.get(address) ?? []), told]);
    }
  return [...byAttendee].map(([to, components]) => ({
    method: "DECLINECOUNTER",
    from: old!.organizer!.address,
    to,
    calendar: makeMessageCalendar("DECLINECOUNTER", components, old!.calendar),
    isSignificant: true,
  }));
}

function message(
  { old, now }: Writing,
  method: Method,
  to: CalendarAddress,
  calendar: Component,
  isSignificant: boolean,
): SchedulingMessage {
  return { method, from: (now ?? old)!.organizer!.address, to, calendar, isSignificant };
}
