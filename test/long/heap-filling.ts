/** Calendar objects, contacts and pages that need much memory to read, each of the largest allowed size. Every reader gets each of them
 *  in a process of its own. Each must have an answer, and the process must survive.
 *  `node test/long/heap-filling.ts [--bytes N] [--shape TEXT] [--some N] [--seed S]`; with --some each reader gets so many by chance. */
import { fork } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createBusyReader } from "#/src/collections/busy-reader.ts";
import { createContactProjection } from "#/src/collections/contacts/contact-projection.ts";
import { createEventProjection } from "#/src/collections/events/event-projection.ts";
import { WorkMeter } from "#/src/collections/work-meter.ts";
import { onFailure } from "#/src/model/background.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { createReadingThreads } from "#/src/render/threads/reading-threads.ts";
import { createReading } from "#/src/threads/reading.ts";
import { randomSource } from "../support/random.ts";

const { values } = parseArgs({
  options: {
    bytes: { type: "string", default: String(4 * 1024 * 1024) },
    shape: { type: "string", default: "" },
    some: { type: "string", default: "1000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
  },
});
const bytesMax = Number(values.bytes);
const random = randomSource(Number(values.seed));
const htmlCharacters = 512 * 1024;

type Shape = (at: number) => string;

function fill(shape: Shape, characters: number): string {
  const pieces: string[] = [];
  for (let at = 0, length = 0; ; at++) {
    const piece = shape(at);
    length += piece.length;
    if (length > characters) return pieces.join("");
    pieces.push(piece);
  }
}

const day = (at: number): string =>
  `${2000 + (at % 60)}${10 + (at % 3)}${10 + (at % 18)}T${10 + (at % 14)}0000`;

/** Content lines of an object, or the continuation of one line. */
const lines: Readonly<Record<string, Shape>> = {
  properties: () => "A:b\r\n",
  names: (at) => `X-${at}:\r\n`,
  attendees: (at) => `ATTENDEE;CN=a:mailto:a${at}@example.org\r\n`,
  parameters: (at) => (at === 0 ? "X-A" : at === 1 ? ":b\r\nX-A" : `;P${at}=v`),
  quoted: (at) => (at === 0 ? "X-A" : `;P${at}="v,w;x:y"`),
  values: (at) => (at === 0 ? "CATEGORIES:a" : `,c${at}`),
  folds: (at) => (at === 0 ? "DESCRIPTION:a" : "\r\n x"),
  oneLine: (at) => (at === 0 ? "DESCRIPTION:" : "x"),
  escapes: (at) => (at === 0 ? "DESCRIPTION:" : "\\n\\,"),
  components: (at) => `BEGIN:VALARM\r\nTRIGGER:-PT${at % 60}M\r\nEND:VALARM\r\n`,
  nested: () => "BEGIN:X-A\r\n",
  dates: (at) => (at === 0 ? `RDATE:${day(0)}` : `,${day(at)}`),
  exceptions: (at) => `EXDATE:${day(at)}\r\n`,
  rules: (at) => `RRULE:FREQ=MINUTELY;BYSECOND=1,2,3;BYDAY=MO,TU;INTERVAL=${1 + (at % 9)}\r\n`,
  groups: (at) => `g${at}.TEL:1\r\n`,
  pages: () => "X-ALT-DESC;FMTTYPE=text/html:<p style='color:red'><b><i>x\r\n",
  octets: (at) => (at === 0 ? "PHOTO;ENCODING=b:" : "QUFB"),
};

/** Further shapes for calendar objects: whole components. */
const calendars: Readonly<Record<string, Shape>> = {
  overrides: (at) =>
    `END:VEVENT\r\nBEGIN:VEVENT\r\nUID:1\r\nRECURRENCE-ID:${day(at)}\r\nDTSTART:${day(at)}\r\nSUMMARY:x\r\n`,
  events: (at) => `END:VEVENT\r\nBEGIN:VEVENT\r\nUID:u${at}\r\nDTSTART:${day(at)}\r\n`,
  zones: (at) =>
    `END:VEVENT\r\nBEGIN:VTIMEZONE\r\nTZID:z${at}\r\nBEGIN:STANDARD\r\nDTSTART:${day(at)}\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;TZID=z${at}:${day(at)}\r\n`,
};

const pages: Readonly<Record<string, Shape>> = {
  nested: () => "<div>",
  formatting: () => "<b><i><u><p>",
  tables: () => "<table><tr><td>x",
  attributes: (at) => (at === 0 ? "<p" : ` a${at}=b`),
  styles: (at) => `<p style="color:#${100_000 + (at % 899_999)};margin:${at}px">x`,
  rules: (at) => (at === 0 ? "<style>" : `.a${at}{color:red}`),
  selectors: (at) => (at === 0 ? "<style>" : `p:nth-child(${at}n+1) ~ p ~ p{color:red}`),
  references: () => "&amp;&#8203;",
  links: (at) => `<a href=http://a.example/${at}>a</a> `,
  lists: () => "<ul><li>",
  drawings: () => "<svg><math><g>",
  text: () => "x\u200by ",
};

function someOf(shapes: Readonly<Record<string, Shape>>): [string, Shape][] {
  const left = Object.entries(shapes);
  const taken: [string, Shape][] = [];
  while (left.length > 0 && taken.length < Number(values.some))
    taken.push(left.splice(random.below(left.length), 1)[0]!);
  return taken;
}

type Read = (name: string, text: string) => Promise<unknown>;

async function readAll(): Promise<void> {
  // Some shapes are refused before they are stored. A reader of what is stored fails at them, which the daemon logs.
  onFailure((error) => {
    if (!isWaypostError(error)) throw error;
  });
  await using reading = createReading();
  const events = createEventProjection(reading);
  const contacts = createContactProjection(reading);
  const busyTimes = createBusyReader(reading);
  await using readers = createReadingThreads(undefined, reading);
  const at = Date.UTC(2026, 0);
  const range = { startMs: at, endMs: at + 366 * 86_400_000 };
  const calendar: Read[] = [
    (_, text) =>
      events.run("describe", {
        ...{
          bytes: Buffer.from(text),
          id: "event_1",
          render: "json",
          instance: undefined,
          at,
          zone: undefined,
        },
      }),
    (_, text) =>
      busyTimes.busyOf(new WorkMeter(), {
        ...{
          bytes: Buffer.from(text),
          component: "VEVENT",
          range,
          timeZone: undefined,
          ownAddresses: ["mailto:a1@example.org"],
        },
      }),
  ];
  const card: Read[] = [
    (_, text) => contacts.run("describe", { bytes: Buffer.from(text), id: "contact_1", render: "json" }),
  ];
  const page: Read[] = (["text", "markdown", "html"] as const).map(
    (form) => (_: string, text: string) => readers.renderHtml(text, form),
  );
  let count = 0;
  async function read(name: string, text: string, all: readonly Read[]): Promise<void> {
    if (!name.includes(values.shape)) return;
    console.log(name);
    for (const one of all) {
      count++;
      // A refusal counts as an answer.
      await one(name, text).catch((error: unknown) => {
        if (!isWaypostError(error)) throw error;
      });
    }
  }
  const event = (inner: string): string =>
    `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260101T100000\r\nRRULE:FREQ=DAILY\r\n${inner}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
  for (const [name, shape] of someOf({ ...lines, ...calendars }))
    await read(`calendar ${name}`, event(fill(shape, bytesMax - 300)), calendar);
  for (const [name, shape] of someOf(lines))
    await read(
      `card ${name}`,
      `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:x\r\n${fill(shape, bytesMax - 100)}\r\nEND:VCARD\r\n`,
      card,
    );
  for (const [name, shape] of someOf(pages)) await read(`page ${name}`, fill(shape, htmlCharacters), page);
  console.log(`${count} readings were answered, --seed ${values.seed}`);
}

if (process.send === undefined) {
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2));
  const [code, signal] = await once(child, "exit");
  if (code !== 0) console.log(`The process of the readers ended with ${code ?? signal}`);
  process.exitCode = code === 0 ? 0 : 1;
} else {
  await readAll();
  process.exit();
}
