import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import { listAccounts, listDomains } from "#/storage/queries/accounts.ts";
import { parseDomain } from "../address.ts";
import { administrationOperation } from "./operation.ts";
import { isoTime, nameField, selectAccount } from "./selectors.ts";

const accountField = nameField
  .optional()
  .describe("Name of the account; not needed while there is one alone.");

function readDomain(text: string): string {
  const domain = parseDomain(text);
  if (domain === undefined)
    throw new WaypostError("invalid", `${JSON.stringify(text)} is no mail domain.`, { field: "/name" });
  return domain;
}

export const accountOperations = [
  administrationOperation({
    name: "account.create",
    summary: "Create an account: what owns domains, agents and people, and shares nothing with others.",
    input: z.strictObject({ name: nameField.describe("Name of the account.") }),
    positional: ["name"],
    async run({ store }, { name }) {
      await store.write("createAccount", { name, at: store.clock.now() });
      return { name, state: "active" };
    },
  }),
  administrationOperation({
    name: "account.list",
    summary: "List the accounts.",
    input: z.strictObject({}),
    async run({ store }) {
      const rows = await listAccounts(store);
      return {
        accounts: rows.map((row) => ({
          name: row.name,
          state: row.state,
          createdAt: isoTime(row.createdAt),
        })),
      };
    },
  }),
  administrationOperation({
    name: "account.suspend",
    summary: "Let an account incur no more usage: its requests answer not_billable, mail still arrives.",
    input: z.strictObject({ name: nameField.describe("Name of the account.") }),
    positional: ["name"],
    async run({ store }, { name }) {
      const { account } = await selectAccount(store, name);
      await store.write("updateAccount", { account, state: "not_billable" });
      return { name, state: "not_billable" };
    },
  }),
  administrationOperation({
    name: "account.resume",
    summary: "Take a suspension back.",
    input: z.strictObject({ name: nameField.describe("Name of the account.") }),
    positional: ["name"],
    async run({ store }, { name }) {
      const { account } = await selectAccount(store, name);
      await store.write("updateAccount", { account, state: "active" });
      return { name, state: "active" };
    },
  }),
];

export const domainOperations = [
  administrationOperation({
    name: "domain.create",
    summary: "Take mail for a domain.",
    input: z.strictObject({ name: nameField.describe("The domain, as example.org."), account: accountField }),
    positional: ["name"],
    async run({ store }, { name, account: accountName }) {
      const domain = readDomain(name);
      const { account, name: owner } = await selectAccount(store, accountName);
      await store.write("createDomain", { name: domain, account, at: store.clock.now() });
      return { name: domain, account: owner };
    },
  }),
  administrationOperation({
    name: "domain.list",
    summary: "List the domains that mail is taken for.",
    input: z.strictObject({}),
    async run({ store }) {
      const names = new Map((await listAccounts(store)).map((row) => [row.account, row.name]));
      const rows = await listDomains(store);
      return {
        domains: rows.map((row) => ({
          name: row.name,
          account: names.get(row.account),
          createdAt: isoTime(row.createdAt),
        })),
      };
    },
  }),
  administrationOperation({
    name: "domain.delete",
    summary: "Take no more mail for a domain. It must have no addresses left.",
    input: z.strictObject({ name: nameField.describe("The domain.") }),
    positional: ["name"],
    isDestructive: true,
    async run({ store }, { name }) {
      const domain = readDomain(name);
      await store.write("deleteDomain", { name: domain });
      return { name: domain, deleted: true };
    },
  }),
];
