import fs from "node:fs";
import path from "node:path";
import pino, { type Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";

export interface Log {
  readonly logger: Logger;
  /** Goes on in a new file of the same name, after the former one was renamed. Without a file nothing happens. */
  reopen(): void;
  /** Waits a moment for what is still in memory; the last thing that is asked of a log. */
  flush(): Promise<void>;
}

/** Lines that wait while the file or the terminal takes none; what comes beyond is dropped. */
const waitingCharactersMax = 4 * 1024 * 1024;
const flushMs = 1000;
/** A full pipe is tried again. */
const retryMs = 50;

/** The log: one JSON object a line, to standard error or a file. What comes from the network is a value in it, never a line. */
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

/** What JSON leaves as it is and a terminal obeys or hides: controls of 8 bits, separators, marks of direction. */
const unseen = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** An error without the further properties that libraries put on it: they can hold what was being sent or read. */
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

/** A synchronous write to a slow terminal would stop the server, so lines are handed over as the system takes them. What it
 *  does not take (the disk is full, nobody reads any more) is dropped: the server never stops for its log. */
function openLines(file: string): Pick<Log, "reopen" | "flush"> & {
  write(line: string): void;
} {
  let descriptor = file === "" ? 2 : openFile(file);
  let next: number | undefined;
  let waiting = "";
  let written: Promise<void> | undefined;

  function switchOver(): void {
    if (next === undefined) return;
    fs.closeSync(descriptor);
    [descriptor, next] = [next, undefined];
  }

  async function writeOut(): Promise<void> {
    while (waiting !== "") {
      switchOver();
      const chunk = Buffer.from(waiting);
      waiting = "";
      const taken = await writeChunk(descriptor, chunk);
      // The next line does not continue half of another.
      if (taken > 0 && taken < chunk.length) waiting = `\n${waiting}`;
    }
    switchOver();
    written = undefined;
  }

  // Who ends the process at once has usually just said why.
  const writeRest = (): void => {
    try {
      fs.writeSync(descriptor, waiting);
    } catch {
      // There is nobody left to tell.
    }
  };
  process.once("exit", writeRest);

  return {
    write(text) {
      const line = text.replace(unseen, escaped);
      if (waiting.length + line.length > waitingCharactersMax) return;
      waiting += line;
      written ??= writeOut();
    },
    reopen() {
      if (file === "") return;
      if (next !== undefined) fs.closeSync(next);
      next = openFile(file);
      if (written === undefined) switchOver();
    },
    async flush() {
      const timer = Promise.withResolvers<void>();
      const timeout = setTimeout(timer.resolve, flushMs);
      await Promise.race([written, timer.promise]);
      clearTimeout(timeout);
      process.off("exit", writeRest);
    },
  };
}

function openFile(file: string): number {
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    return fs.openSync(file, "a", 0o600);
  } catch (cause) {
    throw new WaypostError("invalid", `log.file: ${file} cannot be written.`, { cause });
  }
}

/** Octets that were taken; fewer than there are after an error. */
async function writeChunk(descriptor: number, chunk: Buffer): Promise<number> {
  let taken = 0;
  while (taken < chunk.length) {
    const { code, count } = await new Promise<{ code: string | undefined; count: number }>((resolve) => {
      fs.write(descriptor, chunk, taken, (error, count) => resolve({ code: error?.code, count }));
    });
    if (code === undefined) taken += count;
    else if (code === "EAGAIN") await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
    else break;
  }
  return taken;
}
