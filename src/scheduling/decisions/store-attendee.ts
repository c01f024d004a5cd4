/** The object that is stored for an attendee's change (RFC 6638 section 3.2.10). An attendee cannot change the answers of others, and
 *  the client may not know the latest ones, so the stored answers stay. A client that relied on the Schedule-Tag may also not know which
 *  attendees were added or removed: then the whole stored list stays, except for the attendee and its delegates. */
import {
  type Component,
  changeItems,
  findProperty,
  type Item,
  type Property,
} from "#/src/formats/content-lines/content-line.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import { makeOverride, mapComponents } from "../instances.ts";
import { sequenceOf, withSequence } from "../outgoing/messages.ts";
import { type Attendee, findAttendee, listAttendees, readAttendee, setParameters } from "../participants.ts";
import {
  type Addresses,
  componentAt,
  type InstanceKey,
  listByInstance,
  type SchedulingObject,
} from "../scheduling-object.ts";

export function storeAttendeeChange(
  old: SchedulingObject,
  now: SchedulingObject,
  who: Addresses,
  isMerging: boolean,
): Component {
  const keys = new Map<Component, InstanceKey | undefined>(
    listByInstance(now).map(([key, component]) => [component, key]),
  );
  return mapComponents(now.calendar, (component) => {
    const key = keys.get(component);
    const before = componentAt(old, key) ?? (key === undefined ? undefined : makeOverride(old, key));
    return before === undefined
      ? component
      : withSequenceOf(before, withOthers(before, component, who, isMerging));
  });
}

/** Only the organizer changes SEQUENCE. If a client leaves it out, its answer would be for an older invitation than the stored one,
 *  and the organizer's program would ignore it. */
function withSequenceOf(before: Component, component: Component): Component {
  const sequence = sequenceOf(before);
  return sequenceOf(component) < sequence ? withSequence(component, sequence) : component;
}

function withAnswerOf({ property, partstat }: Attendee, item: Property): Property {
  const rsvp = property.parameters.find(({ name }) => name === "RSVP")?.values;
  return setParameters(item, { PARTSTAT: partstat, RSVP: rsvp });
}

/** Who may send for the organizer is the organizer's word: the assistant that it names changes the event. */
function withSentByOf(before: Component, organizer: Property): Property {
  const was = findProperty(before, "ORGANIZER");
  return setParameters(organizer, {
    "SENT-BY": was?.parameters.find(({ name }) => name === "SENT-BY")?.values,
  });
}

function withOthers(before: Component, component: Component, who: Addresses, isMerging: boolean): Component {
  const own = findAttendee(component, (address) => who.has(address));
  const isOwn = (address: CalendarAddress) => who.has(address) || own?.delegatedTo.includes(address) === true;
  const others = new Map(
    listAttendees(before)
      .filter(({ address }) => !isOwn(address))
      .map((one) => [one.address, one]),
  );
  let lastAt = -1;
  const items: Item[] = [];
  for (const item of component.items) {
    if (item.kind !== "property" || item.name !== "ATTENDEE") {
      const isOrganizer = item.kind === "property" && item.name === "ORGANIZER";
      items.push(isOrganizer ? withSentByOf(before, item) : item);
      continue;
    }
    const attendee = readAttendee(item);
    const known = others.get(attendee.address);
    others.delete(attendee.address);
    if (known === undefined && isMerging && !isOwn(attendee.address)) continue;
    const isOther = known !== undefined && known.partstat !== attendee.partstat;
    lastAt = items.push(isOther ? withAnswerOf(known, item) : item);
  }
  if (isMerging && own !== undefined)
    items.splice(
      lastAt < 0 ? items.length : lastAt,
      0,
      ...[...others.values()].map(({ property }) => property),
    );
  return items.length === component.items.length && items.every((item, at) => item === component.items[at])
    ? component
    : changeItems(component, items);
}
