/** The iTIP message in a mail (RFC 6047 section 2.4): the first text/calendar part whose METHOD is that of its Content-Type. Nested
 *  messages are not searched, because people forward them for reading.
 *  Lenient: a Content-Type without "method" (old servers); a part with a different method is not a message. If there is no
 *  text/calendar, an attachment of type application/ics or with the name .ics (Outlook, gateways) is used. */

import {
  type Component,
  changeItems,
  findProperty,
  listComponents,
  makeProperty,
} from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { decodeCharset } from "#/src/formats/mime/charset.ts";
import type { MimePart } from "#/src/formats/mime/structure.ts";
import { decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { arrivingCalendarBytesMax } from "#/src/model/limits.ts";
import type { CalendarAddress } from "../calendar-address.ts";
import type { Method } from "../outgoing/messages.ts";
import { readMessage } from "./apply.ts";

export interface ArrivingCalendar {
  readonly method: Method;
  readonly uid: string;
  readonly organizer: CalendarAddress;
  /** The VCALENDAR in UTF-8. */
  readonly bytes: Uint8Array;
}

/** Bound on the calendar parts of one mail that are read. */
const partsMax = 3;

/** undefined for a mail without an iTIP message that calendars accept. Does not throw. */
export function findArrivingCalendar(bytes: Uint8Array, structure: MimePart): ArrivingCalendar | undefined {
  for (const part of listCalendarParts(structure)) {
    const found = readPart(bytes, part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function listCalendarParts(top: MimePart): MimePart[] {
  const parts: MimePart[] = [];
  const attachments: MimePart[] = [];
  const waiting = [top];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part.type === "text" && part.subtype === "calendar") parts.push(part);
    else if (isCalendarFile(part)) attachments.push(part);
    for (let at = part.parts.length - 1; at >= 0; at--) waiting.push(part.parts[at]!);
  }
  return (parts.length > 0 ? parts : attachments).slice(0, partsMax);
}

function isCalendarFile({ type, subtype, parameters, dispositionParameters }: MimePart): boolean {
  if (type !== "application") return false;
  const name = dispositionParameters.filename ?? parameters.name ?? "";
  return subtype === "ics" || subtype === "x-ics" || /\.ics$/i.test(name.trim());
}

function readPart(bytes: Uint8Array, part: MimePart): ArrivingCalendar | undefined {
  if (part.bodyEnd - part.bodyStart > arrivingCalendarBytesMax) return undefined;
  const octets = decodeTransfer(bytes.subarray(part.bodyStart, part.bodyEnd), part.encoding);
  const text = Buffer.from(decodeCharset(octets, part.parameters.charset ?? "utf-8"));
  const calendar = readCalendar(text);
  const message = calendar && readMessage(calendar);
  const named = part.parameters.method?.toUpperCase() ?? message?.method;
  if (message === undefined || named !== message.method) return undefined;
  const { uid, organizer } = message.object;
  const whole = new Uint8Array(withVersion(calendar!, text));
  return { method: message.method, uid, organizer: organizer!.address, bytes: whole };
}

/** Lenient: Google has sent invitations without VERSION, which cannot be stored. */
function withVersion(calendar: Component, text: Buffer): Buffer {
  if (findProperty(calendar, "VERSION") !== undefined) return text;
  const items = [makeProperty("VERSION", "2.0"), ...calendar.items];
  return writeContentLines({ items: [changeItems(calendar, items)] });
}

/** The one VCALENDAR of a text; undefined for anything else. */
export function readCalendar(bytes: Uint8Array): Component | undefined {
  try {
    const [calendar, ...others] = listComponents(readContentLines(bytes));
    return calendar?.name === "VCALENDAR" && others.length === 0 ? calendar : undefined;
  } catch (error) {
    // The text is beyond the limits of the reader.
    if (isWaypostError(error)) return undefined;
    throw error;
  }
}
