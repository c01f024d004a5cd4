/** What is told to programs that follow a collection: that it has changed, and its new sync-token (the draft WebDAV-Push). A program whose
 *  login may not read the collection any more is told nothing, and its subscription ends. */
import { createHash } from "node:crypto";
import type { Accounts } from "#/src/accounts/accounts.ts";
import { principalOfPassword } from "#/src/accounts/principal.ts";
import type { Collections } from "#/src/collections/collections.ts";
import { formatSyncToken } from "#/src/collections/sync-token.ts";
import { waitOf } from "#/src/feed/retries.ts";
import { server } from "#/src/model/author.ts";
import { leftUntil } from "#/src/model/clock.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { collectionPushPauseMs } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { createCollectionReach } from "#/src/reach/collection-reach.ts";
import { findPassword } from "#/storage/queries/accounts/credentials.ts";
import {
  type CollectionPushRow,
  listCollectionPushes,
} from "#/storage/queries/accounts/push-subscriptions.ts";
import type { Store } from "#/storage/store.ts";
import { pushTopic, toldOf } from "./collection-pushes.ts";
import type { DuePushes, Push } from "./push.ts";

export interface CollectionNewsRooms {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly collections: Collections;
}

export interface CollectionNews {
  listDue(now: number): Promise<DuePushes>;
  /** Whose collections have changed. */
  noteChanged(owners: Iterable<AgentNumber>): void;
}

/** How often all collections are looked at: what another daemon changes may be told late, or not at all (`storage/postgres/doorbell.ts`). */
const lookAtAllMs = { alone: 60_000, shared: 2000 };

export function createCollectionNews(rooms: CollectionNewsRooms): CollectionNews {
  const { store, accounts } = rooms;
  let changed = new Set<AgentNumber>();
  let looksAtAllAt = 0;
  const { isShared } = store.leases;

  /** Whether the login of the subscription reads the collection now. */
  async function mayRead({ agent, password, collectionAgent, collection }: CollectionPushRow) {
    const [owner, row] = [await accounts.access.findOwner(agent), await findPassword(store, password!)];
    if (owner === undefined || row === undefined || row.revokedAt !== null) return false;
    const reach = createCollectionReach({ rooms, principal: principalOfPassword(owner, row) });
    try {
      return (await reach.find(collectionAgent!, collection!, "read")) !== undefined;
    } catch (error) {
      if (isWaypostError(error) && error.code === "forbidden_scope") return false;
      throw error;
    }
  }

  return {
    async listDue(now) {
      const lookMs = lookAtAllMs[isShared ? "shared" : "alone"];
      const isAll = leftUntil(looksAtAllAt, now, lookMs) === 0;
      const owners = isAll ? undefined : [...changed];
      changed = new Set();
      if (isAll) looksAtAllAt = now + lookMs;
      const pushes: Push[] = [];
      let nextAt = looksAtAllAt;
      for (const row of await listCollectionPushes(store, now, owners)) {
        const { subscription, endpoint } = row;
        const waitMs = waitOf(row, now);
        if (waitMs > 0) {
          nextAt = Math.min(nextAt, now + waitMs);
          changed.add(row.collectionAgent!);
        } else if (isOwnDeleted(row) || (await mayRead(row))) pushes.push(pushOf(row));
        else await store.write(server, "reportPush", { subscription, endpoint });
      }
      return { pushes, nextAt };
    },
    noteChanged(owners) {
      for (const owner of owners) changed.add(owner);
    },
  };

  function pushOf(row: CollectionPushRow): Push {
    const { modseq, propertiesModseq, collectionAgent, collection, triggers, told } = row;
    const isDeleted = modseq === null;
    const topic = pushTopic(store.ids, collectionAgent!, collection!);
    const saysItems = isDeleted || triggers !== "property-update";
    const saysProperties = !isDeleted && triggers !== "content-update" && propertiesModseq! > Number(told);
    const updates = [
      ...(saysItems ? [contentUpdate(modseq)] : []),
      ...(saysProperties ? ["<property-update/>"] : []),
    ];
    return {
      subscription: row,
      text: `<?xml version="1.0" encoding="utf-8"?>
<push-message xmlns="https://bitfire.at/webdav-push" xmlns:D="DAV:"><topic>${topic}</topic>${updates.join("")}</push-message>`,
      type: 'application/xml; charset="utf-8"',
      urgency: "normal",
      // One that says both must not be replaced by one that says less.
      topic: createHash("sha256").update(`${topic} ${updates.length}`).digest("base64url").slice(0, 32),
      told: isDeleted ? undefined : toldOf(triggers, { modseq, propertiesModseq: propertiesModseq! }),
      pauseMs: collectionPushPauseMs,
    };
  }
}

/** That its own calendar is deleted is told to its owner alone: to whom else it was granted, the grant has ended with it. */
function isOwnDeleted({ modseq, agent, collectionAgent }: CollectionPushRow): boolean {
  return modseq === null && agent === collectionAgent;
}

function contentUpdate(modseq: CollectionPushRow["modseq"]): string {
  if (modseq === null) return "<content-update/>";
  return `<content-update><D:sync-token>${formatSyncToken(modseq)}</D:sync-token></content-update>`;
}
