/** A series may have as many overrides as instances. */
import { expect, test } from "vitest";
import { doEventJob } from "#/src/collections/events/event-jobs.ts";
import { timesAsLong } from "../support/growth.ts";

const dayMs = 86_400_000;

/** All overrides are in January 2026. */
function seriesOf(overrides: number): Buffer {
  const lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:a"];
  const add = (...more: readonly string[]) => lines.push("BEGIN:VEVENT", "UID:a", ...more, "END:VEVENT");
  add("DTSTART:20000101T100000Z", "DURATION:PT1H", `RRULE:FREQ=DAILY;COUNT=${overrides}`);
  for (let day = 0; day < overrides; day++) {
    const id = new Date(Date.UTC(2000, 0, 1 + day)).toISOString().slice(0, 10).replaceAll("-", "");
    const hour = String(day % 24).padStart(2, "0");
    add(
      `RECURRENCE-ID:${id}T100000Z`,
      `DTSTART:202601${String((day % 31) + 1).padStart(2, "0")}T${hour}0000Z`,
    );
  }
  return Buffer.from([...lines, "END:VCALENDAR", ""].join("\r\n"));
}

const sinceMs = Date.UTC(2026, 0, 1);
const listed = (bytes: Buffer, limit?: number) => {
  const range = { zone: undefined, sinceMs, beforeMs: sinceMs + 31 * dayMs };
  const answer = doEventJob({
    action: "instances",
    job: { bytes, ...range, ...(limit === undefined ? {} : { limit }) },
  });
  return (answer as { readonly result: readonly { readonly startMs: number }[] }).result;
};

test("a page of changed instances has the earliest ones", () => {
  const bytes = seriesOf(1000);
  const all = listed(bytes);
  expect(all).toHaveLength(1000);
  expect(listed(bytes, 100)).toEqual(all.slice(0, 100));
});

test("listing twice as many changed instances takes at most 2.5 times as long", () => {
  const [half, whole] = [seriesOf(5000), seriesOf(10_000)];
  expect(
    timesAsLong(
      () => listed(whole),
      () => listed(half),
    ),
  ).toBeLessThan(2.5);
});

/** What a former version has stored: times that end after the year 9999. */
const beyond = {
  "a length": ["VEVENT", "DTSTART:20260101T100000Z", "DURATION:P9999999D"],
  "a length in a zone": ["VEVENT", "DTSTART;TZID=America/New_York:99991231T180000", "DURATION:PT6H"],
  days: ["VEVENT", "DTSTART;VALUE=DATE:99991231", "DURATION:P2D"],
  "a start in a zone": ["VEVENT", "DTSTART;TZID=America/New_York:99991231T230000"],
  "the last of a series": ["VEVENT", "DTSTART:99991230T100000Z", "RRULE:FREQ=DAILY;COUNT=2", "DURATION:P1D"],
  "a task": ["VTODO", "DTSTART:99991231T100000Z", "DURATION:P1D"],
} as const;

test.each(Object.entries(beyond))(
  "%s beyond the year 9999 is read with four digits",
  (_, [kind, ...lines]) => {
    const own = ["UID:a", "SUMMARY:Title", ...lines];
    const object = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:a", `BEGIN:${kind}`, ...own, `END:${kind}`];
    const bytes = Buffer.from([...object, "END:VCALENDAR", ""].join("\r\n"));
    const stored = { bytes, zone: undefined };
    const range = { sinceMs: Date.UTC(9999, 0, 1), beforeMs: Date.UTC(9999, 11, 31, 23, 59, 59) };
    const whole = { ...stored, id: "event_a", at: Date.UTC(9999, 11, 1), instance: undefined };
    const read = [
      { action: "list", job: stored },
      { action: "instances", job: { ...stored, ...range } },
      ...["json", "text", "ical", "agenda"].map((render) => ({
        action: "describe",
        job: { ...whole, render },
      })),
    ].map((job) => doEventJob(job as never));
    expect(JSON.stringify(read)).toContain("Title");
    expect(read.map((one) => Object.keys(one).filter((name) => name !== "result"))).toEqual(
      read.map(() => []),
    );
    expect(JSON.stringify(read)).not.toMatch(/\d{5}-\d\d-\d\d|\d{5}-?\d\d-?\d\dT/);
  },
);
