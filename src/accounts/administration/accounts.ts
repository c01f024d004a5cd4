import { z } from "zod";
import { listAccounts } from "#/storage/queries/accounts/accounts.ts";
import { administrationOperation } from "./operation.ts";
import { isoTime, nameField, selectAccount } from "./selectors.ts";

export const accountOperations = [
  administrationOperation({
    name: "account.create",
    kind: "accounts",
    summary: "Create an account. It owns domains, agents and people, and shares no data with other accounts.",
    input: z.strictObject({ name: nameField.describe("Name of the account.") }),
    positional: ["name"],
    async run({ store }, { name }, by) {
      await store.write(by, "createAccount", { name, at: store.clock.now() });
      return { name, state: "active" };
    },
  }),
  administrationOperation({
    name: "account.list",
    kind: "accounts",
    isRead: true,
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
    kind: "accounts",
    summary: "Suspend an account: its requests fail with not_billable, mail still arrives.",
    input: z.strictObject({ name: nameField.describe("Name of the account.") }),
    positional: ["name"],
    async run({ store }, { name }, by) {
      const { account } = await selectAccount(store, name);
      await store.write(by, "updateAccount", { account, state: "not_billable" });
      return { name, state: "not_billable" };
    },
  }),
  administrationOperation({
    name: "account.resume",
    kind: "accounts",
    summary: "End the suspension of an account.",
    input: z.strictObject({ name: nameField.describe("Name of the account.") }),
    positional: ["name"],
    async run({ store }, { name }, by) {
      const { account } = await selectAccount(store, name);
      await store.write(by, "updateAccount", { account, state: "active" });
      return { name, state: "active" };
    },
  }),
];
