import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import type { GrantedObjects } from "#/src/model/grants.ts";
import { mailboxesMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { findAgent } from "#/storage/queries/agents.ts";
import { listGrants } from "#/storage/queries/credentials.ts";
import { listMailboxes } from "#/storage/queries/mailboxes.ts";
import type { Store } from "#/storage/store.ts";
import { primaryAddress } from "../principal.ts";
import { administrationOperation } from "./operation.ts";
import {
  expiryField,
  expiryOf,
  grantRightsField,
  isoTime,
  numberField,
  ownerField,
  selectMailboxes,
  selectOwner,
} from "./selectors.ts";

/** As they are called now. */
async function mailboxNames(
  store: Store,
  agent: AgentNumber,
  { mailbox }: GrantedObjects,
): Promise<"all" | readonly string[]> {
  if (mailbox === "all") return "all";
  const rows = await listMailboxes(store, agent);
  return rows.filter((row) => mailbox.includes(row.mailbox)).map(({ name }) => name);
}

export const grantOperations = [
  administrationOperation({
    name: "grant.create",
    summary: "Let one agent or person reach the data of another one of the same account.",
    input: z.strictObject({
      holder: ownerField.describe("Who may reach: address or id."),
      target: ownerField.describe("Whose data: address or id."),
      scopes: grantRightsField.default(["mail:read"]),
      mailboxes: z
        .array(z.string().min(1))
        .min(1)
        .max(mailboxesMax)
        .optional()
        .describe(
          "Mailboxes, by name or id; the grant keeps them when they are renamed. Without it, all of them.",
        ),
      expiresInDays: expiryField,
    }),
    positional: ["holder", "target"],
    async run({ store }, input) {
      const holder = await selectOwner(store, input.holder);
      const target = await selectOwner(store, input.target);
      if (holder.account !== target.account)
        throw new WaypostError("invalid", "A grant cannot reach beyond the account.", { field: "/target" });
      if (holder.agent === target.agent)
        throw new WaypostError("invalid", "Everybody reaches their own data.", { field: "/target" });
      const named = input.mailboxes && (await selectMailboxes(store, target, input.mailboxes, "/mailboxes"));
      const objects: GrantedObjects = { mailbox: named ?? "all", calendar: "all", addressbook: "all" };
      const expiresAt = expiryOf(input.expiresInDays, store.clock.now());
      const { grant } = await store.write("createGrant", {
        agent: holder.agent,
        targetAgent: target.agent,
        scopes: input.scopes,
        objects,
        expiresAt,
        at: store.clock.now(),
      });
      return {
        number: grant,
        holder: primaryAddress(holder),
        target: primaryAddress(target),
        scopes: input.scopes,
        mailboxes: await mailboxNames(store, target.agent, objects),
        expiresAt: isoTime(expiresAt),
      };
    },
  }),
  administrationOperation({
    name: "grant.list",
    summary: "List what an agent or a person has been granted.",
    input: z.strictObject({ holder: ownerField }),
    positional: ["holder"],
    async run({ store }, { holder }) {
      const rows = await listGrants(store, (await selectOwner(store, holder)).agent);
      const grants = [];
      for (const row of rows) {
        const target = await findAgent(store, row.targetAgent);
        grants.push({
          number: row.grant,
          target: target === undefined ? null : primaryAddress(target),
          scopes: row.scopes,
          mailboxes: await mailboxNames(store, row.targetAgent, row.objects),
          ...(row.lostMailboxes.length === 0 ? {} : { lostMailboxes: row.lostMailboxes }),
          createdAt: isoTime(row.createdAt),
          expiresAt: isoTime(row.expiresAt),
          revokedAt: isoTime(row.revokedAt),
        });
      }
      return { grants };
    },
  }),
  administrationOperation({
    name: "grant.revoke",
    summary: "End a grant.",
    input: z.strictObject({ number: numberField }),
    positional: ["number"],
    async run({ store }, { number }) {
      await store.write("revokeGrant", { grant: number, at: store.clock.now() });
      return { number, revoked: true };
    },
  }),
];
