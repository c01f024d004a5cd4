import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import type { BusyReader } from "#/src/collections/busy-reader.ts";
import type { Collections } from "#/src/collections/collections.ts";
import type { Files } from "#/src/files/files.ts";
import type { MailQuota } from "#/src/mail/quota.ts";
import type { Schedulers } from "#/src/scheduling/schedulers.ts";
import type { Scheduling } from "#/src/scheduling/scheduling.ts";
import type { CollectionPushes } from "#/src/sign-in/collection-pushes.ts";
import type { LargeItems } from "./filters/large-items.ts";

/** The rooms that DAV uses. */
export interface DavRooms {
  readonly accounts: Accounts;
  readonly collections: Collections;
  readonly busyTimes: BusyReader;
  readonly largeItems: LargeItems;
  readonly files: Files;
  readonly scheduling: Scheduling;
  readonly schedulers: Schedulers;
  readonly collectionPushes: CollectionPushes;
  readonly mail: Pick<MailQuota, "readQuota">;
  readonly settings: Settings;
  readonly log: Logger;
}

export type { CollectionReach, CollectionRight, ReachedCollection } from "#/src/reach/collection-reach.ts";
