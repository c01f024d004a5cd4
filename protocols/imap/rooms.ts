import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { NameNetwork } from "#/protocols/connection/connection-door.ts";
import type { ServerKeys } from "#/protocols/connection/server-keys.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { Receiving } from "#/src/fairness/receiving.ts";
import type { Feed } from "#/src/feed/feed.ts";
import type { Mail } from "#/src/mail/mail.ts";
import type { Holds } from "#/src/outbound/holds/holds.ts";

/** What IMAP stands on. */
/** With what the ports have among themselves. */
export interface ServedRooms extends ImapRooms {
  /** Memory for messages. */
  readonly receiving: Receiving;
}

export interface ImapRooms {
  readonly mail: Mail;
  readonly accounts: Accounts;
  readonly feed: Feed;
  readonly holds: Pick<Holds, "editByMessage">;
  readonly settings: Settings;
  readonly tls: ServerKeys;
  readonly log: Logger;
  readonly fairness: Fairness;
  /** How connections are told apart by network, if not by their addresses. */
  readonly nameNetwork?: NameNetwork | undefined;
}
