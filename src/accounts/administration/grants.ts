import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { listGrants, listGrantsOn } from "#/storage/queries/accounts/credentials.ts";
import { primaryAddress } from "../principal.ts";
import { assertReachable, objectFields, selectGranted, shownGranted } from "./granted-objects.ts";
import { administrationOperation } from "./operation.ts";
import {
  expiryField,
  expiryOf,
  grantRightsField,
  isoTime,
  numberField,
  ownerField,
  selectOwner,
} from "./selectors.ts";

export const grantOperations = [
  administrationOperation({
    name: "grant.create",
    kind: "access",
    summary: "Let one agent or person reach the data of another one of the same account.",
    input: z.strictObject({
      holder: ownerField.describe("Who may reach: address or id."),
      target: ownerField.describe("Whose data: address or id."),
      scopes: grantRightsField.default(["mail:read"]),
      ...objectFields,
      expiresInDays: expiryField,
    }),
    positional: ["holder", "target"],
    async run({ store }, input, by) {
      const holder = await selectOwner(store, input.holder);
      const target = await selectOwner(store, input.target);
      if (holder.account !== target.account)
        throw new WaypostError("invalid", "A grant cannot reach beyond the account.", { field: "/target" });
      if (holder.agent === target.agent)
        throw new WaypostError("invalid", "Everybody reaches their own data.", { field: "/target" });
      const { scopes } = input;
      assertReachable(scopes, input);
      const objects = await selectGranted(store, target.agent, input);
      const expiresAt = expiryOf(input.expiresInDays, store.clock.now());
      const { grant } = await store.write(by, "createGrant", {
        agent: holder.agent,
        targetAgent: target.agent,
        scopes,
        objects,
        expiresAt,
        at: store.clock.now(),
      });
      return {
        number: grant,
        holder: primaryAddress(holder),
        target: primaryAddress(target),
        scopes,
        ...(await shownGranted(store, target.agent, objects)),
        expiresAt: isoTime(expiresAt),
      };
    },
  }),
  administrationOperation({
    name: "grant.list",
    kind: "access",
    isRead: true,
    summary: "List what an agent or a person has been granted, or who has been granted theirs.",
    input: z.strictObject({
      holder: ownerField.optional().describe("Who has been granted: address or id."),
      target: ownerField.optional().describe("Instead of it, whose data is granted: address or id."),
    }),
    positional: ["holder"],
    async run({ store }, { holder, target: on }) {
      if ((holder === undefined) === (on === undefined))
        throw new WaypostError("invalid", "Grants are listed of a holder or of a target.", {
          field: on === undefined ? "/holder" : "/target",
        });
      const rows =
        on === undefined
          ? await listGrants(store, (await selectOwner(store, holder!)).agent)
          : await listGrantsOn(store, (await selectOwner(store, on)).agent);
      const addressOf = async (agent: AgentNumber): Promise<string | null> => {
        const row = await findAgent(store, agent);
        return row === undefined ? null : primaryAddress(row);
      };
      const grants = [];
      for (const row of rows) {
        grants.push({
          number: row.grant,
          holder: await addressOf(row.agent),
          target: await addressOf(row.targetAgent),
          scopes: row.scopes,
          ...(await shownGranted(store, row.targetAgent, row.objects)),
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
    kind: "access",
    summary: "End a grant.",
    input: z.strictObject({ number: numberField }),
    positional: ["number"],
    async run({ store }, { number }, by) {
      await store.write(by, "revokeGrant", { grant: number, at: store.clock.now() });
      return { number, revoked: true };
    },
  }),
];
