/** How long a person stays signed in to the pages. */
import { WaypostError } from "#/src/model/errors.ts";
import { pageSessionIdleMs, pageSessionMs } from "#/src/model/limits.ts";
import { findPageSessionByNumber } from "#/storage/queries/accounts/sign-ins.ts";
import type { PageSessionRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";

export function isLivePageSession(
  { createdAt, seenAt, endedAt }: Pick<PageSessionRow, "createdAt" | "seenAt" | "endedAt">,
  now: number,
): boolean {
  return endedAt === null && now - seenAt < pageSessionIdleMs && now - createdAt < pageSessionMs;
}

/** Throws `unauthorized` once a session has ended. */
export async function assertPageSession(store: Store, number: number): Promise<void> {
  const row = await findPageSessionByNumber(store, number);
  if (row === undefined || !isLivePageSession(row, store.clock.now()))
    throw new WaypostError("unauthorized", "The session has ended.");
}
