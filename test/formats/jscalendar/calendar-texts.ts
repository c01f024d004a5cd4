/** Calendar objects for tests: of lines, and those of the corpus, one for each UID of a file. */
import { Buffer } from "node:buffer";
import {
  type Component,
  changeItems,
  findProperty,
  listComponents,
} from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { listCorpusFiles } from "../../support/corpus.ts";

export function textOf(calendar: Component): string {
  return writeContentLines({ items: [calendar] }).toString("utf8");
}

export function parsed(text: string): Component {
  return listComponents(readContentLines(Buffer.from(text, "utf8")))[0]!;
}

/** A VCALENDAR with one VEVENT of these lines. */
export function eventOf(...lines: readonly string[]): Component {
  return objectOf("VEVENT", lines);
}

export function taskOf(...lines: readonly string[]): Component {
  return objectOf("VTODO", lines);
}

function objectOf(name: string, lines: readonly string[]): Component {
  const all = ["UID:u1", "DTSTAMP:20260101T000000Z", ...lines];
  return parsed(
    [
      "BEGIN:VCALENDAR",
      "VERSION:2.0",
      "PRODID:-//T//T//EN",
      `BEGIN:${name}`,
      ...all,
      `END:${name}`,
      "END:VCALENDAR",
      "",
    ].join("\r\n"),
  );
}

/** The lines, unfolded, without those that every object of these tests has. */
export function linesOf(calendar: Component): string[] {
  return textOf(calendar)
    .replaceAll(/\r?\n[ \t]/g, "")
    .replaceAll(/BEGIN:VTIMEZONE.*?END:VTIMEZONE\r?\n/gs, "")
    .split(/\r?\n/)
    .filter(
      (line) =>
        line !== "" && !/^(?:(?:BEGIN|END):V(?:CALENDAR|EVENT|TODO)|VERSION|PRODID|UID|DTSTAMP)/.test(line),
    );
}

export interface CorpusObject {
  readonly file: string;
  readonly calendar: Component;
}

/** Every calendar of the corpus that can be read, cut into what would be stored: the components of one UID with the time zones. */
export function listCorpusObjects(kind = "calendar"): CorpusObject[] {
  return listCorpusFiles(kind, /\.ics$/).flatMap(({ file, bytes }) => {
    try {
      const stream = readContentLines(bytes);
      if (stream.faults.some(({ reason }) => unreadable.has(reason))) return [];
      return listComponents(stream, "VCALENDAR").flatMap((calendar, at) =>
        splitByUid(calendar).map((object, index) => ({ file: `${file}#${at}.${index}`, calendar: object })),
      );
    } catch (error) {
      if (isWaypostError(error)) return [];
      throw error;
    }
  });
}

/** What CalDAV and JSON store nowhere. */
const unreadable: ReadonlySet<string> = new Set(["control character", "bad name", "bad parameter"]);

function splitByUid(calendar: Component): Component[] {
  const uidOf = (component: Component) => findProperty(component, "UID")?.value ?? "";
  const kept = listComponents(calendar).filter(({ name }) => name === "VEVENT" || name === "VTODO");
  return [...new Set(kept.map((component) => `${component.name} ${uidOf(component)}`))].map((key) =>
    changeItems(
      calendar,
      calendar.items.filter(
        (item) =>
          item.kind !== "component" || item.name === "VTIMEZONE" || `${item.name} ${uidOf(item)}` === key,
      ),
    ),
  );
}
