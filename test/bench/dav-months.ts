/** Queries for a month in calendars of different lengths, in turns, so that other work on the machine affects all calendars alike.
 *  `waypost import` fills the calendars. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { type ChildDaemon, startScript } from "../support/daemon.ts";
import { type DavClient, readMultistatus } from "./dav-client.ts";
import { type Measures, monthQuery, note } from "./dav-collection.ts";
import { eventMark, eventOf, isInRange, monthOf } from "./dav-objects.ts";

const run = promisify(execFile);

/** Measures each calendar, and the ratio of the last calendar's time to the first one's. */
export async function measureMonths(
  { data, agents }: ChildDaemon,
  client: DavClient,
  home: string,
  lengths: readonly number[],
  rounds: number,
  measures: Measures,
): Promise<void> {
  const calendars = [];
  for (const length of lengths) {
    const href = `${home}months-${length}/`;
    await client.request(
      "MKCALENDAR",
      href,
      [201],
      `<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:displayname>Months ${length}</D:displayname></D:prop></D:set></C:mkcalendar>`,
      { "Content-Type": "application/xml; charset=utf-8" },
    );
    const file = path.join(data, `months-${length}.ics`);
    writeEvents(file, length);
    const begin = performance.now();
    const [program, ...first] = startScript;
    const where = ["--in", `Months ${length}`, "--data", data, "--json"];
    await run(program!, [...first, "import", agents[0]!.address, file, ...where]);
    fs.rmSync(file);
    note(measures, `waypost import of ${length} events`, "/s", (length * 1000) / (performance.now() - begin));
    calendars.push({ length, href, times: [] as number[], isWrong: false });
  }
  for (let round = 0; round <= rounds; round++)
    for (const calendar of calendars) {
      const [since, before] = monthOf(round);
      const begin = performance.now();
      const text = await client.multistatus("REPORT", calendar.href, "1", monthQuery(since, before));
      if (round > 0) calendar.times.push(performance.now() - begin);
      calendar.isWrong ||= !hasMonth(text, calendar.length, since, before);
    }
  for (const { length, times, isWrong } of calendars)
    note(measures, `calendar-query of a month in turns, ${length} events`, "ms", median(times), isWrong);
  const [short, long] = [calendars[0]!, calendars.at(-1)!];
  const name = `that of ${long.length} events, in times that of ${short.length}`;
  note(measures, name, "×", median(long.times) / median(short.times), short.isWrong || long.isWrong);
}

function writeEvents(file: string, length: number): void {
  const descriptor = fs.openSync(file, "w");
  for (let number = 0; number < length; number++) fs.writeSync(descriptor, eventOf(number, 0));
  fs.closeSync(descriptor);
}

function hasMonth(text: string, length: number, since: number, before: number): boolean {
  const { members } = readMultistatus(text);
  const found = [...members.values()].map(
    ({ properties }) => properties.get("{urn:ietf:params:xml:ns:caldav}calendar-data") ?? "",
  );
  const marks = new Set(found.flatMap((data) => /^SUMMARY:.*$/m.exec(data)?.[0].trim() ?? []));
  for (let number = 0; number < length; number++)
    if (isInRange(number, since, before) && !marks.delete(eventMark(number, 0))) return false;
  return marks.size === 0;
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}
