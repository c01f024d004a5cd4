/** Readers and writers of formats, and what is computed before a write. */
import { Buffer } from "node:buffer";
import { z } from "zod";
import { assertAcceptableHeader } from "#/src/arrival/scan-header.ts";
import { portionsOf } from "#/src/collections/portions.ts";
import { deriveItem, readItem } from "#/src/collections/preparing/derive-item.ts";
import { searchTextOfCalendar } from "#/src/collections/preparing/search-text.ts";
import { assertSegment } from "#/src/collections/segment.ts";
import { WorkMeter } from "#/src/collections/work-meter.ts";
import { readJson as readArchiveJson } from "#/src/daemon/moving/archive/format.ts";
import { listComponents, listProperties } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { scanObjects } from "#/src/formats/content-lines/scan-objects.ts";
import { listAlarmTimes } from "#/src/formats/icalendar/alarm.ts";
import { findBrokenBound } from "#/src/formats/icalendar/calendar-bounds.ts";
import { readRecurrenceSet } from "#/src/formats/icalendar/recurrence-set.ts";
import { zoneOfComponent } from "#/src/formats/icalendar/vtimezone.ts";
import { formatEnvelope } from "#/src/formats/mime/envelope.ts";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { walkParts } from "#/src/formats/mime/part.ts";
import { parseStructure } from "#/src/formats/mime/structure-reader.ts";
import { referenceIdsOf } from "#/src/mail/reference-ids.ts";
import { reachAttachments } from "#/src/reach/attachments.ts";
import { readMessage } from "#/src/scheduling/arriving/apply.ts";
import { withComment } from "#/src/scheduling/decisions/attendee-comment.ts";
import { findBrokenRule, readSchedulingObject } from "#/src/scheduling/scheduling-object.ts";
import { isTaken } from "./meeting.ts";

const octets = (text: string): Buffer => Buffer.from(text, "latin1");
const times = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join("");
const component = (text: string) =>
  listComponents({ kind: "component", items: readContentLines(octets(text)).items } as never)[0]!;

