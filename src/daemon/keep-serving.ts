/** The last resort of a running daemon: a failure that no caller hears of is logged and counted, and every port goes on serving. */
import type { Logger } from "pino";
import { noteFailure, onFailure } from "#/src/model/background.ts";

/** The words of the log line. */
export const failedInBackground = "work in the background failed; the server goes on";

export function keepServing(log: Logger): void {
  onFailure((error) => log.error({ err: error }, failedInBackground));
  process.on("unhandledRejection", noteFailure);
}
