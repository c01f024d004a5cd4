/** The last resort of a running daemon: a failure that no caller hears of, and a thread that ends by itself, is logged and counted, and
 *  every port goes on serving. */
import path from "node:path";
import type { Logger } from "pino";
import { databaseOf } from "#/config/database-of.ts";
import type { Settings } from "#/config/schema.ts";
import { noteFailure, onFailure } from "#/src/model/background.ts";
import { onThreadEnd } from "#/src/threads/thread-ends.ts";
import { prepareWatch } from "#/src/threads/watchdog.ts";

/** The words of the log line. */
export const failedInBackground = "work in the background failed; the server goes on";

/** The words of the log line of a thread that was not asked to end: `thread`, `why` and `cause` say which and why. */
export const threadEnded = "a thread ended by itself; the next work gets a new one";

export function keepServing(log: Logger): void {
  onFailure((error) => log.error({ err: error }, failedInBackground));
  onThreadEnd((end) => log.warn({ ...end }, threadEnded));
  process.on("unhandledRejection", noteFailure);
}

/** To be called before the daemon starts, and its result when it serves: so an upgrade of the store takes the time that it needs. */
export function watchOver(settings: Settings): () => void {
  const watch = prepareWatch(path.resolve(settings.storage.folder, "quarantine"), settings.log.file);
  // The writer thread of SQLite watches.
  return () => watch(databaseOf(settings) !== undefined);
}
