import type { Actor } from "#/src/model/author.ts";
import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { itemChangesMax } from "#/src/model/limits.ts";
import type { AgentNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import type { CalendarMessage } from "../../calendar-messages.ts";
import type { CalendarArrival } from "../../queries/collections/calendar-arrivals.ts";
import { findHold } from "../../queries/outbound/holds.ts";
import type { SendingBasis } from "../../queries/outbound/sending-basis.ts";
import type { Transaction } from "../../sql.ts";
import { assertNotPaused } from "../../writing/accounts/pauses.ts";
import { type AgentTransaction, beginAgentTransaction } from "../../writing/agent-transaction.ts";
import {
  type ItemExpectation,
  type ItemMove,
  type ItemPut,
  type ItemResult,
  itemsOf,
} from "../../writing/collections/items.ts";
import { lockRows } from "../../writing/lock-rows.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { forgetCalendarMessages, noteCalendarMessage } from "../../writing/outbound/calendar-messages.ts";
import { changeHold } from "../../writing/outbound/holds.ts";
import { countSend, type SendLimits } from "../../writing/outbound/send-times.ts";
import { assertSendingBasis } from "../../writing/outbound/sending-basis.ts";
import {
  type BegunSubmission,
  beginSubmission,
  completeSubmission,
  numbersOfSubmission,
  type SubmitMessage,
  type Submitted,
} from "../../writing/outbound/submit.ts";
import { assertVersion } from "../../writing/version.ts";

export type ItemAction =
  | ({ readonly kind: "put" } & ItemPut)
  | { readonly kind: "remove"; readonly item: ItemNumber; readonly expected?: ItemExpectation | undefined }
  | ({ readonly kind: "move" } & ItemMove);

export interface ItemsOfAgent {
  readonly agent: AgentNumber;
  readonly actor: Actor;
  /** Applied in this order: a deletion makes room for the next one. */
  readonly actions: readonly ItemAction[];
}

/** What leaves an owner with a change of a calendar, besides mail: messages to calendars here, and mail that it takes back. */
export interface Leaving {
  readonly agent: AgentNumber;
  readonly uid: string;
  /** The basis of the decision about recipients here; null if there is none. */
  readonly basis: SendingBasis | null;
  /** It counts as one send; null: it does not count. */
  readonly limits: SendLimits | null;
  readonly messages: readonly {
    readonly message: CalendarMessage;
    readonly state: "left" | "refused" | "unapproved";
  }[];
  /** Holds whose mail it supersedes, at the versions that were read. */
  readonly superseded: readonly { readonly hold: number; readonly version: string }[];
  /** The event is deleted. */
  readonly isOver: boolean;
}

export interface ChangeItems {
  /** Each agent once. */
  readonly agents: readonly ItemsOfAgent[];
  readonly leaving?: Leaving | undefined;
  /** iTIP messages of delivered mail that are applied hereby. Refuses `precondition_failed` if one was applied already. */
  readonly arrivals?: readonly Pick<CalendarArrival, "agent" | "message">[] | undefined;
  /** Mail that is submitted with the changes: invitations and replies. */
  readonly mails?: readonly Omit<SubmitMessage, "at">[] | undefined;
  readonly at: number;
}

export interface ChangedItems {
  /** At the places of the agents; each with results at the places of its actions. */
  readonly agents: readonly {
    readonly agent: AgentNumber;
    readonly modseq: Modseq;
    readonly items: readonly ItemResult[];
  }[];
  /** In the order of the mails. */
  readonly mails: readonly Submitted[];
}

/** The one write of items: what is put, deleted and moved with one or several agents, and the mail that leaves with it, all or
 *  nothing. Refuses precondition_failed, not_found, no-uid-conflict, unique-scheduling-object-resource,
 *  supported-calendar-component, over_quota, limit_reached, and what a submission is refused for. */
export async function changeItems(tx: Transaction, args: ChangeItems): Promise<ChangedItems> {
  assertSize(args);
  const mails = (args.mails ?? []).map((mail): SubmitMessage => ({ ...mail, at: args.at }));
  const writes = await lockAll(tx, args, mails);
  // Mailboxes are made first, so that everything after it knows the MODSEQ.
  const begun: BegunSubmission[] = [];
  for (const mail of mails) begun.push(await beginSubmission(writes.get(mail.agent)!, mail));
  if (args.leaving !== undefined) await beginLeaving(writes.get(args.leaving.agent)!, args.leaving);
  for (const arrival of args.arrivals ?? []) await removeArrival(tx, arrival);
  const results = new Map<AgentNumber, ItemResult[]>();
  for (const { agent, actions } of args.agents)
    results.set(agent, await changeWith(writes.get(agent)!, actions));
  const submitted: Omit<Submitted, "modseq">[] = [];
  for (const one of begun) submitted.push(await completeSubmission(writes.get(one.args.agent)!, one));
  if (args.leaving !== undefined) await noteLeaving(writes.get(args.leaving.agent)!, args.leaving);
  const modseqs = new Map<AgentNumber, Modseq>();
  for (const [agent, write] of writes) modseqs.set(agent, await write.finish());
  return {
    agents: args.agents.map(({ agent }) => ({
      agent,
      modseq: modseqs.get(agent)!,
      items: results.get(agent)!,
    })),
    mails: submitted.map((one, at) => ({ ...one, modseq: modseqs.get(mails[at]!.agent)! })),
  };
}

/** Checks again what the decision was made from, counts the change, and takes back the mail that it supersedes. */
async function beginLeaving(write: AgentTransaction, { basis, limits, superseded }: Leaving): Promise<void> {
  if (basis !== null) {
    await assertNotPaused(write.tx, write.agent);
    await assertSendingBasis(write.tx, basis);
  }
  if (limits !== null) await countSend(write, limits);
  for (const { hold: number, version } of superseded) {
    const hold = await findHold(write.tx, write.agent, number);
    assertVersion(version, String(hold?.modseq), "hold");
    await changeHold(mailOf(write), hold!, "supersede", "server");
  }
}

async function removeArrival(
  tx: Transaction,
  { agent, message }: Pick<CalendarArrival, "agent" | "message">,
): Promise<void> {
  const count = await tx.run(
    "delete from calendar_arrival where agent_id = ? and message_id = ?",
    agent,
    message,
  );
  if (count === 0) throw new WaypostError("precondition_failed", "The message was applied already.");
}

async function noteLeaving(write: AgentTransaction, { uid, messages, isOver }: Leaving): Promise<void> {
  for (const { message, state } of messages) await noteCalendarMessage(write, message, state);
  if (isOver) await forgetCalendarMessages(write, uid);
}

/** Agents in the order of their numbers, and then the accounts of those who send. */
async function lockAll(
  tx: Transaction,
  { agents, at }: ChangeItems,
  mails: readonly SubmitMessage[],
): Promise<ReadonlyMap<AgentNumber, AgentTransaction>> {
  const numbers = new Set([...agents, ...mails].map(({ agent }) => agent));
  const writes = new Map<AgentNumber, AgentTransaction>();
  for (const agent of [...numbers].sort((one, other) => one - other)) {
    const own = agents.find((one) => one.agent === agent);
    const sent = mails.filter((mail) => mail.agent === agent);
    const count = sent.reduce((sum, mail) => sum + numbersOfSubmission(mail), countNew(own?.actions ?? []));
    writes.set(agent, await beginAgentTransaction(tx, agent, at, own?.actor ?? nobody, count));
  }
  const accounts = mails.map(({ agent }) => writes.get(agent)!.account);
  await lockRows(tx, { agents: [], accounts });
  return writes;
}

function assertSize({ agents }: ChangeItems): void {
  const count = agents.reduce((sum, { actions }) => sum + actions.length, 0);
  if (count > itemChangesMax)
    throw new WaypostError("policy_refused", `One request changes at most ${itemChangesMax} items`, {
      reason: "limit_reached",
    });
}

/** What stands at a segment is looked for later; the number that is then left over is never used. */
function countNew(actions: readonly ItemAction[]): number {
  return actions.filter((action) => action.kind === "put" && action.item === undefined).length;
}

async function changeWith(write: AgentTransaction, actions: readonly ItemAction[]): Promise<ItemResult[]> {
  const items = itemsOf(write);
  const results: ItemResult[] = [];
  for (const action of actions)
    switch (action.kind) {
      case "put":
        results.push(await items.put(action));
        break;
      case "remove":
        results.push(await items.remove(action.item, action.expected));
        break;
      case "move":
        results.push(await items.move(action));
        break;
    }
  return results;
}
