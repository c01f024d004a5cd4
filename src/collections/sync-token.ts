/** DAV:sync-token of a collection (RFC 6578 section 4): the position of the change log. */
import type { Modseq } from "#/src/model/numbers.ts";

const prefix = "urn:waypost:sync:";

export function formatSyncToken(modseq: Modseq): string {
  return `${prefix}${modseq}`;
}
