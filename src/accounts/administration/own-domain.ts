/** How an operator names a domain of this server. */
import { WaypostError } from "#/src/model/errors.ts";
import { findDomain } from "#/storage/queries/accounts/accounts.ts";
import type { Store } from "#/storage/store.ts";
import { parseDomain } from "../address.ts";
import { nameField } from "./selectors.ts";

export const domainField = nameField.describe("The domain, as example.org.");

export function readDomain(text: string): string {
  const domain = parseDomain(text);
  if (domain === undefined)
    throw new WaypostError("invalid", `${JSON.stringify(text)} is no mail domain.`, { field: "/name" });
  return domain;
}

export async function findOwnDomain(store: Store, name: string) {
  const row = await findDomain(store, name);
  if (row === undefined)
    throw new WaypostError("not_found", `${name} is no domain of this server.`, { field: "/name" });
  return row;
}
