/** The position of a client of sync-collection, from its token (RFC 6578 section 3.2): a position in the change log; a position within
 *  the changes of one transaction; or one in the first listing of the items, with the position of the log before the listing began. */

import { formatSyncToken } from "#/src/collections/sync-token.ts";
import type { Modseq } from "#/src/model/numbers.ts";

export type SyncPosition =
  | { readonly modseq: Modseq; readonly told?: number }
  | { readonly modseq: Modseq; readonly after: number };

export function formatSyncPosition(position: SyncPosition): string {
  const token = formatSyncToken(position.modseq);
  if ("after" in position) return `${token}:after:${position.after}`;
  return position.told === undefined ? token : `${token}:told:${position.told}`;
}

const pattern = /^(.*?:(\d{1,15}))(?::(after|told):(\d{1,15}))?$/;

/** undefined for a text that is not a token of this server. */
export function parseSyncPosition(text: string): SyncPosition | undefined {
  const match = pattern.exec(text);
  const modseq = Number(match?.[2]) as Modseq;
  if (match === null || formatSyncToken(modseq) !== match[1]) return undefined;
  if (match[3] === undefined) return { modseq };
  const number = Number(match[4]);
  return match[3] === "after" ? { modseq, after: number } : { modseq, told: number };
}
