/** The attendee's comment to the organizer with an answer or a proposal, in the property that Apple's programs read. */
import {
  type Component,
  changeItems,
  findProperty,
  type Item,
  makeProperty,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { formatText, parseText } from "#/src/formats/icalendar/text-value.ts";
import { attendeeCommentMax } from "#/src/model/limits.ts";
import { stampOf } from "../arriving/applied.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import { formatUtc } from "../outgoing/messages.ts";

const commentName = "X-CALENDARSERVER-ATTENDEE-COMMENT";
const commentRef = "X-CALENDARSERVER-ATTENDEE-REF";

/** Replaces or removes the comment of this attendee. */
export function withComment(target: Component, reply: Component, address: CalendarAddress): Component {
  const isOwn = (item: Item) =>
    item.kind === "property" && item.name === commentName && parameterValue(item, commentRef) === address;
  const text = parseText(findProperty(reply, "COMMENT")?.value ?? "")
    .slice(0, attendeeCommentMax)
    .trim();
  const others = target.items.filter((item) => !isOwn(item));
  if (text === "") return others.length === target.items.length ? target : changeItems(target, others);
  const at = others.findLastIndex((item) => item.kind === "property");
  const comment = makeProperty(commentName, formatText(text), [
    { name: commentRef, values: [address] },
    { name: "X-CALENDARSERVER-DTSTAMP", values: [formatUtc(stampOf(reply))] },
  ]);
  return changeItems(target, others.toSpliced(at + 1, 0, comment));
}