function calendar(...inner: string[]): string {
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:a\r\n${inner.join("")}END:VCALENDAR\r\n`;
}
const event = (more = "", uid = "u"): string =>
  `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20260101T000000Z\r\n${more}END:VEVENT\r\n`;
const organized = "ORGANIZER:mailto:a@x.example\r\n";
const instance = (at: number): string => event(`${organized}RECURRENCE-ID:2026010${at + 1}T000000Z\r\n`);
const zone = (observances: string): string =>
  `BEGIN:VTIMEZONE\r\nTZID:Own\r\n${observances}END:VTIMEZONE\r\n`;
const observance = (year: number, more = ""): string =>
  `BEGIN:STANDARD\r\nDTSTART:${year}0101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n${more}END:STANDARD\r\n`;

const message = (fields: string): Buffer => octets(`${fields}\r\n\r\n`);
const json = (text: string) => isTaken(() => readArchiveJson(z.any(), "page", octets(text)));

export const formatMeetings = {
  mimeDepthMax: {
    meet: (count: number) => {
      let text = "\r\n";
      for (let at = 0; at < count; at++) text = `Content-Type: message/rfc822\r\n\r\n${text}`;
      return walkParts(parseStructure(octets(text))).length === count + 1;
    },
  },
  mimePartsMax: {
    // The multipart itself is one of them.
    meet: (count: number) => {
      const parts = times(count - 1, () => "--b\r\n\r\nx\r\n");
      const top = parseStructure(
        octets(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts}--b--\r\n`),
      );
      return walkParts(top).length === count;
    },
  },
  headerBlockBytesMax: {
    least: 20,
    meet: (count: number) => isTaken(() => assertAcceptableHeader(message(`a: ${"x".repeat(count - 7)}`))),
  },
  addressesMax: {
    meet: (count: number) => {
      const list = Array.from({ length: count }, (_, at) => `u${at}@x`).join(", ");
      return formatEnvelope(message(`To: ${list}`)).match(/NIL NIL "u/g)?.length === count;
    },
  },
  threadReferencesMax: {
    least: 4,
    meet: (count: number) => {
      const references = times(count, (at) => ` <${at}@x>`);
      return (
        referenceIdsOf(readHeaderFields(message(`References:${references}`))).references.length === count
      );
    },
  },
  contentStreamBytesMax: {
    least: 5,
    meet: (count: number) => isTaken(() => readContentLines(octets(`A:${"x".repeat(count - 4)}\r\n`))),
  },
  contentLinesMax: {
    meet: (count: number) => isTaken(() => readContentLines(octets(times(count, () => "A:b\r\n")))),
  },
  contentDepthMax: {
    meet: (count: number) =>
      isTaken(() =>
        readContentLines(octets(`${times(count, () => "BEGIN:X\r\n")}${times(count, () => "END:X\r\n")}`)),
      ),
  },
  contentParametersMax: {
    meet: (count: number) => {
      return (
        listProperties(component(`BEGIN:X\r\nA${times(count, (at) => `;P${at}=1`)}:v\r\nEND:X\r\n`), "A")
          .length === 1
      );
    },
  },
  contentParameterValuesMax: {
    meet: (count: number) => {
      return (
        listProperties(component(`BEGIN:X\r\nA;P=1${times(count - 1, () => ",1")}:v\r\nEND:X\r\n`), "A")
          .length === 1
      );
    },
  },
  contentFaultsMax: {
    meet: (count: number) =>
      readContentLines(octets(times(count, () => "no line\r\n"))).faults.length === count,
  },
  scannedComponentsMax: {
    meet: (count: number) =>
      isTaken(async () => {
        const chunks = (async function* () {
          yield octets(calendar(times(count, (at) => event("", `u${at}`))));
        })();
        return (await Array.fromAsync(scanObjects(chunks))).length;
      }),
  },
  recurrenceInstancesMax: {
    meet: (count: number) => {
      const dates = Array.from({ length: count }, (_, at) => `2026020${at + 1}T000000Z`).join(",");
      const whole = component(calendar(event(`RDATE:${dates}\r\n`)));
      return findBrokenBound(whole, listComponents(whole)) === undefined;
    },
  },
  recurrenceRulesMax: {
    meet: (count: number) => {
      const whole = component(calendar(event(times(count, () => "RRULE:FREQ=DAILY\r\n"))));
      return !readRecurrenceSet(listComponents(whole), () => undefined).isBeyondLimits;
    },
  },
  recurrenceDatesMax: {
    meet: (count: number) => {
      const dates = Array.from({ length: count }, (_, at) => `2026020${at + 1}T000000Z`).join(",");
      const whole = component(calendar(event(`EXDATE:${dates}\r\n`)));
      return !readRecurrenceSet(listComponents(whole), () => undefined).isBeyondLimits;
    },
  },
  zoneObservancesMax: {
    meet: (count: number) =>
      zoneOfComponent(component(zone(times(count, (at) => observance(2000 + at))))) !== undefined,
  },
  zoneChangesMax: {
    meet: (count: number) => {
      const dates = Array.from({ length: count - 1 }, (_, at) => `200${at + 1}0101T000000`).join(",");
      return zoneOfComponent(component(zone(observance(2000, `RDATE:${dates}\r\n`)))) !== undefined;
    },
  },
  alarmRepeatsMax: {
    meet: (count: number) => {
      const alarm = component(
        `BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT5M\r\nDURATION:PT1M\r\nREPEAT:${count}\r\nEND:VALARM\r\n`,
      );
      return listAlarmTimes(alarm, { startMs: 0, endMs: 1 }).length === count + 1;
    },
  },
  attendeesOfInstanceMax: {
    meet: (count: number) => {
      const guests = times(count, (at) => `ATTENDEE:mailto:g${at}@x.example\r\n`);
      return (
        findBrokenRule(readSchedulingObject(component(calendar(event(`${organized}${guests}`))))!) ===
        undefined
      );
    },
  },
  schedulingInstancesMax: {
    meet: (count: number) =>
      findBrokenRule(readSchedulingObject(component(calendar(times(count, instance))))!) === undefined,
  },
  messageInstancesMax: {
    meet: (count: number) =>
      readMessage(component(calendar("METHOD:REQUEST\r\n", times(count, instance)))) !== undefined,
  },
  itemBytesMax: {
    least: 200,
    meet: (count: number) => {
      const empty = calendar(event("SUMMARY:\r\n")).length;
      const text = calendar(event(`SUMMARY:${"x".repeat(count - empty)}\r\n`));
      return isTaken(() => readItem(octets(text), { kind: "calendar", isMessage: false }));
    },
  },
  uidBytesMax: {
    meet: (count: number) =>
      isTaken(() =>
        readItem(octets(calendar(event("", "u".repeat(count)))), { kind: "calendar", isMessage: false }),
      ),
  },
  contactAddressesMax: {
    meet: async (count: number) => {
      const emails = times(count, (at) => `EMAIL:a${at}@x.example\r\n`);
      const card = octets(`BEGIN:VCARD\r\nVERSION:4.0\r\nUID:u\r\nFN:A\r\n${emails}END:VCARD\r\n`);
      const read = readItem(card, { kind: "addressbook", isMessage: false });
      return (await deriveItem(card, read, 0)).addresses.length === count;
    },
  },
  itemPortionBytesMax: {
    meet: (count: number) => [...portionsOf(Array(count).fill(1), () => 1)].length === 1,
  },
  attachmentsOfItemMax: {
    meet: (count: number) => {
      const named = times(count, (at) => `ATTACH;MANAGED-ID=m${at}:https://x.example/${at}\r\n`);
      const text = octets(calendar(event(named)));
      return isTaken(() => reachAttachments({} as never, text, async () => text));
    },
  },
  attendeeCommentMax: {
    meet: (count: number) => {
      const whole = component(calendar(event(), event(`COMMENT:${"x".repeat(count)}\r\n`)));
      const [target, reply] = listComponents(whole);
      const written = withComment(target!, reply!, "mailto:a@x.example" as never);
      return listProperties(written, "X-CALENDARSERVER-ATTENDEE-COMMENT")[0]!.value.length === count;
    },
  },
  segmentBytesMax: { meet: (count: number) => isTaken(() => assertSegment("a".repeat(count))) },
  itemSearchLengthMax: {
    meet: (count: number) => {
      const one = listComponents(component(calendar(event(`SUMMARY:${"x".repeat(count)}\r\n`))))[0]!;
      return listProperties(one, "SUMMARY").length === 1 && searchTextOfCalendar([one])[0]!.length === count;
    },
  },
  collectionWorkMs: {
    meet: (count: number) => {
      const meter = new WorkMeter();
      meter.count(count);
      return !meter.isBeyond;
    },
  },
  archiveJsonDepthMax: { meet: (count: number) => json("[".repeat(count) + "]".repeat(count)) },
  archiveJsonValuesMax: {
    meet: (count: number) =>
      json(
        `[${Array(count - 1)
          .fill("1")
          .join()}]`,
      ),
  },
  archiveJsonMembersMax: {
    meet: (count: number) => json(`{${Array.from({ length: count }, (_, at) => `"m${at}":1`).join()}}`),
  },
};

export const arrivalMeetings = {
  receivedFieldsMax: {
    meet: (count: number) =>
      isTaken(() => assertAcceptableHeader(message(times(count, () => "Received: x\r\n")))),
  },
  headerFieldsMax: {
    meet: (count: number) =>
      isTaken(() => assertAcceptableHeader(octets(`${times(count, (at) => `a${at}: x\r\n`)}\r\n`))),
  },
};
