/** Short texts of scheduling objects for tests, and messages as short texts. */
import { Buffer } from "node:buffer";
import { type Component, findProperty, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { type CalendarAddress, readCalendarAddress } from "#/src/scheduling/calendar-address.ts";
import { type DecisionInput, decide, isBrokenRule } from "#/src/scheduling/decisions/decide.ts";
import type { SchedulingMessage } from "#/src/scheduling/outgoing/messages.ts";
import { listAttendees } from "#/src/scheduling/participants.ts";
import { listSchedulingComponents } from "#/src/scheduling/scheduling-object.ts";

export const nowMs = Date.UTC(2026, 8, 15, 9);

export function addressesOf(...names: string[]): ReadonlySet<CalendarAddress> {
  return new Set(names.map((name) => readCalendarAddress(`mailto:${name}@x.example`)));
}

export function calendar(...events: string[]): Component {
  const text = `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Test//EN\n${events.join("")}END:VCALENDAR\n`;
  return listComponents(readContentLines(Buffer.from(text.replaceAll("\n", "\r\n"))))[0]!;
}

/** `people`: "ann*" is the organizer, "bob=ACCEPTED" an attendee with an answer, ";" parameters behind. */
export function event(people: string, lines = "", kind = "VEVENT"): string {
  const parts = people.split(" ").filter((one) => one !== "");
  const written = parts.map((part) => {
    const [, name, answer, parameters] = /^(\w+)\*?(?:=([A-Z-]+))?((?:;[^ ]+)?)$/.exec(part)!;
    return part.includes("*")
      ? `ORGANIZER${parameters}:mailto:${name}@x.example\n`
      : `ATTENDEE${answer === undefined ? "" : `;PARTSTAT=${answer}`}${parameters}:mailto:${name}@x.example\n`;
  });
  const has = (name: string) => new RegExp(`^${name}[:;]`, "m").test(lines);
  const defaults = [
    has("UID") ? "" : "UID:u1\n",
    has("DTSTAMP") ? "" : "DTSTAMP:20260901T000000Z\n",
    has("DTSTART") ? "" : "DTSTART:20261005T100000Z\n",
    has("DTEND") || has("DURATION") || kind !== "VEVENT" ? "" : "DTEND:20261005T110000Z\n",
    has("SUMMARY") ? "" : "SUMMARY:Plan\n",
  ].join("");
  return `BEGIN:${kind}\n${defaults}${written.join("")}${lines === "" || lines.endsWith("\n") ? lines : `${lines}\n`}END:${kind}\n`;
}

/** "RECURRENCE-ID sequence attendee=ANSWER …" of each component; "series" for the series. */
export function shortComponents(tree: Component): string[] {
  return listSchedulingComponents(tree).map((component) => {
    const value = (name: string) => findProperty(component, name)?.value;
    const people = listAttendees(component).map(
      ({ address, partstat }) => `${address.replace("mailto:", "").replace("@x.example", "")}=${partstat}`,
    );
    const gone = listExclusions(component);
    return [value("RECURRENCE-ID") ?? "series", value("SEQUENCE") ?? "-", ...people, ...gone].join(" ");
  });
}

function listExclusions(component: Component): string[] {
  return component.items.flatMap((item) =>
    item.kind === "property" && item.name === "EXDATE" ? [`-${item.value}`] : [],
  );
}

/** "METHOD to: component | component", with "(quiet)" where no person has to know. */
export function shortMessage({ method, to, calendar: tree, isSignificant }: SchedulingMessage): string {
  const name = to.replace("mailto:", "").replace("@x.example", "");
  return `${method} ${name}${isSignificant ? "" : " (quiet)"}: ${shortComponents(tree).join(" | ")}`;
}

export function decideFor(
  who: string,
  old: Component | undefined,
  now: Component | undefined,
  more: Partial<DecisionInput> = {},
): { readonly messages: readonly string[]; readonly stored: readonly string[] } | string {
  const decided = decide({ old, now, who: addressesOf(who), nowMs, ...more });
  if (isBrokenRule(decided)) return decided.precondition;
  return {
    messages: decided.messages.map(shortMessage),
    stored: decided.stored === undefined ? [] : shortComponents(decided.stored),
  };
}

export function textOf(tree: Component): string {
  return writeContentLines({ items: [tree] })
    .toString("utf8")
    .replaceAll("\r\n", "\n");
}
