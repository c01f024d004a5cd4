import type { Message } from "#/src/mail/messages.ts";
import type { Removal, RemovalDetail } from "./removal.ts";

/** Where content came from and what was left out ("Read result" of the interface). */
export interface ShownProvenance {
  readonly authenticated: boolean;
  readonly removed: readonly Removal[];
  readonly source?: string;
  readonly from_domain?: string;
  readonly checks?: Readonly<Record<string, unknown>>;
  readonly removed_detail?: readonly RemovalDetail[];
  readonly received_at?: string;
}

/** `isNested`: the content is a message inside the message, which nobody vouched for. */
export function shownProvenance(
  message: Message,
  removed: readonly RemovalDetail[],
  isNested = false,
): ShownProvenance {
  const { source, fromDomain, checks } = message.provenance;
  return {
    authenticated: message.isAuthenticated && !isNested,
    removed: [...new Set(removed.map(({ what }) => what))],
    source,
    ...(fromDomain === undefined ? {} : { from_domain: fromDomain }),
    ...(checks === undefined ? {} : { checks }),
    removed_detail: removed,
    received_at: new Date(message.receivedAt).toISOString(),
  };
}
