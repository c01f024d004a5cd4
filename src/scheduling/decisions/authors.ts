/** Who wrote each ATTENDEE and ORGANIZER of a person's calendar. What an agent or a program has written there is marked, and nothing is
 *  sent to it in the person's name until the person approves: by SCHEDULE-FORCE-SEND (RFC 6638 section 7.2), by removing
 *  `waypost:addedBy` in a patch, or by adding the participant anew. The mark is a parameter, and a part of CN, which programs show. */
import {
  type Component,
  changeItems,
  type Item,
  listProperties,
  type Property,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { addressOfProperty, type CalendarAddress, mailAddressOf } from "../calendar-address.ts";
import { mapComponents } from "../instances.ts";
import { setParameters } from "../participants.ts";
import { type Addresses, listSchedulingComponents, type SchedulingObject } from "../scheduling-object.ts";

export const addedByParameter = "X-WAYPOST-ADDED-BY";

export interface Authorship {
  /** The address of the agent or program that writes into a person's calendar; undefined for the person. */
  readonly addedBy: string | undefined;
  /** Participants that the person approves with this change. */
  readonly approved: Addresses;
  /** The person approves those whose mark is gone. */
  readonly isApproving: boolean;
  /** Addresses of the owner, to which nothing is sent. */
  readonly who: Addresses;
}

/** The calendar with the marks of its participants: known ones keep theirs, new ones get one if a person did not write them. */
export function withAuthors(
  before: SchedulingObject | undefined,
  calendar: Component,
  { addedBy, approved, isApproving, who }: Authorship,
): Component {
  const known = new Map<CalendarAddress, string | undefined>();
  for (const property of before === undefined ? [] : listParticipants(before.calendar))
    known.set(addressOfProperty(property), parameterValue(property, addedByParameter));
  const isApproved = (property: Property, address: CalendarAddress): boolean =>
    approved.has(address) || (isApproving && !isMarked(property));
  return mapParticipants(calendar, (given) => {
    // RFC 6638 section 7.2: it is about this change, and is not stored. A program that writes it back would approve with it.
    const property = setParameters(given, { "SCHEDULE-FORCE-SEND": undefined });
    const address = addressOfProperty(property);
    if (known.get(address) !== undefined || who.has(address)) {
      if (who.has(address) || isApproved(property, address)) return plainOf(property);
      return withMark(property, known.get(address)!);
    }
    if (known.has(address)) return withoutMark(property);
    if (addedBy !== undefined) return withMark(property, addedBy);
    // A copy that a person makes keeps the mark of the original, also if the program leaves out the parameter.
    const shown = shownMark.exec(parameterValue(property, "CN") ?? "")?.[1];
    return shown === undefined || approved.has(address) ? property : withMark(property, shown);
  });
}

/** Participants that no person has written or approved. */
export function listMarked(calendar: Component): CalendarAddress[] {
  return listParticipants(calendar).filter(isMarked).map(addressOfProperty);
}

function listParticipants(calendar: Component): Property[] {
  return listSchedulingComponents(calendar).flatMap((component) => [
    ...listProperties(component, "ORGANIZER"),
    ...listProperties(component, "ATTENDEE"),
  ]);
}

function mapParticipants(calendar: Component, change: (property: Property) => Property): Component {
  return mapComponents(calendar, (component) => {
    const items = component.items.map((item): Item => {
      const isParticipant =
        item.kind === "property" && (item.name === "ATTENDEE" || item.name === "ORGANIZER");
      return isParticipant ? change(item) : item;
    });
    const isSame = items.every((item, at) => item === component.items[at]);
    return isSame ? component : changeItems(component, items);
  });
}

function isMarked(property: Property): boolean {
  return parameterValue(property, addedByParameter) !== undefined;
}

const shownMark = / ?\(added by ([^()]*)\)$/;

/** As others see a participant. */
export function withoutMark(property: Property): Property {
  return isMarked(property) ? plainOf(property) : property;
}

function plainOf(property: Property): Property {
  const shown = parameterValue(property, "CN");
  const name = shown?.replace(shownMark, "");
  const isMade = name !== shown && (name === "" || name === mailAddressOf(addressOfProperty(property)));
  return setParameters(property, {
    [addedByParameter]: undefined,
    ...(name === shown ? {} : { CN: isMade ? undefined : name }),
  });
}

function withMark(property: Property, addedBy: string): Property {
  const plain = plainOf(property);
  const name = parameterValue(plain, "CN") ?? mailAddressOf(addressOfProperty(plain)) ?? "";
  return setParameters(plain, { [addedByParameter]: addedBy, CN: `${name} (added by ${addedBy})`.trim() });
}
