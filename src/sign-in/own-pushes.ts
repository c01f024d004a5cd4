/** A person's browser that wants to be told when a mail waits. */
import { createECDH } from "node:crypto";
import type { Settings } from "#/config/schema.ts";
import { readUrl } from "#/src/accounts/administration/webhooks.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { pageSessionMs, pushSubscriptionsMax } from "#/src/model/limits.ts";
import { listPushSubscriptionsOf } from "#/storage/queries/accounts/push-subscriptions.ts";
import type { Store } from "#/storage/store.ts";
import type { PageSession } from "./page-session.ts";
import { vapidKeyOf } from "./vapid-key.ts";

/** As `PushSubscription` of a browser has it, in base64url. */
export interface WantedPush {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly language: string;
}

export interface OwnPushes {
  /** The key to which a browser binds its subscription, in base64url. */
  readonly pushKey: string;
  /** The sessions of the person that are told. */
  listToldSessions(session: PageSession): Promise<ReadonlySet<number>>;
  /** This session is told from now on. Throws `invalid` for an address that webhooks don't go to either, and for keys that are none. */
  keepPush(session: PageSession, wanted: WantedPush): Promise<void>;
  endPush(session: PageSession): Promise<void>;
}

const authBytes = 16;

export function createOwnPushes(store: Store, settings: Settings): OwnPushes {
  return {
    pushKey: vapidKeyOf(store).publicKey.toString("base64url"),

    async listToldSessions({ principal }) {
      const rows = await listPushSubscriptionsOf(store, principal.agent);
      return new Set(rows.flatMap(({ session }) => session ?? []));
    },

    async keepPush({ number, principal, createdAt }, { endpoint, p256dh, auth, language }) {
      await store.write(principal.author, "keepPushSubscription", {
        agent: principal.agent,
        session: number,
        endpoint: readUrl(endpoint, settings.webhooks, "/endpoint"),
        ...readPushKeys(p256dh, auth),
        language,
        told: "{}",
        expiresAt: createdAt + pageSessionMs,
        limit: pushSubscriptionsMax,
        at: store.clock.now(),
      });
    },

    async endPush({ number, principal: { agent, author } }) {
      const rows = await listPushSubscriptionsOf(store, agent);
      const mine = rows.find(({ session }) => session === number);
      if (mine === undefined) return;
      await store.write(author, "deletePushSubscription", { agent, subscription: mine.subscription });
    },
  };
}

/** The keys of a receiver (RFC 8291 section 3.1). Throws `invalid`. */
export function readPushKeys(
  p256dh: string,
  auth: string,
): { readonly publicKey: Buffer; readonly authSecret: Buffer } {
  const publicKey = Buffer.from(p256dh.slice(0, 200), "base64url");
  const authSecret = Buffer.from(auth.slice(0, 100), "base64url");
  if (!isPoint(publicKey) || authSecret.length !== authBytes)
    throw new WaypostError("invalid", "The keys of the push subscription are none.", { field: "/keys" });
  return { publicKey, authSecret };
}

function isPoint(octets: Buffer): boolean {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  try {
    pair.computeSecret(octets);
    return octets.length === 65;
  } catch {
    return false;
  }
}
