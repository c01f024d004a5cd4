import { describe, expect, it } from "vitest";
import { listImportedObjects, type ReadableFile } from "#/src/collections/transfer/imported-objects.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { checkCalendarObject } from "#/src/formats/icalendar/check-calendar-object.ts";
import { checkAddressData } from "#/src/formats/vcard/address-data.ts";
import { itemBytesMax } from "#/src/model/limits.ts";

/** `step`: octets of a chunk. */
function fileOf(text: string | Buffer, step = 1 << 16): ReadableFile {
  const bytes = Buffer.from(text);
  return {
    size: bytes.length,
    async *chunks() {
      for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
    },
    read: async ({ start, end }) => bytes.subarray(start, end),
  };
}
const noAttachments = () => Promise.reject(new Error("nothing is attached"));
const lines = (text: string): string => text.replace(/\r?\n/g, "\r\n");
const texts = async (file: ReadableFile): Promise<string[]> => {
  const found: string[] = [];
  for await (const object of listImportedObjects(file, noAttachments))
    found.push(
      "bytes" in object ? Buffer.from(object.bytes).toString() : `line ${object.line}: ${object.refused}`,
    );
  return found;
};

const zone = (tzid: string): string => `BEGIN:VTIMEZONE
TZID:${tzid}
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:+0100
TZOFFSETTO:+0100
END:STANDARD
END:VTIMEZONE
`;
const event = (uid: string, more = "DTSTART:20260101T100000Z\n"): string => `BEGIN:VEVENT
${uid === "" ? "" : `UID:${uid}\n`}DTSTAMP:20260101T000000Z
${more}END:VEVENT
`;
const calendar = (inner: string, head = "VERSION:2.0\nPRODID:-//x//EN\n"): string =>
  lines(`BEGIN:VCALENDAR\n${head}${inner}END:VCALENDAR\n`);

describe("a calendar", () => {
  it("is split by UID, each with the time zones that it names", async () => {
    const text = calendar(
      zone("A") +
        zone("B") +
        event("1", "DTSTART;TZID=A:20260101T100000\nRRULE:FREQ=DAILY\n") +
        event("2") +
        event("1", "RECURRENCE-ID;TZID=A:20260102T100000\nDTSTART;TZID=B:20260102T110000\n"),
      "VERSION:2.0\nPRODID:-//x//EN\nX-WR-CALNAME:Work\nMETHOD:PUBLISH\n",
    );
    const [first, second, ...others] = await texts(fileOf(text));
    expect(others).toEqual([]);
    expect(first).toBe(
      calendar(
        zone("A") +
          zone("B") +
          event("1", "DTSTART;TZID=A:20260101T100000\nRRULE:FREQ=DAILY\n") +
          event("1", "RECURRENCE-ID;TZID=A:20260102T100000\nDTSTART;TZID=B:20260102T110000\n"),
      ),
    );
    expect(second).toBe(calendar(event("2")));
  });

  it("keeps its octets when it is one object, whatever they are", async () => {
    const objects = [
      calendar(event("1"), "PRODID:x\nVERSION:2.0\nX-A:b\n"),
      `${calendar(zone("Unused") + event("2")).replaceAll("\r\n", "\n")}`,
      calendar(event("3", "DTSTART:20260101T100000Z\nDESCRIPTION:a\n  b\n")),
    ];
    expect(await texts(fileOf(objects.join("")))).toEqual(objects);
    expect(await texts(fileOf(`\ufeff\r\n${objects.join("\r\n\r\n")}`))).toEqual(objects);
  });

  it("reads the same whatever the chunks are", async () => {
    const text = calendar(zone("A") + event("1", "DTSTART;TZID=A:20260101T100000\n") + event("ü".repeat(40)));
    const whole = await texts(fileOf(text));
    for (const step of [1, 2, 3, 7, 64]) expect(await texts(fileOf(text, step))).toEqual(whole);
  });

  it("reads 100,000 components of one UID as one object", async () => {
    const found = await texts(fileOf(calendar("BEGIN:VEVENT\nUID:1\nEND:VEVENT\n".repeat(100_000))));
    expect(found).toHaveLength(1);
  });

  it("finds a UID that is folded or has parameters", async () => {
    const text = calendar(
      event("", 'UID;X-A="b:c":1-\n 2\nDTSTART:20260101T100000Z\n') +
        event("1-2", "RECURRENCE-ID:20260102T100000Z\nDTSTART:20260102T100000Z\n") +
        event("3"),
    );
    expect(await texts(fileOf(text))).toHaveLength(2);
  });

  it("gives an object without a UID the same UID each time the file is read", async () => {
    const text = calendar(event("") + event("", "DTSTART:20260102T100000Z\n"));
    const first = await texts(fileOf(text));
    expect(first).toHaveLength(2);
    const uids = first.map((one) => {
      const checked = checkCalendarObject(readContentLines(Buffer.from(one)));
      return "uid" in checked ? checked.uid : checked.explanation;
    });
    expect(new Set(uids).size).toBe(2);
    for (const uid of uids) expect(uid).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab]/);
    expect(await texts(fileOf(text))).toEqual(first);
  });

  it("reports broken and too large objects, and continues", async () => {
    const large = event("l", `DTSTART:20260101T100000Z\nX-A:${"x".repeat(itemBytesMax)}\n`);
    const found = await texts(
      fileOf(calendar(large + event("1")) + calendar(event("2")) + lines("BEGIN:VCALENDAR\nVERSION:2.0\n")),
    );
    expect(found).toEqual([
      `line 1: It has more than ${itemBytesMax} octets.`,
      calendar(event("1")),
      calendar(event("2")),
      expect.stringMatching(/^line \d+: The VCALENDAR has no END/),
    ]);
  });

  it("has no object when it has only time zones", async () => {
    expect(await texts(fileOf(calendar(zone("A"))))).toEqual([]);
    expect(await texts(fileOf("nothing of this\r\nkind"))).toEqual([]);
    expect(await texts(fileOf(""))).toEqual([]);
  });
});

