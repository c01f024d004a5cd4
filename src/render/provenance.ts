import type { Message } from "#/src/mail/messages.ts";
import type { Removal } from "#/src/model/removal.ts";
import type { RemovalDetail } from "./removal.ts";

/** The origin of content, and what was left out of it ("Read result" of the interface). */
export interface ShownProvenance {
  readonly authenticated: boolean;
  readonly removed: readonly Removal[];
  readonly source?: string;
  readonly from_domain?: string;
  readonly checks?: Readonly<Record<string, unknown>>;
  readonly addressed?: false;
  readonly removed_detail?: readonly RemovalDetail[];
  readonly received_at?: string;
}

/** `isNested`: the content is a message inside the message: what is known of the outer one says nothing of it, and nobody
 *  vouched for it. */
export function shownProvenance(
  message: Message,
  removed: readonly RemovalDetail[],
  isNested = false,
): ShownProvenance {
  const { source, fromDomain, checks, addressed } = message.provenance;
  const shown = { removed: [...new Set(removed.map(({ what }) => what))], removed_detail: removed };
  if (isNested) return { authenticated: false, ...shown };
  return {
    authenticated: message.isAuthenticated,
    removed: shown.removed,
    source,
    ...(fromDomain === undefined ? {} : { from_domain: fromDomain }),
    ...(checks === undefined ? {} : { checks }),
    ...(addressed === undefined ? {} : { addressed }),
    removed_detail: removed,
    received_at: new Date(message.receivedAt).toISOString(),
  };
}
