/** Reads an mbox file (RFC 4155) of the variant mboxrd: a line `From ` begins a message, and `>From ` in a message loses one `>`.
 *  Flags are in Status, X-Status and X-Keywords, as mutt and Dovecot write them. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { WaypostError } from "#/src/model/errors.ts";
import { answeredFlag, deletedFlag, draftFlag, flaggedFlag, seenFlag } from "#/src/model/flags.ts";
import { importedLinesMax } from "#/src/model/limits.ts";
import { keptKeywords, type MailSource, type SourceMessage, withCrlf } from "./mail-source.ts";

const chunkBytes = 1024 * 1024;
const lineFeed = 10;
const separator = Buffer.from("From ");

/** `bytesMax`: longer messages are named, and not read. */
export function openMbox(file: string, bytesMax: number): MailSource {
  const folder = path.basename(file).replace(/\.mbox$/i, "");
  return {
    name: `mbox ${file}`,
    async count() {
      let count = 0;
      for await (const _ of messagesOf(file, bytesMax)) count++;
      return count;
    },
    async *messages() {
      const seen = new Map<string, number>();
      for await (const found of messagesOf(file, bytesMax)) {
        const digest = createHash("sha256").update(found.lines).digest("base64url");
        // Two of the same octets are two messages.
        const number = (seen.get(digest) ?? 0) + 1;
        seen.set(digest, number);
        yield messageOf(/^inbox$/i.test(folder) ? "INBOX" : folder, `${digest} ${number}`, found);
      }
    },
    async [Symbol.asyncDispose]() {},
  };
}

function messageOf(folder: string, key: string, { lines, size, date }: Found): SourceMessage {
  const end = headerEnd(lines);
  const header = lines.toString("latin1", 0, end);
  const status = [/^Status:[ \t]*(\w*)/im, /^X-Status:[ \t]*(\w*)/im]
    .map((field) => field.exec(header)?.[1] ?? "")
    .join("");
  const letters = { R: seenFlag, A: answeredFlag, F: flaggedFlag, D: deletedFlag, T: draftFlag };
  const flags = Object.entries(letters).reduce(
    (mask, [letter, flag]) => (status.includes(letter) ? mask | flag : mask),
    0,
  );
  return {
    folder,
    key,
    flags,
    keywords: keptKeywords((/^X-Keywords:[ \t]*(.*)$/im.exec(header)?.[1] ?? "").split(" ")),
    size,
    ...(date === undefined ? {} : { internalDate: date }),
    async read() {
      const kept = withoutFieldsOfKeeping(header);
      const body = lines.toString("latin1", end).replace(/^>(>*From )/gm, "$1");
      return withCrlf(Buffer.from(kept + body, "latin1"));
    },
  };
}

/** Fields that say how the message was kept are no part of it. */
function withoutFieldsOfKeeping(header: string): string {
  let isLeft = false;
  const kept = header.split(/(?<=\n)/).filter((line) => {
    if (!/^[ \t]/.test(line)) isLeft = /^(?:Status|X-Status|X-UID|X-Keywords|Content-Length):/i.test(line);
    return !isLeft;
  });
  return kept.join("");
}

function headerEnd(lines: Buffer): number {
  const ends = [lines.indexOf("\n\n"), lines.indexOf("\n\r\n")].filter((at) => at >= 0);
  return ends.length === 0 ? lines.length : Math.min(...ends) + 1;
}

interface Found {
  /** The beginning of a message that is too large. */
  readonly lines: Buffer;
  /** Of the whole message. */
  readonly size: number;
  readonly date: number | undefined;
}

/** Message by message, each whole in memory and no more than that. Throws `invalid` for a file that does not begin as an mbox. */
async function* messagesOf(file: string, bytesMax: number): AsyncGenerator<Found> {
  let parts: Buffer[] = [];
  let size = 0;
  let date: number | undefined;
  let hasBegun = false;
  let linesBefore = 0;
  // A separator stands behind an empty line, another separator, or at the beginning.
  let isBehindEmpty = true;
  const keep = (piece: Buffer): void => {
    size += piece.length;
    // What is too large is cut, and refused for its size where it is stored.
    if (piece.length > 0 && size <= bytesMax + chunkBytes) parts.push(piece);
  };
  const take = (): Found => {
    const lines = Buffer.concat(parts);
    const whole = size;
    parts = [];
    size = 0;
    // The empty line before the next separator is no part of the message.
    const end = lines.subarray(-2).toString("latin1") === "\n\n" ? lines.length - 1 : lines.length;
    return { lines: lines.subarray(0, end), size: Math.max(end, whole - 1), date };
  };
  for await (const { block, isLineStart } of blocksOf(file)) {
    /** What of the block belongs to the message begins here. */
    let kept = 0;
    let from = 0;
    let isAtStart = isLineStart;
    while (from < block.length) {
      const feed = block.indexOf(lineFeed, from);
      const end = feed < 0 ? block.length : feed + 1;
      const isSeparator: boolean = isAtStart && isBehindEmpty && beginsWith(block, from, separator);
      isBehindEmpty = isSeparator || (isAtStart && isBlank(block, from, end));
      if (isSeparator) {
        if (hasBegun) keep(block.subarray(kept, from));
        if (hasBegun && size > 0) yield take();
        hasBegun = true;
        kept = end;
        date = dateOf(block.toString("latin1", from, Math.min(end, from + separatorLookedAtMax)));
      } else if (!hasBegun) {
        if (!isBehindEmpty) throw refused(file, "does not begin with a line From.");
        if (++linesBefore > importedLinesMax)
          throw refused(file, `has more than ${importedLinesMax} lines before its first message.`);
      }
      from = end;
      isAtStart = true;
    }
    if (hasBegun) keep(block.subarray(kept));
  }
  if (hasBegun && size > 0) yield take();
}

/** Of a separator line. */
const separatorLookedAtMax = 1000;

function dateOf(line: string): number | undefined {
  const parsed = Date.parse(line.replace(/^From \S+ +/, "").trim());
  return Number.isNaN(parsed) ? undefined : parsed;
}

function beginsWith(block: Buffer, from: number, start: Buffer): boolean {
  return (
    block.length - from >= start.length &&
    block.compare(start, 0, start.length, from, from + start.length) === 0
  );
}

/** White space alone. */
function isBlank(block: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at++) {
    const octet = block[at]!;
    if (octet !== 32 && (octet < 9 || octet > 13)) return false;
  }
  return true;
}

function refused(file: string, why: string): WaypostError {
  return new WaypostError("invalid", `${file} ${why}`, { field: "/file" });
}

interface Block {
  /** Whole lines with their ends; of a line that is longer than a chunk, a piece. */
  readonly block: Buffer;
  readonly isLineStart: boolean;
}

async function* blocksOf(file: string): AsyncGenerator<Block> {
  let rest: Buffer = Buffer.alloc(0);
  let isLineStart = true;
  for await (const chunk of fs.createReadStream(file, { highWaterMark: chunkBytes })) {
    const text = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    const end = text.lastIndexOf(lineFeed) + 1;
    if (end > 0) {
      yield { block: text.subarray(0, end), isLineStart };
      isLineStart = true;
    }
    rest = text.subarray(end);
    if (rest.length > chunkBytes) {
      yield { block: rest, isLineStart };
      isLineStart = false;
      rest = Buffer.alloc(0);
    }
  }
  if (rest.length > 0) yield { block: rest, isLineStart };
}