describe("cards", () => {
  const card = (inner: string): string => lines(`BEGIN:VCARD\n${inner}\nEND:VCARD\n`);
  const valid = card("VERSION:3.0\nFN:Ada\nN:;Ada;;;\nUID:1");

  it("keep their octets when they are whole", async () => {
    expect(await texts(fileOf(valid + card("VERSION:4.0\nFN:Bo\nUID:2")))).toEqual([
      valid,
      card("VERSION:4.0\nFN:Bo\nUID:2"),
    ]);
  });

  it.each([
    ["of version 2.1", "VERSION:2.1\nN:Ada;;;;\nTEL;HOME:1"],
    ["without a UID", "VERSION:3.0\nFN:Ada\nN:;Ada;;;"],
    ["without an N", "VERSION:3.0\nFN:Ada\nUID:1"],
    ["without an FN", "VERSION:4.0\nEMAIL:ada@example.com\nUID:1"],
    [
      "with another card inside",
      "VERSION:2.1\nN:A;;;;\nAGENT:\nBEGIN:VCARD\nVERSION:2.1\nN:B;;;;\nEND:VCARD",
    ],
  ])("%s are completed, the same way each time", async (_, inner) => {
    const [text, ...others] = await texts(fileOf(card(inner)));
    expect(others).toEqual([]);
    const checked = checkAddressData(Buffer.from(text!));
    if (!inner.includes("AGENT")) expect(checked).toHaveProperty("uid");
    expect(await texts(fileOf(card(inner)))).toEqual([text]);
  });
});

it("has few components in memory at once, and reads neighbouring components together", async () => {
  const parts = Array.from(
    { length: 2000 },
    (_, at) =>
      event("series", `RECURRENCE-ID:20260101T100000Z\nDTSTART:20260101T100000Z\nX-N:${at}\n`) +
      (at % 2 === 0 ? event(`other-${at}`) : ""),
  );
  const file = fileOf(calendar(parts.join("")));
  let [reads, running, most] = [0, 0, 0];
  const counting: ReadableFile = {
    ...file,
    async read(range) {
      reads++;
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return file.read(range);
    },
  };
  const [series] = await texts(counting);
  expect(series!.match(/X-N:/g)).toHaveLength(2000);
  expect([...series!.matchAll(/X-N:(\d+)/g)].map(([, at]) => Number(at))).toEqual(
    Array.from({ length: 2000 }, (_, at) => at),
  );
  expect(most).toBeLessThanOrEqual(16);
  expect(reads).toBeLessThan(2000 + 1000 * 4 + 10);
});
