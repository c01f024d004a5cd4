import fs from "node:fs";
import pino, { type Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import { after, pause } from "#/src/model/background.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";

export interface Log {
  readonly logger: Logger;
  /** Opens a new file of the same name, after the former one was renamed. Does nothing for a log without a file. */
  reopen(): void;
  /** Waits a moment until the lines in memory are written. Each line that is logged meanwhile or afterwards is written at once. */
  flush(): Promise<void>;
}

/** The bound on lines that wait while the file or the terminal takes none; further lines are dropped. */
const waitingCharactersMax = 4 * 1024 * 1024;
const flushMs = 1000;
/** The pause before a full pipe is tried again. */
const retryMs = 50;
/** How long lines are gathered that say nothing urgent and follow each other: one write for each costs a tenth of what a short request takes. */
const gatherMs = 50;
/** With so many characters they are written at once. */
const gatheredMax = 64 * 1024;
/** How lines begin that tell of no trouble. */
const calm = ["info", "debug", "trace"].map((level) => `{"level":"${level}"`);

/** The log: one JSON object a line, to standard error or a file. Text from the network is always a JSON value, so it cannot start a line. */
export function openLog({ level, file }: Settings["log"]): Log {
  const lines = openLines(file);
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    lines,
  );
  return { logger, reopen: lines.reopen, flush: lines.flush };
}

/** Characters that JSON does not escape and that a terminal executes or hides: 8-bit controls, separators, direction marks. */
const unseen = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** An error without the properties that libraries add: they can hold the data that was sent or read. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: typeof error };
  const { name, message, stack, cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  const reason = isWaypostError(error) ? error.details.reason : undefined;
  return {
    type: name,
    ...(code === undefined ? {} : { code }),
    ...(reason === undefined ? {} : { reason }),
    message,
    ...(stack === undefined ? {} : { stack }),
    ...(cause instanceof Error
      ? { cause: { type: cause.name, code: (cause as { code?: unknown }).code } }
      : {}),
  };
}

/** Writes lines asynchronously, because a synchronous write to a slow terminal would block the server. Lines that tell of no trouble and
 *  follow each other are gathered for a moment. Lines that the system does not take (the disk is full, the reader has gone) are dropped: the server never
 *  stops because of its log. */
function openLines(file: string): Pick<Log, "reopen" | "flush"> & {
  write(line: string): void;
} {
  let descriptor = file === "" ? 2 : openFile(file);
  let next: number | undefined;
  let waiting = "";
  /** A line of those that wait tells of trouble. */
  let isUrgent = false;
  /** The process is about to end. */
  let isLast = false;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let written: Promise<void> | undefined;
  let gathering: NodeJS.Timeout | undefined;

  /** A line after a silence is written at once too: it may be the last one of a process that something kills. */
  function mustBegin(): boolean {
    if (waiting === "") return false;
    return isUrgent || isLast || waiting.length >= gatheredMax || performance.now() - writtenAt >= gatherMs;
  }

  function begin(): void {
    clearTimeout(gathering);
    gathering = undefined;
    if (waiting !== "") written ??= writeOut();
  }

  function gather(): void {
    if (waiting !== "") gathering ??= after(gatherMs, begin).unref();
  }

  function switchOver(): void {
    if (next === undefined) return;
    fs.closeSync(descriptor);
    [descriptor, next] = [next, undefined];
  }

  async function writeOut(): Promise<void> {
    do {
      switchOver();
      const chunk = Buffer.from(waiting);
      waiting = "";
      isUrgent = false;
      writtenAt = performance.now();
      const taken = await writeChunk(descriptor, chunk);
      // The next line must not continue a line that was written in part.
      if (taken > 0 && taken < chunk.length) waiting = `\n${waiting}`;
    } while (mustBegin());
    switchOver();
    written = undefined;
    gather();
  }

  // Whoever ends the process at once has usually just logged the reason.
  const writeRest = (): void => {
    try {
      fs.writeSync(descriptor, waiting);
    } catch {
      // There is no place left to report the error.
    }
  };
  process.once("exit", writeRest);

  return {
    write(text) {
      const line = text.replace(unseen, escaped);
      if (waiting.length + line.length > waitingCharactersMax) return;
      waiting += line;
      isUrgent ||= !calm.some((head) => line.startsWith(head));
      if (mustBegin()) begin();
      else if (written === undefined) gather();
    },
    reopen() {
      if (file === "") return;
      begin();
      if (next !== undefined) fs.closeSync(next);
      next = openFile(file);
      if (written === undefined) switchOver();
    },
    async flush() {
      isLast = true;
      begin();
      const timer = Promise.withResolvers<void>();
      const timeout = after(flushMs, timer.resolve);
      await Promise.race([written, timer.promise]);
      clearTimeout(timeout);
    },
  };
}

function openFile(file: string): number {
  try {
    return fs.openSync(file, "a", 0o600);
  } catch (cause) {
    throw new WaypostError("invalid", `log.file: ${file} cannot be written.`, { cause });
  }
}

/** The number of octets that were written; fewer than the chunk has after an error. */
async function writeChunk(descriptor: number, chunk: Buffer): Promise<number> {
  let taken = 0;
  while (taken < chunk.length) {
    const { code, count } = await new Promise<{ code: string | undefined; count: number }>((resolve) => {
      fs.write(descriptor, chunk, taken, (error, count) => resolve({ code: error?.code, count }));
    });
    if (code === undefined) taken += count;
    else if (code === "EAGAIN") await pause(retryMs, { ref: false });
    else break;
  }
  return taken;
}
