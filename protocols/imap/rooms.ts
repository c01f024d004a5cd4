import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import type { Feed } from "#/src/feed/feed.ts";
import type { Mail } from "#/src/mail/mail.ts";
import type { Holds } from "#/src/outbound/holds/holds.ts";

/** What IMAP stands on. */
export interface ImapRooms {
  readonly mail: Mail;
  readonly accounts: Accounts;
  readonly feed: Feed;
  readonly holds: Pick<Holds, "editByMessage">;
  readonly settings: Settings;
  readonly tls: { readonly key: string; readonly cert: string };
  readonly log: Logger;
}
