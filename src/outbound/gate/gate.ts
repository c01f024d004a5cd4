/** The one way out: every octet that leaves an owner for another passes here. The scope is asked in `scope.ts`, the rules in `decide.ts`
 *  (mail) and in `askForMailboxesHere` (messages that reach mailboxes and calendars here without a queue); the writes below check again
 *  what was asked. Nothing else in the source names these writes (`test/outbound/gate.test.ts`). */
import type { Settings } from "#/config/schema.ts";
import type { AgentFacts } from "#/src/accounts/accounts.ts";
import type { ActionsDone, AgentActions, Collections, WithActions } from "#/src/collections/collections.ts";
import { type Once, writeOnce } from "#/src/mail/write-once.ts";
import { type Author, server } from "#/src/model/author.ts";
import { transferableBuffers } from "#/storage/blob.ts";
import { listRecipients } from "#/storage/queries/outbound/submissions.ts";
import type { Idempotency, Store } from "#/storage/store.ts";
import type { SubmissionRow } from "#/storage/submission.ts";
import type { DeliverMessage, Delivery } from "#/storage/transactions/mail/deliver-message.ts";
import type { ReleaseHold } from "#/storage/transactions/outbound/release-hold.ts";
import type { DeliveryReport, ReportDelivery } from "#/storage/transactions/outbound/report-delivery.ts";
import type { StartScheduled } from "#/storage/transactions/outbound/start-scheduled.ts";
import type { SubmitMessage, Submitted } from "#/storage/transactions/outbound/submit-message.ts";
import type { TellApprover } from "#/storage/transactions/outbound/tell-approver.ts";
import type { Asker, OutboundRooms } from "../outbound.ts";
import type { Asked } from "./answers.ts";
import { asksFor, assertListsOf, findAsker } from "./decide.ts";
import { assertMaySend } from "./scope.ts";

/** Pause and billing of the sender (throws), and its lists for each recipient. One change counts as one send, whatever its recipients. */
export async function askForMailboxesHere(
  rooms: Pick<OutboundRooms, "store" | "accounts"> & { readonly settings: Pick<Settings, "limits"> },
  owner: AgentFacts,
  principal: Asker,
  addresses: readonly string[],
): Promise<Asked> {
  await assertMaySend(rooms, principal, owner.agent);
  const asker = await findAsker(rooms, principal, owner);
  const { basis, refused } = await asksFor(rooms, asker === undefined ? [owner] : [owner, asker], addresses);
  const { sendsPerHour: perHour, sendsPerDay: perDay } = rooms.settings.limits;
  return { agent: owner.agent, basis, limits: { perHour, perDay }, refused };
}

/** Mail into the queue or into a hold. */
export function submitMail(
  store: Store,
  by: Author,
  args: SubmitMessage,
  idempotency: Idempotency | undefined,
): Promise<Once<Submitted>> {
  const transfer = transferableBuffers(args.facts.blob);
  return writeOnce(store, by, "submitMessage", args, idempotency, { transfer });
}

/** Approved mail out of its hold. */
export async function releaseApproved(store: Store, args: ReleaseHold): Promise<void> {
  await store.write(server, "releaseHold", args);
}

/** Scheduled mail whose time has come. */
export async function startScheduled(store: Store, args: StartScheduled): Promise<void> {
  await store.write(server, "startScheduled", args);
}

/** What has become of mail at its recipients, with copies for mailboxes here (`letters`) and notices to its sender. */
export function reportOutcomes(store: Store, by: Author, args: ReportDelivery): Promise<DeliveryReport> {
  return store.write(by, "reportDelivery", args);
}

/** An operator tries a mail again now: the lists of its mailbox are asked again. Gives the number of its recipients. Throws
 *  `policy_refused`. */
export async function retryNow(
  store: Store,
  by: Author,
  { agent, submission, requestedBy }: Pick<SubmissionRow, "agent" | "submission" | "requestedBy">,
): Promise<number> {
  const waiting = (await listRecipients(store, agent, submission)).filter(({ state }) => state === "queued");
  const addresses = waiting.map(({ address }) => address);
  const basis = await assertListsOf(store, new Set([agent, requestedBy ?? agent]), addresses);
  const { count } = await store.write(by, "retrySubmission", {
    agent,
    submission,
    basis,
    at: store.clock.now(),
  });
  return count;
}

/** The server's own notice to an approver. */
export async function tellApprover(store: Store, args: TellApprover): Promise<void> {
  await store.write(server, "tellApprover", args);
}

/** Mail into mailboxes here: from other servers, from the server itself, or of a login (`senders`). */
export async function deliverMail(store: Store, args: DeliverMessage): Promise<readonly Delivery[]> {
  const { deliveries } = await store.write(server, "deliverMessage", args, {
    transfer: transferableBuffers(args.facts.blob),
  });
  return deliveries;
}

/** Changes of calendars of several owners, with the mail and the messages that leave with them. */
export function changeCalendars(
  collections: Pick<Collections, "changeItems">,
  by: Author,
  agents: readonly AgentActions[],
  { idempotency, ...others }: WithActions & { readonly idempotency?: Idempotency | undefined },
): Promise<Once<ActionsDone>> {
  return collections.changeItems(by, agents, idempotency, others);
}
