/** What an agent or a program writes into an event of a person's calendar is not the person's own: what others would read of it leaves when
 *  the person has approved it. */
import {
  type Component,
  changeItems,
  type Item,
  listProperties,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { participationCommentParameter } from "#/src/formats/jscalendar/participants.ts";
import { addressOfProperty, type CalendarAddress } from "../calendar-address.ts";
import { mapComponents } from "../instances.ts";
import { withoutOwnNotes } from "../outgoing/messages.ts";
import { listAttendees } from "../participants.ts";
import { type Addresses, listSchedulingComponents } from "../scheduling-object.ts";
import { proposalOf } from "./proposals.ts";

/** Programs set them without another word. */
const stamps = new Set(["DTSTAMP", "LAST-MODIFIED", "SEQUENCE", "CREATED"]);

/** Whether others would read other octets: also in what calendars do not compare, such as X-ALT-DESC and CATEGORIES. */
export function readsOtherwise(before: Component | undefined, after: Component, who: Addresses): boolean {
  return before === undefined || textOf(before, who) !== textOf(after, who);
}

function textOf(calendar: Component, who: Addresses): string {
  const read = mapComponents(calendar, (component) => {
    const plain = withoutOwnNotes(component);
    return changeItems(
      plain,
      plain.items.filter((item) => !isPlainStamp(item)),
    );
  });
  const text = writeContentLines({ items: read.items.filter(({ kind }) => kind === "component") });
  return [text.toString("latin1"), ...listSaid(calendar, who)].join("\n");
}

/** A stamp with anything else in it is words. */
function isPlainStamp(item: Item): boolean {
  return (
    item.kind === "property" &&
    stamps.has(item.name) &&
    item.parameters.length === 0 &&
    /^[0-9TZ]{1,16}$/.test(item.value)
  );
}

/** What the owner says as an attendee: parameters of the own ATTENDEE, which an answer has in properties. */
function listSaid(calendar: Component, who: Addresses): string[] {
  return listSchedulingComponents(calendar)
    .flatMap(listAttendees)
    .filter(({ address }) => who.has(address))
    .map(
      ({ property }) =>
        `${parameterValue(property, participationCommentParameter) ?? ""} ${proposalOf(property) ?? ""}`,
    );
}

/** Who takes part besides the owner. */
export function listOthers(calendar: Component, who: Addresses): CalendarAddress[] {
  const all = listSchedulingComponents(calendar).flatMap((component) => [
    ...listProperties(component, "ORGANIZER"),
    ...listProperties(component, "ATTENDEE"),
  ]);
  return [...new Set(all.map(addressOfProperty))].filter((address) => !who.has(address));
}
