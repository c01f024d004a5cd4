import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import type { BusyReader } from "#/src/collections/busy-reader.ts";
import type { Collections } from "#/src/collections/collections.ts";
import type { ContactProjection } from "#/src/collections/contacts/contact-projection.ts";
import type { EventProjection } from "#/src/collections/events/event-projection.ts";
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { Feed } from "#/src/feed/feed.ts";
import type { Mail } from "#/src/mail/mail.ts";
import type { Tally } from "#/src/model/tally.ts";
import type { Holds } from "#/src/outbound/holds/holds.ts";
import type { Outbound } from "#/src/outbound/outbound.ts";
import type { KeptDescriptions } from "#/src/render/kept-descriptions.ts";
import type { Scheduling } from "#/src/scheduling/scheduling.ts";

/** The parts of the daemon that the JSON interface uses. */
export interface JsonRooms {
  readonly mail: Mail;
  readonly descriptions: KeptDescriptions;
  readonly accounts: Accounts;
  readonly feed: Feed;
  readonly collections: Collections;
  readonly contacts: ContactProjection;
  readonly events: EventProjection;
  readonly busyTimes: BusyReader;
  readonly outbound: Outbound;
  readonly holds: Holds;
  readonly scheduling: Scheduling;
  readonly settings: Settings;
  readonly log: Logger;
  readonly tally?: Tally;
  readonly fairness: Fairness;
}
