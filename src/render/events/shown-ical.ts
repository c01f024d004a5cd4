/** The text of a calendar object as readers get it: cleaned, without HTML, because a single line does not show which part of it is
 *  hidden, and with links to the event in place of inline data. */
import {
  type Component,
  changeItems,
  changeProperty,
  type Item,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { cleanText } from "../clean-text.ts";
import type { RemovalTally } from "../removal.ts";
import { inlineDataMax, isDataUri } from "../shown-object.ts";

/** `id`: of the event. */
export function shownIcal(calendar: Component, id: string, tally: RemovalTally): string {
  const bytes = writeContentLines({ items: [shownComponent(calendar, id, tally)] });
  return cleanText(bytes.toString("utf8"), "ical", tally);
}

function shownComponent(component: Component, id: string, tally: RemovalTally): Component {
  const items = component.items.flatMap((item): Item[] => {
    if (item.kind === "unread") return [item];
    if (item.kind === "component") return [shownComponent(item, id, tally)];
    if (item.name === "X-ALT-DESC" || parameterValue(item, "FMTTYPE")?.toLowerCase() === "text/html") {
      tally.add("hidden-element", "ical");
      return [];
    }
    const isInline = isDataUri(item.value) || parameterValue(item, "VALUE")?.toUpperCase() === "BINARY";
    if (!isInline || item.value.length <= inlineDataMax) return [item];
    tally.add("over-limit", "ical");
    const parameters = item.parameters.filter(({ name }) => name !== "ENCODING" && name !== "VALUE");
    return [changeProperty(item, { value: `waypost:${id}`, parameters })];
  });
  return changeItems(component, items);
}
