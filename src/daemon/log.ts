import pino, { type Logger } from "pino";
import type { Settings } from "#/config/schema.ts";

export interface Log {
  readonly logger: Logger;
  /** Writes what is still in memory. */
  flush(): void;
}

/** The log: one JSON object a line, to standard error or a file. What comes from the network is a value in it, never a line. */
export function openLog({ level, file }: Settings["log"]): Log {
  // A synchronous write to a slow terminal would stop the server, so lines are handed over as the system takes them.
  const destination = pino.destination({ dest: file === "" ? 2 : file, sync: false, mkdir: true });
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return {
    logger,
    flush() {
      try {
        destination.flushSync();
      } catch {
        // The file is not open yet, or standard error is closed: there is nobody to tell.
      }
    },
  };
}
