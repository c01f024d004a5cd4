/** Items are read within limits, with the same result on every thread. */
import { afterAll, expect, it } from "vitest";
import { createDirectPreparation, createItemPreparation } from "#/src/collections/preparing/preparation.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import { createReading } from "#/src/threads/reading.ts";
import { calendarText, cardText, eventText } from "../support/items.ts";

const at = Date.UTC(2026, 0, 1);
const reading = createReading();
const threads = createItemPreparation(reading);
const direct = createDirectPreparation();
afterAll(() => reading[Symbol.asyncDispose]());

const calendar = { kind: "calendar", isMessage: false, at } as const;
const addressbook = { kind: "addressbook", isMessage: false, at } as const;

it.each([
  ["an event", eventText("a", "SUMMARY:One"), calendar],
  ["a series", eventText("a", "RRULE:FREQ=YEARLY"), calendar],
  ["a large event", eventText("a", `DESCRIPTION:${"x ".repeat(500_000)}`), calendar],
  ["a contact", cardText("a", "Ada", "EMAIL:ada@example.org"), addressbook],
  ["a contact with a photo", cardText("a", "Ada", `PHOTO;ENCODING=b:${"QUJD".repeat(200_000)}`), addressbook],
  [
    "an event in a time zone of its own",
    calendarText(
      ..."BEGIN:VTIMEZONE TZID:Mine BEGIN:STANDARD DTSTART:19700101T000000 TZOFFSETFROM:+0300".split(" "),
      ..."TZOFFSETTO:+0300 END:STANDARD END:VTIMEZONE BEGIN:VEVENT UID:a DTSTART;TZID=Mine:20260101T000000".split(
        " ",
      ),
      "END:VEVENT",
    ),
    calendar,
  ],
] as const)("says the same of %s on a thread and without", async (_, bytes, item) => {
  expect(await threads.prepare(bytes, item)).toEqual(await direct.prepare(bytes, item));
});

it.each([
  ["a broken series", calendarText("BEGIN:VEVENT", "UID:a", "RRULE:FREQ=DAILY", "END:VEVENT")],
  ["a large text that is no calendar", Buffer.alloc(300_000, "x")],
  ["a text beyond the limit", Buffer.alloc(5_000_000, "x")],
])("refuses %s in the same words on a thread and without", async (_, bytes) => {
  const refusals = await Promise.all(
    [threads, direct].map((preparation) =>
      preparation.prepare(bytes, calendar).then(
        () => undefined,
        (error: unknown) => error,
      ),
    ),
  );
  expect(refusals[0]).toMatchObject({ code: "invalid", details: { reason: expect.any(String) } });
  expect(refusals[0]).toEqual(refusals[1]);
});

it("refuses an item that takes too much work, and prepares the others", async () => {
  await using little = createReading(createFairness(), { slowMs: 20, lookMs: 5 });
  const limited = createItemPreparation(little, { jobMs: 400, jobMsPerMiB: 0 });
  // All parts of a rule at once, five times.
  const days = Array.from({ length: 366 }, (_, day) => day + 1).join(",");
  const rule = `RRULE:FREQ=DAILY;COUNT=9999;BYMONTH=2;BYMONTHDAY=${days.slice(0, 84)};BYDAY=MO,TU,WE,TH,FR,SA,SU`;
  const bomb = eventText("a", rule, rule, rule, rule, rule);
  const results = await Promise.allSettled([
    limited.prepare(bomb, calendar),
    limited.prepare(eventText("b", "RRULE:FREQ=WEEKLY"), calendar),
    limited.prepare(eventText("c"), calendar),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(results[0]).toMatchObject({ reason: { details: { reason: "valid-calendar-data" } } });
});

it("leaves invisible text out of the searched text", async () => {
  const { searchText } = await direct.prepare(eventText("a", "SUMMARY:Pay\u200bment \\, now"), calendar);
  expect(searchText).toContain("PAYMENT");
});
