/** Bytes of iCalendar or vCard into a tree of components (RFC 5545 section 3.1, 3.4 and 3.6; RFC 6350 section 3.2 and 3.3).
 *  Nothing is lost: `writeContentLines` gives the same octets again, also for text that is not iCalendar. Faults of the stream
 *  are listed in `faults`; only a stream beyond the limits of `model/limits.ts` is refused.
 *  Lenient: a bare LF ends a line (exports of Google and of many scripts), blank lines are kept (Outlook writes them), a
 *  component without END ends with the text or with the component around it (truncated downloads). */

import { isUtf8 } from "node:buffer";
import { WaypostError } from "#/src/model/errors.ts";
import { readForeign } from "#/src/model/foreign-text.ts";
import {
  contentDepthMax,
  contentFaultsMax,
  contentLinesMax,
  contentStreamBytesMax,
} from "#/src/model/limits.ts";
import { hasEightBit, octetBytes, octetString } from "../mime/octets.ts";
import type { Component, ContentStream, Fault, FaultReason, Item, Property } from "./content-line.ts";
import { readProperty } from "./read-property.ts";

interface OpenComponent {
  readonly name: string;
  readonly begin: string;
  readonly line: number;
  readonly items: Item[];
}

interface Reading {
  readonly text: string;
  readonly open: OpenComponent[];
  readonly items: Item[];
  readonly faults: Fault[];
  readonly faultCounts: Map<FaultReason, number>;
  position: number;
  /** Number of the physical line at the position. */
  line: number;
}

/** Throws `invalid` with the reason `too_large` or `limit_reached` if the stream is beyond the limits. */
export function readContentLines(bytes: Uint8Array): ContentStream {
  return readForeign(
    "content lines",
    bytes,
    () => readStream(bytes),
    () => {
      throw beyond("The text stopped the server when it was read before.");
    },
  );
}

function readStream(bytes: Uint8Array): ContentStream {
  if (bytes.length > contentStreamBytesMax)
    throw new WaypostError("invalid", `The text has more than ${contentStreamBytesMax} octets.`, {
      reason: "too_large",
    });
  const text = octetString(bytes);
  const start = text.startsWith(utf8Mark) ? utf8Mark.length : 0;
  const reading: Reading = {
    text,
    open: [],
    items: [],
    faults: [],
    faultCounts: new Map(),
    position: start,
    line: 1,
  };
  if (start > 0) reading.items.push({ kind: "unread", octets: utf8Mark });
  for (let lines = 0; reading.position < text.length; lines++) {
    if (lines === contentLinesMax) throw beyond(`The text has more than ${contentLinesMax} lines.`);
    readLine(reading);
  }
  while (reading.open.length > 0) closeComponent(reading, "");
  reading.faults.sort((one, other) => one.line - other.line);
  return { items: reading.items, faults: reading.faults };
}

const utf8Mark = "\xef\xbb\xbf";

function beyond(message: string): WaypostError {
  return new WaypostError("invalid", message, { reason: "limit_reached" });
}

function readLine(reading: Reading): void {
  const { text, position: start, line } = reading;
  let isFolded = takePhysicalLines(reading, isFold);
  let octets = text.slice(start, reading.position);
  let unfolded = withoutLineEnd(isFolded ? unfoldLines(octets) : octets);
  if (unfolded.endsWith("=") && isQuotedPrintable(octets, unfolded)) {
    // vCard 2.1 section 2.1.3: a soft line end continues the value on the next line, which needs no white space.
    while (reading.position < text.length && isSoftlyContinued(reading)) {
      takePhysicalLines(reading, isFold);
      isFolded = true;
    }
    octets = text.slice(start, reading.position);
    unfolded = withoutLineEnd(isFolded ? octets.replace(foldsButSoftEnds, "") : octets);
  }
  findFaultsOfText(reading, octets, unfolded, line);
  if (unfolded.trim() === "") {
    itemsOf(reading).push({ kind: "unread", octets });
    return;
  }
  const { property, fault } = readProperty(octets, unfolded);
  if (fault !== undefined) addFault(reading, line, fault);
  if (property === undefined) itemsOf(reading).push({ kind: "unread", octets });
  else if (property.name === "BEGIN" && property.group === undefined)
    openComponent(reading, property, octets, line);
  else if (property.name === "END" && property.group === undefined)
    endComponent(reading, property, octets, line);
  else {
    if (reading.open.length === 0) addFault(reading, line, "property outside of a component");
    itemsOf(reading).push(property);
  }
}

