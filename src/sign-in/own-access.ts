/** What people make and end for themselves: app passwords of their mail programs, and passkeys. The caller has the proof that it is the
 *  person who makes one (`SignIn.prove`). */
import { createPassword, type NewCredential } from "#/src/accounts/administration/credentials.ts";
import { ownPasswordsMax } from "#/src/model/limits.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { listPasswords } from "#/storage/queries/accounts/credentials.ts";
import { listPasskeys } from "#/storage/queries/accounts/sign-ins.ts";
import type { PageSettingsRow, PasskeyRow, PasswordRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import type { PageSession } from "./page-session.ts";
import type { PasskeyOptions, Passkeys } from "./passkeys.ts";

export interface OwnAccess {
  /** The live ones, the newest first. */
  listPasswords(session: PageSession): Promise<readonly PasswordRow[]>;
  /** Throws `policy_refused` over the bound. */
  createPassword(session: PageSession, name: string): Promise<NewCredential>;
  /** Throws `not_found` for one that is not of the person. */
  revokePassword(session: PageSession, password: number): Promise<void>;
  hasPasskey(session: PageSession): Promise<boolean>;
  listPasskeys(session: PageSession): Promise<readonly PasskeyRow[]>;
  /** What a browser is asked that makes another passkey. Only who has proved to be the person may see it: the answer is taken without
   *  another proof. */
  askForPasskey(session: PageSession): Promise<PasskeyOptions>;
  /** Throws `unauthorized` unless `created` is a new passkey for `askForPasskey`, `policy_refused` over the bound. */
  addPasskey(session: PageSession, created: string, name: string): Promise<void>;
  /** Throws `policy_refused` for the only one. */
  removePasskey(session: PageSession, passkey: number): Promise<void>;
  /** Absent members stay as they are. */
  setSettings(session: PageSession, settings: Partial<PageSettingsRow>): Promise<void>;
}

export function createOwnAccess(
  store: Store,
  passkeys: Pick<Passkeys<PasskeyRow>, "creation" | "checkCreated">,
): OwnAccess {
  const livePasswords = async ({ principal }: PageSession) =>
    (await listPasswords(store, principal.agent)).filter(({ revokedAt }) => revokedAt === null).toReversed();
  const boundTo = ({ number }: PageSession): string => `${number}`;

  return {
    listPasswords: livePasswords,

    async createPassword(session, name) {
      const { agent, author } = session.principal;
      const owner = (await findAgent(store, agent))!;
      return createPassword(author, store, owner, name, undefined, ownPasswordsMax);
    },

    async revokePassword(session, password) {
      const { agent: owner, author } = session.principal;
      await store.write(author, "revokePassword", { password, owner, at: store.clock.now() });
    },

    hasPasskey: async ({ principal }) => (await listPasskeys(store, principal.agent)).length > 0,
    listPasskeys: ({ principal }) => listPasskeys(store, principal.agent),

    async askForPasskey(session) {
      const { agent, address, name } = session.principal;
      const known = await listPasskeys(store, agent);
      const owner = { id: `person ${agent}`, address, name };
      return passkeys.creation("new-passkey", boundTo(session), owner, known);
    },

    async addPasskey(session, created, name) {
      const { agent, author } = session.principal;
      const passkey = await passkeys.checkCreated(created, "new-passkey", boundTo(session), name);
      await store.write(author, "addPasskey", { agent, passkey, at: store.clock.now() });
    },

    async removePasskey({ principal: { agent, author } }, passkey) {
      await store.write(author, "removePasskey", { agent, passkey });
    },

    async setSettings({ principal: { agent, author } }, settings) {
      await store.write(author, "setPageSettings", { agent, ...settings });
    },
  };
}
