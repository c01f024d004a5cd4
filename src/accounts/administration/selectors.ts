/** How an operator names things: an account by its name, an agent or person by address or id, a credential by number. */
import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import { scopes } from "#/src/model/roles.ts";
import { listAccounts } from "#/storage/queries/accounts.ts";
import { findAgent } from "#/storage/queries/agents.ts";
import type { AccountRow, AgentKind, AgentRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import { readAddress } from "../address.ts";
import { findAddressOwner } from "../address-owner.ts";

export const nameField = z.string().trim().min(1).max(200);
export const ownerField = z.string().min(1).max(300).describe("Address or id (ag_…).");
export const numberField = z.coerce.number().int().min(1).describe("Number, as the list shows it.");
export const scopesField = z
  .array(z.enum(scopes))
  .min(1)
  .describe(`What it may do: ${scopes.join(", ")}.`);
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
  return findAddressOwner(store, readAddress(text));
}

export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
