/** What an agent or a program writes into an event of a person's calendar is not the person's own: what others would read of it leaves when
 *  the person has approved it. */
import { type Component, changeItems, listProperties } from "#/src/formats/content-lines/content-line.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { addressOfProperty, type CalendarAddress } from "../calendar-address.ts";
import { mapComponents } from "../instances.ts";
import { withoutOwnNotes } from "../outgoing/messages.ts";
import { type Addresses, listSchedulingComponents } from "../scheduling-object.ts";

/** Programs set them without another word. */
const stamps = new Set(["DTSTAMP", "LAST-MODIFIED", "SEQUENCE", "CREATED"]);

/** Whether others would read other octets: also in what calendars do not compare, such as X-ALT-DESC and CATEGORIES. */
export function readsOtherwise(before: Component | undefined, after: Component): boolean {
  return before === undefined || textOf(before) !== textOf(after);
}

function textOf(calendar: Component): string {
  const read = mapComponents(calendar, (component) => {
    const plain = withoutOwnNotes(component);
    return changeItems(
      plain,
      plain.items.filter((item) => item.kind !== "property" || !stamps.has(item.name)),
    );
  });
  return writeContentLines({ items: read.items.filter(({ kind }) => kind === "component") }).toString(
    "latin1",
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
