/** Questions of reports about one item, as values: whether it matches a filter, or which of its data is asked for. Each answer is a
 *  pure function of the item's octets, so a thread can compute it (`large-items.ts`). */
import { findCalendarZone } from "#/src/collections/calendar-zone.ts";
import { type Component, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { type TimeZone, utcZone } from "#/src/formats/icalendar/time-zone.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { type AddressDataRequest, selectAddressData } from "./address-data.ts";
import { type AddressFilter, matchesCard } from "./address-filter.ts";
import { type CalendarDataRequest, selectCalendarData } from "./calendar-data.ts";
import type { CompFilter } from "./calendar-filter.ts";
import { matchesCalendar } from "./match-calendar.ts";

export type MatchQuestion =
  /** `zone`: of floating times, as a calendar has it. */
  | { readonly ask: "calendar-filter"; readonly filter: CompFilter; readonly zone: string | undefined }
  | { readonly ask: "address-filter"; readonly filter: AddressFilter };

export type DataQuestion =
  | {
      readonly ask: "calendar-data";
      readonly selection: CalendarDataRequest;
      readonly zone: string | undefined;
    }
  | { readonly ask: "address-data"; readonly selection: AddressDataRequest };

export interface QuestionJob {
  readonly bytes: Uint8Array;
  readonly question: MatchQuestion | DataQuestion;
}

/** Whether the item matches, or the octets that were asked for; undefined beyond the limits of expansion. */
export interface QuestionAnswer {
  readonly result: boolean | Uint8Array | undefined;
  readonly spentMs: number;
}

export function answerQuestion({ bytes, question }: QuestionJob): QuestionAnswer {
  const start = performance.now();
  const result = "filter" in question ? isMatch(bytes, question) : selected(bytes, question);
  return { result, spentMs: performance.now() - start };
}

function isMatch(bytes: Uint8Array, question: MatchQuestion): boolean {
  if (question.ask === "address-filter") {
    const card = readObject(bytes, "VCARD");
    return card !== undefined && matchesCard(question.filter, card);
  }
  const calendar = readObject(bytes, "VCALENDAR");
  return calendar !== undefined && matchesCalendar(question.filter, calendar, zoneNamed(question.zone));
}

function selected(bytes: Uint8Array, question: DataQuestion): Uint8Array | undefined {
  const object = readObject(bytes, question.ask === "address-data" ? "VCARD" : "VCALENDAR");
  if (object === undefined) return bytes;
  const selection =
    question.ask === "address-data"
      ? selectAddressData(question.selection, object)
      : selectCalendarData(question.selection, object, zoneNamed(question.zone));
  return selection && new Uint8Array(writeContentLines({ items: [selection] }));
}

function zoneNamed(zone: string | undefined): TimeZone {
  return (zone === undefined ? undefined : findCalendarZone(zone)) ?? utcZone;
}

/** The object or card in an item's octets; undefined if it cannot be parsed. */
export function readObject(bytes: Uint8Array, name: "VCALENDAR" | "VCARD"): Component | undefined {
  try {
    return listComponents(readContentLines(bytes), name)[0];
  } catch (error) {
    if (isWaypostError(error)) return undefined;
    throw error;
  }
}
