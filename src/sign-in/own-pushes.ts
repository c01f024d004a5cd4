/** A person's browser that wants to be told when a mail waits. */
import { pageSessionMs } from "#/src/model/limits.ts";
import type { PageSession } from "./page-session.ts";
import type { PushSubscriptions, WantedPush } from "./push-subscriptions.ts";

export interface OwnPushes {
  /** The key to which a browser binds its subscription, in base64url. */
  readonly pushKey: string;
  /** The sessions of the person that are told. */
  listToldSessions(session: PageSession): Promise<ReadonlySet<number>>;
  /** This session is told from now on, in a language. Throws as `PushSubscriptions.keep` does. */
  keepPush(session: PageSession, wanted: WantedPush, language: string): Promise<void>;
  endPush(session: PageSession): Promise<void>;
}

export function createOwnPushes(subscriptions: PushSubscriptions): OwnPushes {
  return {
    get pushKey() {
      return subscriptions.key;
    },

    async listToldSessions({ principal }) {
      const rows = await subscriptions.listOf(principal.agent);
      return new Set(rows.flatMap(({ session }) => session ?? []));
    },

    async keepPush({ number: session, principal: { agent, author }, createdAt }, wanted, language) {
      const expiresAt = createdAt + pageSessionMs;
      await subscriptions.keep(author, wanted, { agent, session, language, told: "{}", expiresAt });
    },

    async endPush({ number, principal: { agent, author } }) {
      const rows = await subscriptions.listOf(agent);
      const mine = rows.find(({ session }) => session === number);
      if (mine !== undefined) await subscriptions.end(author, agent, mine.subscription);
    },
  };
}
