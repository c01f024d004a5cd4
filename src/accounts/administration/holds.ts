/** Mail that waits for approval, for the operator, who lists it and decides about it. */
import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import type { HoldRow } from "#/storage/holds.ts";
import { findAgent, listAgents } from "#/storage/queries/accounts/agents.ts";
import { findMessage } from "#/storage/queries/mail/messages.ts";
import { findHold, listLiveHolds } from "#/storage/queries/outbound/holds.ts";
import type { Store } from "#/storage/store.ts";
import { primaryAddress } from "../principal.ts";
import { administrationOperation } from "./operation.ts";
import { isoTime, ownerField, selectOwner } from "./selectors.ts";

const holdField = z.string().min(1).max(100).describe("The hold's id (hold_…), as the list shows it.");

async function selectHold(store: Store, id: string): Promise<HoldRow> {
  const name = store.ids.decode(id);
  const hold = name?.kind === "hold" ? await findHold(store, name.agent, name.object) : undefined;
  if (hold === undefined || (await findAgent(store, hold.agent)) === undefined)
    throw new WaypostError("not_found", `There is no hold ${id}.`);
  return hold;
}

export async function describeHold(store: Store, hold: HoldRow) {
  const owner = await findAgent(store, hold.agent);
  const message = await findMessage(store, hold.agent, hold.message);
  return {
    id: store.ids.encode("hold", hold.agent, hold.hold),
    version: String(hold.modseq),
    state: hold.state,
    from: owner === undefined ? null : primaryAddress(owner),
    to: hold.envelope.recipients.map(({ address }) => address),
    subject: message?.subject ?? "",
    reason: hold.reason,
    message: store.ids.encode("message", hold.agent, hold.message),
    createdAt: isoTime(hold.createdAt),
    expiresAt: isoTime(hold.expiresAt),
  };
}

export const holdOperations = [
  administrationOperation({
    name: "hold.list",
    kind: "mail",
    isRead: true,
    summary: "List the mail that waits for approval, and what is approved and about to leave.",
    input: z.strictObject({
      agent: ownerField.optional().describe("Only of this agent: address or id."),
    }),
    async run({ store }, { agent }) {
      const agents = agent === undefined ? await listAgents(store) : [await selectOwner(store, agent)];
      const holds = [];
      for (const one of agents)
        for (const hold of await listLiveHolds(store, one.agent)) holds.push(await describeHold(store, hold));
      return { holds };
    },
  }),
  ...(["approve", "decline", "wait"] as const).map((verb) =>
    administrationOperation({
      name: `hold.${verb}`,
      kind: "mail",
      summary: {
        approve: "Let a mail go, after the grace time.",
        decline: "Let a mail not go. That is final.",
        wait: "Take an approval back while the mail has not left.",
      }[verb],
      input: z.strictObject({
        hold: holdField,
        version: z
          .string()
          .max(40)
          .optional()
          .describe("Its version, as the list shows it: nothing is done about an edited one."),
      }),
      positional: ["hold"],
      async run({ store }, { hold: id, version }, by) {
        const { agent, hold, modseq } = await selectHold(store, id);
        await store.write(by, "decideHold", {
          agent,
          hold,
          version: version ?? String(modseq),
          action: verb === "wait" ? "undo" : verb,
          actor: { ...by, canApprove: true },
          at: store.clock.now(),
        });
        return describeHold(store, await selectHold(store, id));
      },
    }),
  ),
];
