/** Stores the counts for reports each minute. Each hour it sends the reports of past days that are due: servers start at different minutes,
 *  so a domain does not get all its reports at midnight. Of several daemons, each counts and one sends. */
import type { Logger } from "pino";
import { every } from "#/src/model/background.ts";
import { createOutage } from "#/src/model/outage.ts";
import type { ReportCounts } from "#/src/reports/report-counts.ts";
import { type ReportingRooms, sendDueReports } from "#/src/reports/send-reports.ts";

const everyMs = 60_000;
const turnsPerLook = 60;

export function startReportRunner(
  rooms: ReportingRooms,
  counts: ReportCounts,
  log: Logger,
): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let turns = 0;
  const outage = createOutage(log, "reports were not sent");
  const timer = every(everyMs, () => {
    turns++;
    running ??= turn()
      .then(outage.worked, outage.failed)
      .finally(() => {
        running = undefined;
      });
  }).unref();

  async function turn(): Promise<void> {
    await counts.flush();
    if (turns % turnsPerLook !== 0 || !rooms.store.leases.isHeld("reports")) return;
    const count = await sendDueReports(rooms);
    if (count > 0) log.info({ count }, "reports sent");
  }

  return {
    async stop() {
      clearInterval(timer);
      await running;
      await counts.flush();
    },
  };
}