/** RFC 5545 section 3.1: a line end with white space behind it is no part of the text. */
export function unfoldLines(octets: string): string {
  return octets.replace(folds, "");
}

const folds = /\r?\n[ \t]/g;
/** White space after a soft line end belongs to the value. */
const foldsButSoftEnds = /(?<!=\r?)(?:\r\n|(?<!\r)\n)[ \t]/g;

/** Moves past the line and its continuation lines. True if there is a continuation line. */
function takePhysicalLines(reading: Reading, continues: (reading: Reading) => boolean): boolean {
  let count = 0;
  do {
    const end = reading.text.indexOf("\n", reading.position);
    reading.position = end < 0 ? reading.text.length : end + 1;
    reading.line++;
    count++;
  } while (reading.position < reading.text.length && continues(reading));
  return count > 1;
}

function isFold({ text, position }: Reading): boolean {
  const code = text.charCodeAt(position);
  return code === 32 || code === 9;
}

function isSoftlyContinued(reading: Reading): boolean {
  const { text, position } = reading;
  const end = text[position - 2] === "\r" ? position - 3 : position - 2;
  // Some writers end a value in "=" although the next line does not continue it; an END must not be read as its continuation.
  return text[end] === "=" && !/^(?:BEGIN|END):/i.test(text.slice(position, position + 6));
}

function isQuotedPrintable(octets: string, unfolded: string): boolean {
  if (!/quoted-printable/i.test(unfolded.slice(0, headMax))) return false;
  return (
    readProperty(octets, unfolded).property?.parameters.some(
      ({ name, values }) =>
        name === "QUOTED-PRINTABLE" ||
        (name === "ENCODING" && values[0]?.toUpperCase() === "QUOTED-PRINTABLE"),
    ) ?? false
  );
}

/** Bound on the part of a vCard 2.1 line before its value. */
const headMax = 1000;

function withoutLineEnd(text: string): string {
  if (!text.endsWith("\n")) return text;
  return text.slice(0, text.endsWith("\r\n") ? -2 : -1);
}

function itemsOf(reading: Reading): Item[] {
  return reading.open.at(-1)?.items ?? reading.items;
}

/** Keeps the first faults of each kind, so that a bare LF in every line does not hide more serious faults. */
function addFault(reading: Reading, line: number, reason: FaultReason): void {
  const count = reading.faultCounts.get(reason) ?? 0;
  if (count === contentFaultsMax) return;
  reading.faultCounts.set(reason, count + 1);
  reading.faults.push({ line, reason });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const controls = /[\0-\x08\x0b-\x1f\x7f]/;

function findFaultsOfText(reading: Reading, octets: string, unfolded: string, line: number): void {
  if (/(?:^|[^\r])\n/.test(octets)) addFault(reading, line, "bare LF");
  if (controls.test(unfolded)) addFault(reading, line, "control character");
  if (hasEightBit(unfolded) && !isUtf8(octetBytes(unfolded))) addFault(reading, line, "not UTF-8");
}

function openComponent(reading: Reading, property: Property, octets: string, line: number): void {
  if (reading.open.length === contentDepthMax)
    throw beyond(`Line ${line} begins a component inside more than ${contentDepthMax} others.`);
  reading.open.push({ name: property.value.trim().toUpperCase(), begin: octets, line, items: [] });
}

function endComponent(reading: Reading, property: Property, octets: string, line: number): void {
  const name = property.value.trim().toUpperCase();
  const { open } = reading;
  if (!open.some((component) => component.name === name)) {
    addFault(reading, line, "END without BEGIN");
    itemsOf(reading).push({ kind: "unread", octets });
    return;
  }
  while (open.at(-1)!.name !== name) closeComponent(reading, "");
  closeComponent(reading, octets);
}

function closeComponent(reading: Reading, end: string): void {
  const { name, begin, line, items } = reading.open.pop()!;
  if (end === "") addFault(reading, line, "BEGIN without END");
  const component: Component = { kind: "component", name, items, begin, end };
  itemsOf(reading).push(component);
}
