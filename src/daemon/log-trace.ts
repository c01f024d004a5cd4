/** Finds the lines of the log about one mail. A line belongs to the mail when it has one of its ids. Such a line may add further ids: of
 *  copies here, of the submission, of the hold. So the log is read again until no id is new. */
import fs from "node:fs";
import { createInterface } from "node:readline";
import { pipeline, type Readable } from "node:stream";
import zlib from "node:zlib";

export type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: unknown; readonly time?: unknown };

/** Members with further ids of the same mail. */
const linking = ["message", "messages", "submission", "hold"] as const;
/** Members in which the id is searched. `id` and `requestId` name a connection or request, which may have carried several mails. */
const naming = ["id", "requestId", ...linking] as const;

/** The most ids of one mail. A mail has a few; a list of thousands is not about one mail. */
const idsMax = 1000;
const passesMax = 4;
export const traceLinesMax = 10_000;

/** `open` opens the whole log again at each call, the oldest line first: each file when it is read, so that its error is heard. */
export async function traceMail(open: () => Iterable<Readable>, id: string): Promise<LogLine[]> {
  const ids = new Set([id]);
  for (let pass = 1; ; pass++) {
    const known = ids.size;
    const lines: LogLine[] = [];
    for (const stream of open()) await collect(stream, ids, lines);
    if (ids.size === known || pass === passesMax) return lines;
  }
}

async function collect(stream: Readable, ids: Set<string>, lines: LogLine[]): Promise<void> {
  for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (lines.length >= traceLinesMax) return;
    const line = parseLine(text);
    if (line === undefined || !naming.some((name) => idsOf(line[name]).some((one) => ids.has(one)))) continue;
    lines.push(line);
    for (const name of linking) for (const one of idsOf(line[name])) if (ids.size < idsMax) ids.add(one);
  }
}

function idsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

/** undefined for a line that Waypost has not written: a journal may have others. */
function parseLine(text: string): LogLine | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as LogLine;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The log and its rotated files (`.1`, `.2.gz` of logrotate), the oldest first. */
export function logFiles(file: string): string[] {
  const rotated: string[] = [];
  for (let number = 1; number <= rotationsMax; number++) {
    const found = [`${file}.${number}`, `${file}.${number}.gz`].find((name) => fs.existsSync(name));
    if (found !== undefined) rotated.push(found);
  }
  return [...rotated.reverse(), file];
}
const rotationsMax = 100;

/** Whoever reads the unpacked octets hears of an error. */
const heard = (): void => {};

export function openLogFile(file: string): Readable {
  const stream = fs.createReadStream(file);
  return file.endsWith(".gz") ? pipeline(stream, zlib.createGunzip(), heard) : stream;
}
