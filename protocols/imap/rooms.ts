import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { NameNetwork } from "#/protocols/connection/connection-door.ts";
import type { ServerKeys } from "#/protocols/connection/server-keys.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { Receiving } from "#/src/fairness/receiving.ts";
import type { Feed } from "#/src/feed/feed.ts";
import type { Mail } from "#/src/mail/mail.ts";
import type { Tally } from "#/src/model/tally.ts";
import type { Holds } from "#/src/outbound/holds/holds.ts";

/** The parts of the daemon that IMAP uses, with what the connections of all IMAP ports share. */
export interface ServedRooms extends ImapRooms {
  /** Bounds the memory for messages that are being received. */
  readonly receiving: Receiving;
}

/** The parts of the daemon that IMAP uses. */
export interface ImapRooms {
  readonly mail: Mail;
  readonly accounts: Accounts;
  readonly feed: Feed;
  readonly holds: Pick<Holds, "editByMessage">;
  readonly settings: Settings;
  readonly tls: ServerKeys;
  readonly log: Logger;
  readonly fairness: Fairness;
  readonly tally?: Tally;
  /** Gives the network of a connection, for limits per network; without it the address decides. */
  readonly nameNetwork?: NameNetwork | undefined;
}
