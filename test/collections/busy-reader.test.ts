/** The busy time of an object: a thread reads one that is large, that repeats or whose calendar has a time zone of its own, with the same
 *  result as on the main thread. */
import { afterAll, expect, test } from "vitest";
import { busyOfItem } from "#/src/collections/busy-item.ts";
import { createBusyReader } from "#/src/collections/busy-reader.ts";
import { WorkMeter } from "#/src/collections/work-meter.ts";
import { listenToReaders } from "#/src/model/foreign-text.ts";
import { collectionWorkMs } from "#/src/model/limits.ts";
import { createReading } from "#/src/threads/reading.ts";

const reading = createReading();
const { busyOf } = createBusyReader(reading);
afterAll(() => reading[Symbol.asyncDispose]());

const [startMs, endMs] = [Date.UTC(2020, 0), Date.UTC(2020, 1)];
const question = {
  component: "VEVENT",
  range: { startMs, endMs },
  timeZone: "Europe/Berlin",
  ownAddresses: ["mailto:me@example.org"],
};

function event(...lines: string[]): Uint8Array {
  return Buffer.from(
    [
      ...["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:1", "DTSTART:20200106T090000", "DTEND:20200106T100000"],
      ...[...lines, "END:VEVENT", "END:VCALENDAR", ""],
    ].join("\r\n"),
  );
}

const padding = Array<string>(1000).fill(`DESCRIPTION:${"x".repeat(60)}`);
const ownZone =
  "BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nTZID:Mine\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0300\r\nTZOFFSETTO:+0300\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nEND:VCALENDAR\r\n";

test.each([
  ["a small event", { bytes: event() }, true, 1],
  ["a series", { bytes: event("RRULE:FREQ=WEEKLY") }, false, 4],
  ["a large event", { bytes: event(...padding) }, false, 1],
  ["an event in a time zone that its calendar brings", { bytes: event(), timeZone: ownZone }, false, 1],
  [
    "a large series that its owner has declined",
    { bytes: event("RRULE:FREQ=WEEKLY", "ATTENDEE;PARTSTAT=DECLINED:MAILTO:Me%40Example.org", ...padding) },
    ...([false, 0] as const),
  ],
])("%s", async (_, item, isHere, count) => {
  const here: string[] = [];
  const expected = busyOfItem({ ...question, ...item });
  listenToReaders((reader) => here.push(reader));
  const found = await busyOf(new WorkMeter(), { ...question, ...item });
  listenToReaders(undefined);
  expect(found).toEqual(expected);
  expect([found?.busy.length, here.length > 0]).toEqual([count, isHere]);
});

test("a rule that takes too much work leaves its question at its limit", async () => {
  const meter = new WorkMeter();
  const days = Array.from({ length: 31 }, (_, day) => day + 1).join(",");
  const rule = `RRULE:FREQ=DAILY;COUNT=9999;BYMONTH=2;BYMONTHDAY=${days};BYDAY=MO,TU,WE,TH,FR,SA,SU`;
  const found = await busyOf(meter, { ...question, bytes: event(...Array<string>(40).fill(rule)) });
  // Beyond its limits a series is busy from its start on.
  expect(found?.busy ?? []).toHaveLength(found === undefined ? 0 : 1);
  meter.count(collectionWorkMs);
  expect(meter.isBeyond).toBe(true);
});
