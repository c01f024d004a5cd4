import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import type { Feed } from "#/src/feed/feed.ts";
import type { Mail } from "#/src/mail/mail.ts";

/** What IMAP stands on. */
export interface ImapRooms {
  readonly mail: Mail;
  readonly accounts: Accounts;
  readonly feed: Feed;
  readonly settings: Settings;
  readonly tls: { readonly key: string; readonly cert: string };
  readonly log: Logger;
}
