/** What a person shares with others of the account, and what others share with them. */
import { isLive } from "#/src/accounts/accounts.ts";
import type { GrantRight } from "#/src/model/grants.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { listGrants, listGrantsOn } from "#/storage/queries/accounts/credentials.ts";
import { listCollections } from "#/storage/queries/collections/collections.ts";
import { listMailboxes } from "#/storage/queries/mail/mailboxes.ts";
import type { GrantRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import type { PageSession } from "./page-session.ts";

export interface Share {
  readonly grant: number;
  /** Of the person's data; else of the data of somebody else. */
  readonly isGiven: boolean;
  /** Who reaches it, or whose data it is. */
  readonly other: string;
  readonly rights: readonly GrantRight[];
  /** Names of what it is about; empty where it is about all of a kind. */
  readonly names: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

export interface Shares {
  listShares(session: PageSession): Promise<readonly Share[]>;
  /** Throws `not_found` unless it is a share of the person's own data. */
  endShare(session: PageSession, grant: number): Promise<void>;
}

export function createShares(store: Store): Shares {
  const now = () => store.clock.now();

  async function share(row: GrantRow, isGiven: boolean): Promise<Share | undefined> {
    const other = isLive(row, now())
      ? await findAgent(store, isGiven ? row.agent : row.targetAgent)
      : undefined;
    if (other === undefined) return undefined;
    const { grant, createdAt, expiresAt } = row;
    const rights = row.scopes as readonly GrantRight[];
    return { grant, isGiven, other: other.name, rights, names: await namesOf(row), createdAt, expiresAt };
  }

  async function namesOf({ targetAgent, objects }: GrantRow): Promise<readonly string[]> {
    const { mailbox, calendar, addressbook } = objects;
    const collections = [calendar, addressbook].flatMap((named) => (named === "all" ? [] : named));
    const mailboxes = mailbox === "all" ? [] : await listMailboxes(store, targetAgent);
    const named = collections.length === 0 ? [] : await listCollections(store, targetAgent);
    return [
      ...mailboxes.filter((row) => mailbox.includes(row.mailbox as never)).map(({ name }) => name),
      ...named.filter((row) => collections.includes(row.collection)).map(({ displayName }) => displayName),
    ];
  }

  return {
    async listShares({ principal: { agent } }) {
      const [given, received] = [await listGrantsOn(store, agent), await listGrants(store, agent)];
      const shares: Share[] = [];
      for (const [rows, isGiven] of [
        [given, true],
        [received, false],
      ] as const)
        for (const row of rows) {
          const one = await share(row, isGiven);
          if (one !== undefined) shares.push(one);
        }
      return shares;
    },

    async endShare({ principal: { agent: target, author } }, grant) {
      await store.write(author, "revokeGrant", { grant, target, at: now() });
    },
  };
}
