/** How an operator names things: an account by its name, an agent or person by address or id, a credential by number. */

import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import { grantRights } from "#/src/model/grants.ts";
import { scopes } from "#/src/model/roles.ts";
import { listAccounts } from "#/storage/queries/accounts/accounts.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import type { AccountRow, AgentKind, AgentRow, OperatorTokenRow, TokenRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import { readAddress } from "../address.ts";
import { identifyOwner } from "../address-owner.ts";

export const nameField = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, "A name is one line without control characters.");
export const ownerField = z.string().min(1).max(300).describe("Address or id (ag_…).");
export const numberField = z.coerce.number().int().min(1).describe("Number, as the list shows it.");
export const scopesField = z
  .array(z.enum(scopes))
  .min(1)
  .describe(`What it may do: ${scopes.join(", ")}.`);
export const grantRightsField = z
  .array(z.enum(grantRights))
  .min(1)
  .describe(`What it lets its holder do: ${grantRights.join(", ")}.`);
export const expiryField = z.coerce
  .number()
  .positive()
  .max(36_500)
  .optional()
  .describe("Days until it expires; without it, it does not.");

const dayMs = 86_400_000;

export function expiryOf(days: number | undefined, now: number): number | null {
  return days === undefined ? null : Math.round(now + days * dayMs);
}

/** Without a name, the only account that there is. */
export async function selectAccount(store: Store, name: string | undefined): Promise<AccountRow> {
  const rows = await listAccounts(store);
  if (name === undefined && rows.length === 1) return rows[0]!;
  if (name === undefined)
    throw new WaypostError("invalid", "It is not clear which account is meant.", {
      hint: rows.length === 0 ? "Create one: waypost account create <name>." : "Name it: --account <name>.",
      field: "/account",
    });
  const row = rows.find((account) => account.name === name);
  if (row === undefined) throw new WaypostError("not_found", `There is no account ${name}.`);
  return row;
}

/** An agent or a person by address or id. */
export async function selectOwner(store: Store, text: string, kind?: AgentKind): Promise<AgentRow> {
  const row = await findOwner(store, text);
  if (row === undefined || (kind !== undefined && row.kind !== kind))
    throw new WaypostError("not_found", `There is no ${kind ?? "agent or person"} ${text}.`);
  return row;
}

async function findOwner(store: Store, text: string): Promise<AgentRow | undefined> {
  if (!text.includes("@")) {
    const name = store.ids.decode(text);
    return name?.kind === "agent" ? findAgent(store, name.agent) : undefined;
  }
  const agent = await identifyOwner(store, readAddress(text));
  return agent === undefined ? undefined : findAgent(store, agent);
}

export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** A token of an agent or an operator in a list, without its secret. */
export function shownToken({
  token,
  name,
  scopes,
  createdAt,
  expiresAt,
  revokedAt,
}: TokenRow | OperatorTokenRow) {
  return {
    number: token,
    name,
    scopes,
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
    revokedAt: isoTime(revokedAt),
  };
}
