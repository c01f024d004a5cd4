/** How long a person stays signed in to the pages. */
import { pageSessionIdleMs, pageSessionMs } from "#/src/model/limits.ts";
import type { PageSessionRow } from "#/storage/rows.ts";

export function isLivePageSession(
  { createdAt, seenAt, endedAt }: Pick<PageSessionRow, "createdAt" | "seenAt" | "endedAt">,
  now: number,
): boolean {
  return endedAt === null && now - seenAt < pageSessionIdleMs && now - createdAt < pageSessionMs;
}
