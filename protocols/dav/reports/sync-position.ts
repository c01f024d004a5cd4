/** Where a client of sync-collection stands, as its token says it (RFC 6578 section 3.2): a place in the change log; in the middle
 *  of the changes of one transaction; or in the first listing of the items, with the place of the log from before it began. */
import type { Modseq } from "#/src/model/numbers.ts";
import { formatSyncToken } from "../sync-token.ts";

export type SyncPosition =
  | { readonly modseq: Modseq; readonly told?: number }
  | { readonly modseq: Modseq; readonly after: number };

export function formatSyncPosition(position: SyncPosition): string {
  const token = formatSyncToken(position.modseq);
  if ("after" in position) return `${token}:after:${position.after}`;
  return position.told === undefined ? token : `${token}:told:${position.told}`;
}

const pattern = /^(.*?:(\d{1,15}))(?::(after|told):(\d{1,15}))?$/;

/** undefined for what is no token of ours. */
export function parseSyncPosition(text: string): SyncPosition | undefined {
  const match = pattern.exec(text);
  const modseq = Number(match?.[2]) as Modseq;
  if (match === null || formatSyncToken(modseq) !== match[1]) return undefined;
  if (match[3] === undefined) return { modseq };
  const number = Number(match[4]);
  return match[3] === "after" ? { modseq, after: number } : { modseq, told: number };
}
