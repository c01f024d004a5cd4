/** Counts for the reports to other domains. Counts are kept in memory and written together after a while. A crash loses the counts of
 *  that time; nothing depends on them. */

import type { ReportKind } from "#/src/formats/reports/received-report.ts";
import { server } from "#/src/model/author.ts";
import type { ReportCountRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";

export interface ReportCounts {
  /** `detail`: what happened; its fields are always given in the same order. */
  note(kind: ReportKind, domain: string, detail: object): void;
  /** Writes what was counted since the last time. */
  flush(): Promise<void>;
}

const dayMs = 86_400_000;
/** Different things between two writes; further ones are not counted. */
const waitingMax = 10_000;
/** Rows that are written in a day: whoever sends mail in ever new names fills no disk. */
const writtenPerDayMax = 100_000;
/** Rows of one write among the quick ones. */
const rowsPerWrite = 100;

export function dayOf(time: number): number {
  return Math.floor(time / dayMs);
}

export function startOfDay(day: number): number {
  return day * dayMs;
}

export function createReportCounts(store: Pick<Store, "write" | "clock">): ReportCounts {
  let waiting = new Map<string, ReportCountRow>();
  let written = { day: 0, count: 0 };
  return {
    note(kind, domain, detail) {
      const row = { kind, day: dayOf(store.clock.now()), domain, detail: JSON.stringify(detail) };
      const key = JSON.stringify(row);
      const count = (waiting.get(key)?.count ?? 0) + 1;
      if (count > 1 || waiting.size < waitingMax) waiting.set(key, { ...row, count });
    },
    async flush() {
      const day = dayOf(store.clock.now());
      if (written.day !== day) written = { day, count: 0 };
      const rows = [...waiting.values()].slice(0, writtenPerDayMax - written.count);
      written.count += rows.length;
      waiting = new Map();
      for (let at = 0; at < rows.length; at += rowsPerWrite)
        await store.write(server, "countForReports", { counts: rows.slice(at, at + rowsPerWrite) });
    },
  };
}
