/** The sending policy of an agent: which mail it may send without approval. */

import { z } from "zod";
import type { Author } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { defaultSendingRules, sendingPolicies } from "#/src/model/holds.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { holdRoles, mailboxRoles } from "#/src/model/roles.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { findSendingPolicy } from "#/storage/queries/outbound/holds.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import { parseAddress, parseDomain } from "../address.ts";
import { sharedMailboxName } from "../other-users.ts";
import { primaryAddress } from "../principal.ts";
import { selectOwner } from "./selectors.ts";

const nobody = "none";
const listEntriesMax = 1000;
const list = z.array(z.string().max(300)).max(listEntriesMax);

export const sendingPolicyFields = {
  approver: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe(`Who approves what waits: a person's address or id, or ${nobody}.`),
  holdPolicy: z
    .enum(sendingPolicies)
    .optional()
    .describe(
      "What waits for approval: open (nothing), first_contact (first mail to a domain), external (mail that leaves the account), always.",
    ),
  allow: list
    .optional()
    .describe("Domains and addresses that need no approval; all of them, an empty text for none."),
  block: list
    .optional()
    .describe("Domains and addresses that are never written to; all of them, an empty text for none."),
};

export type PolicyInput = z.infer<z.ZodObject<typeof sendingPolicyFields>>;

/** Throws `invalid` and `not_found` before anything is written. */
export async function readSendingPolicy(store: Store, account: AccountNumber, input: PolicyInput) {
  const { approver, holdPolicy, allow, block } = input;
  if (approver === undefined && holdPolicy === undefined && allow === undefined && block === undefined)
    return undefined;
  const named =
    approver === undefined || approver === nobody ? undefined : await selectOwner(store, approver);
  if (named !== undefined && named.kind !== "person")
    throw new WaypostError("invalid", `${primaryAddress(named)} is an agent; a person approves.`, {
      field: "/approver",
    });
  if (named !== undefined && named.account !== account)
    throw new WaypostError("invalid", "An approver is of the same account.", { field: "/approver" });
  return {
    policy: holdPolicy,
    approver: approver === undefined ? undefined : (named?.agent ?? null),
    allowed: readList(allow, "/allow"),
    blocked: readList(block, "/block"),
  };
}

/** Mail programs show what is subscribed: the approver finds at once where mail waits. */
export async function subscribeApprover(by: Author, store: Store, agent: AgentRow): Promise<void> {
  const approver = (await findSendingPolicy(store, agent.agent))?.approver;
  if (approver == null) return;
  const at = store.clock.now();
  for (const name of approverSubscribes(primaryAddress(agent)))
    await store.write(by, "setSubscription", {
      agent: approver,
      name,
      isSubscribed: true,
      isOffer: true,
      at,
    });
}

/** The mailboxes in which mail of an agent waits, as its approver sees them. */
export function approverSubscribes(address: string): string[] {
  return holdRoles.map((role) => sharedMailboxName(address, mailboxRoles[role].name));
}

/** The entries in the normal form in which recipients are compared. */
function readList(entries: readonly string[] | undefined, field: string): string[] | undefined {
  return entries
    ?.filter((entry) => entry !== "")
    .map((entry) => {
      const address = parseAddress(entry);
      const normal = address === undefined ? parseDomain(entry) : `${address.localPart}@${address.domain}`;
      if (normal === undefined)
        throw new WaypostError("invalid", `${JSON.stringify(entry)} is neither a domain nor an address.`, {
          field,
        });
      return normal;
    });
}

export async function describeSendingPolicy(store: Store, agent: AgentNumber) {
  const row = await findSendingPolicy(store, agent);
  const approver = row?.approver == null ? undefined : await findAgent(store, row.approver);
  const { policy, allowed, blocked } = row ?? defaultSendingRules;
  return {
    holdPolicy: policy,
    approver: approver === undefined ? null : primaryAddress(approver),
    allow: allowed,
    block: blocked,
  };
}
