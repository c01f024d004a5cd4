import { z } from "zod";
import type { Author } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { defaultScopes } from "#/src/model/roles.ts";
import { listPasswords, listTokens } from "#/storage/queries/accounts/credentials.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import { primaryAddress } from "../principal.ts";
import { deriveVerifier } from "../scram.ts";
import { generatePassword, generateToken, hashToken } from "../secrets.ts";
import { administrationOperation } from "./operation.ts";
import {
  expiryField,
  expiryOf,
  isoTime,
  nameField,
  numberField,
  ownerField,
  scopesField,
  selectOwner,
  shownToken,
} from "./selectors.ts";

export interface NewCredential {
  readonly number: number;
  /** The secret. It is not stored, so it can be read only in this answer. */
  readonly secret: string;
}

export interface TokenFacts {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number | null;
}

export async function createToken(
  by: Author,
  store: Store,
  { agent }: AgentRow,
  facts: TokenFacts,
): Promise<NewCredential> {
  const { secret, kept } = makeToken(facts);
  const { token } = await store.write(by, "createToken", { agent, ...kept, at: store.clock.now() });
  return { number: token, secret };
}

/** The same of a token. */
export function makeToken(facts: TokenFacts) {
  const secret = generateToken();
  return { secret, kept: { ...facts, hash: hashToken(secret) } };
}

export async function createPassword(
  by: Author,
  store: Store,
  owner: AgentRow,
  name: string,
  /** Absent: everything that a mail client does. */
  scopes?: readonly string[],
  limit?: number,
): Promise<NewCredential> {
  const { agent } = owner;
  const { secret, kept } = await makePassword(owner, name, scopes);
  const { password } = await store.write(by, "createPassword", {
    agent,
    ...kept,
    limit,
    at: store.clock.now(),
  });
  return { number: password, secret };
}

/** A secret, and what the store has of it. */
export async function makePassword(
  { scramSalt, scramIterations }: Pick<AgentRow, "scramSalt" | "scramIterations">,
  name: string,
  scopes?: readonly string[],
) {
  const secret = generatePassword();
  return { secret, kept: { name, scopes, ...(await deriveVerifier(secret, scramSalt, scramIterations)) } };
}

const labelField = nameField.default("unnamed").describe("What it is for, to know it again in the list.");

export const tokenOperations = [
  administrationOperation({
    name: "token.create",
    kind: "access",
    summary: "Give an agent one more token, shown once.",
    input: z.strictObject({
      agent: ownerField.describe("The agent's address or id (ag_…)."),
      name: labelField,
      scopes: scopesField.default([...defaultScopes]),
      expiresInDays: expiryField,
    }),
    positional: ["agent"],
    async run({ store }, { agent, name, scopes, expiresInDays }, by) {
      const row = await selectOwner(store, agent);
      if (row.kind === "person")
        throw new WaypostError(
          "invalid",
          `${primaryAddress(row)} is a person; people have app passwords and no tokens.`,
          {
            field: "/agent",
          },
        );
      const expiresAt = expiryOf(expiresInDays, store.clock.now());
      const created = await createToken(by, store, row, { name, scopes, expiresAt });
      return {
        token: created.secret,
        number: created.number,
        agent: primaryAddress(row),
        name,
        scopes,
        expiresAt: isoTime(expiresAt),
      };
    },
  }),
  administrationOperation({
    name: "token.list",
    kind: "access",
    isRead: true,
    summary: "List the tokens of an agent.",
    input: z.strictObject({ agent: ownerField.describe("The agent's address or id (ag_…).") }),
    positional: ["agent"],
    async run({ store }, { agent }) {
      const rows = await listTokens(store, (await selectOwner(store, agent)).agent);
      return {
        tokens: rows.map(shownToken),
      };
    },
  }),
  administrationOperation({
    name: "token.revoke",
    kind: "access",
    summary: "Make a token worthless from now on.",
    input: z.strictObject({ number: numberField }),
    positional: ["number"],
    async run({ store }, { number }, by) {
      await store.write(by, "revokeToken", { token: number, at: store.clock.now() });
      return { number, revoked: true };
    },
  }),
];

export const passwordOperations = [
  administrationOperation({
    name: "password.create",
    kind: "access",
    summary: "Make an app password for a mail client, shown once.",
    input: z.strictObject({
      owner: ownerField,
      name: labelField,
      scopes: scopesField
        .optional()
        .describe("What it may do; without it everything that a mail client does."),
    }),
    positional: ["owner"],
    async run({ store }, { owner, name, scopes }, by) {
      const row = await selectOwner(store, owner);
      const { secret, number } = await createPassword(by, store, row, name, scopes);
      return {
        password: secret,
        number,
        address: primaryAddress(row),
        name,
        ...(scopes === undefined ? {} : { scopes }),
      };
    },
  }),
  administrationOperation({
    name: "password.list",
    kind: "access",
    isRead: true,
    summary: "List the app passwords of an agent or a person.",
    input: z.strictObject({ owner: ownerField }),
    positional: ["owner"],
    async run({ store }, { owner }) {
      const rows = await listPasswords(store, (await selectOwner(store, owner)).agent);
      return {
        passwords: rows.map((row) => ({
          number: row.password,
          name: row.name,
          scopes: row.scopes ?? "all",
          createdAt: isoTime(row.createdAt),
          revokedAt: isoTime(row.revokedAt),
        })),
      };
    },
  }),
  administrationOperation({
    name: "password.revoke",
    kind: "access",
    summary: "Make an app password worthless from now on.",
    input: z.strictObject({ number: numberField }),
    positional: ["number"],
    async run({ store }, { number }, by) {
      await store.write(by, "revokePassword", { password: number, at: store.clock.now() });
      return { number, revoked: true };
    },
  }),
];
