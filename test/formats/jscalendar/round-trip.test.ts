import { describe, expect, test } from "vitest";
import { findProperty, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { acceptEvent, patchEvent } from "#/src/formats/jscalendar/accept-event.ts";
import { readEvent } from "#/src/formats/jscalendar/read-event.ts";
import { updateEvent, writeEvent } from "#/src/formats/jscalendar/write-event.ts";
import type { JsonObject } from "#/src/formats/jscontact/json.ts";
import { corpusNote, hasCorpus } from "../../support/corpus.ts";
import { listCorpusObjects, parsed, textOf } from "./calendar-texts.ts";

const isReadable = (event: JsonObject) =>
  event.uid !== undefined && (event["@type"] === "Task" || event.start !== undefined);

describe.skipIf(!hasCorpus)(`calendar objects of the corpus${corpusNote}`, () => {
  const objects = hasCorpus
    ? [...listCorpusObjects(), ...listCorpusObjects("attack/ical")].map((object) => ({
        ...object,
        event: readEvent(object.calendar)!,
      }))
    : [];

  test("an unchanged event keeps every octet", () => {
    expect(objects.length).toBeGreaterThan(800);
    for (const { file, calendar, event } of objects) {
      const updated = updateEvent(calendar, structuredClone(event));
      expect({ file, text: textOf(updated) }).toEqual({ file, text: textOf(calendar) });
    }
  });

  test("what is read is what a caller may write, in its one form", () => {
    for (const { file, event } of objects) {
      if (!isReadable(event)) continue;
      const { method: _, ...given } = event;
      expect({ file, event: patchEvent(given, {}) }).toEqual({ file, event: given });
    }
  });

  test("an event that is written anew reads the same", () => {
    let count = 0;
    for (const { file, event } of objects) {
      const { method: _, timeZones, recurrenceId, recurrenceIdTimeZone: __, ...given } = event;
      // The text of an attack has more lines than are told.
      if (!isReadable(event) || timeZones !== undefined || recurrenceId !== undefined) continue;
      if (file.startsWith("rdate-20000")) continue;
      const accepted = acceptEvent(given, "u");
      const written = parsed(textOf(writeEvent(accepted, 0)));
      const wanted: JsonObject = { ...given, updated: given.updated ?? "1970-01-01T00:00:00Z" };
      expect({ file, event: { prodId: wanted.prodId, ...readEvent(written) } }).toEqual({
        file,
        event: { ...wanted, prodId: wanted.prodId ?? "-//Waypost//Waypost//EN" },
      });
      count++;
    }
    expect(count).toBeGreaterThan(600);
  });

  test("another title changes the line of the title alone", () => {
    for (const { file, calendar, event } of objects) {
      if (!isReadable(event) || event.recurrenceOverrides !== undefined) continue;
      const component = listComponents(calendar).find(({ name }) => name !== "VTIMEZONE")!;
      const octets = findProperty(component, "SUMMARY")?.octets ?? "";
      const before = textOf(calendar);
      const after = textOf(updateEvent(calendar, patchEvent(event, { title: "Another" })));
      expect({ file, text: after.replace(/SUMMARY[^\n]*:Another\r?\n/, "") }).toEqual({
        file,
        text: before.replace(Buffer.from(octets, "latin1").toString("utf8"), ""),
      });
    }
  });
});
