/** How long a person stays signed in to the pages. */
import { pageSessionIdleMs, pageSessionMs } from "#/src/model/limits.ts";
import type { PageSessionRow } from "#/storage/rows.ts";

/** When it ends, unless it is used or ended before. */
export function endOfPageSession({
  createdAt,
  seenAt,
}: Pick<PageSessionRow, "createdAt" | "seenAt">): number {
  return Math.min(seenAt + pageSessionIdleMs, createdAt + pageSessionMs);
}

export function isLivePageSession(
  row: Pick<PageSessionRow, "createdAt" | "seenAt" | "endedAt">,
  now: number,
): boolean {
  return row.endedAt === null && now < endOfPageSession(row);
}
