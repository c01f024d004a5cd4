import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import type { Collection, CollectionKind } from "#/src/collections/collection.ts";
import type { Collections } from "#/src/collections/collections.ts";
import type { MailQuota } from "#/src/mail/quota.ts";
import type { Actor } from "#/src/model/actor.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";

/** What DAV stands on. */
export interface DavRooms {
  readonly accounts: Accounts;
  readonly collections: Collections;
  readonly mail: Pick<MailQuota, "readQuota">;
  readonly settings: Settings;
  readonly log: Logger;
}

export type CollectionRight = "freebusy" | "read" | "write" | "manage";

/** A collection as a login sees it. */
export interface ReachedCollection extends Collection {
  readonly rights: ReadonlySet<CollectionRight>;
  readonly isOwn: boolean;
  readonly owner: { readonly agent: AgentNumber; readonly address: string; readonly name: string };
  /** For whom a write to it is made. */
  readonly actor: Actor;
}

export interface CollectionReach {
  list(kind: CollectionKind): Promise<readonly ReachedCollection[]>;
  /** undefined: it is not there or not seen. Throws `forbidden_scope` when it is seen and the right is missing. */
  find(
    agent: AgentNumber,
    collection: CollectionNumber,
    right: CollectionRight,
  ): Promise<ReachedCollection | undefined>;
}
