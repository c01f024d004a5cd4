/** Whether a message is sent at once, waits for approval, or is refused: the policy of an agent ("Holds" of the interface).
 *
 *  Nothing is written here. Everything that others may change meanwhile is read once, as the basis of the decision; the write reads it
 *  again and refuses if it has changed. */
import type { AgentFacts } from "#/src/accounts/accounts.ts";
import { parseAddress, splitTag } from "#/src/accounts/address.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { HoldReason } from "#/src/model/holds.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { pausedError } from "#/src/model/pause.ts";
import {
  readSendingBasis,
  type SenderBasis,
  type SendingBasis,
} from "#/storage/queries/outbound/sending-basis.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { Envelope, EnvelopeRecipient } from "#/storage/submission.ts";
import { loopMailsMax } from "../limits.ts";
import { addressKey } from "../mail-address.ts";
import type { OutboundRooms, SubmitRequest } from "../outbound.ts";
import type { Asked } from "./answers.ts";
import { type Conversation, readConversation } from "./conversation.ts";
import { isPublicProvider } from "./public-providers.ts";
import { assertRoute } from "./route.ts";

export interface SendingFacts {
  readonly request: Pick<SubmitRequest, "holdWish" | "inReplyTo" | "principal" | "invitation">;
  /** The owner of the mailbox that the mail is sent from. */
  readonly owner: AgentFacts;
  readonly envelope: Envelope;
  /** Facts of the message. */
  readonly facts: MessageFacts;
  readonly at: number;
}

export type Decision = { readonly basis: SendingBasis } & (
  | { readonly kind: "queue" }
  | { readonly kind: "hold"; readonly reason: HoldReason; readonly expiresAt: number }
);

type Sender = Pick<AgentFacts, "agent" | "address">;
type LeavingRooms = Pick<OutboundRooms, "store" | "settings">;

const dayMs = 86_400_000;

/** Throws `policy_refused` for recipients to which the mailbox may never write, and if mail cannot be sent to other servers; `paused`,
 *  `not_billable`. */
export async function decideSending(rooms: OutboundRooms, sending: SendingFacts): Promise<Decision> {
  const { request, owner, envelope, at } = sending;
  const asker = await findAsker(rooms, request.principal, owner);
  const senders = asker === undefined ? [owner] : [owner, asker];
  const basis = await assertMayLeave(rooms, senders, envelope);
  basis.senders.forEach(assertSends);
  const reason =
    (await reasonToHold(rooms, sending, senderOf(basis, owner))) ??
    (asker && (await reasonOfAsker(rooms, sending, asker, senderOf(basis, asker))));
  if (reason === undefined) return { kind: "queue", basis };
  return { kind: "hold", reason, expiresAt: at + rooms.settings.holds.expiryDays * dayMs, basis };
}

/** The agent whose credential is used, if it is another one than the owner. */
export async function findAsker(
  { accounts }: Pick<OutboundRooms, "accounts">,
  principal: SubmitRequest["principal"],
  owner: AgentFacts,
): Promise<AgentFacts | undefined> {
  if (principal.kind !== "agent" || principal.agent === owner.agent) return undefined;
  return accounts.findAgentFacts(principal.agent);
}

/** Whose rules count for mail that has waited: those of its mailbox, and those of the agent who asked for it by a grant, so that a grant
 *  does not avoid the rules of its own mailbox. undefined if the mailbox is gone. */
export async function findSenders(
  { accounts }: Pick<OutboundRooms, "accounts">,
  agent: AgentNumber,
  requestedBy: AgentNumber | null,
): Promise<AgentFacts[] | undefined> {
  const owner = await accounts.findAgentFacts(agent);
  if (owner === undefined) return undefined;
  const isOther = requestedBy !== null && requestedBy !== agent;
  const asker = isOther ? await accounts.findAgentFacts(requestedBy) : undefined;
  return asker === undefined ? [owner] : [owner, asker];
}

/** Checks that an agent does not use a grant on another mailbox to avoid the approval that its own mailbox needs. Mail of others cannot
 *  wait in a person's mailbox, so there it is refused. */
async function reasonOfAsker(
  rooms: OutboundRooms,
  sending: SendingFacts,
  asker: AgentFacts,
  basis: SenderBasis,
): Promise<HoldReason | undefined> {
  const { principal, holdWish } = sending.request;
  // The answered message is in the other mailbox.
  const own = { ...sending, request: { principal, holdWish, ...invitationOf(sending) }, owner: asker };
  const reason = (await reasonOfReplyTo(rooms, sending)) ?? (await reasonToHold(rooms, own, basis));
  if (reason === undefined || sending.owner.kind === "agent") return reason;
  throw new WaypostError("policy_refused", "This agent may not send that mail without asking a person.", {
    reason: "approval_needed",
    hint: "Write it into this mailbox as a draft (draft.create with in); its owner can send it.",
  });
}

/** The reason to hold a mail that answers a message in the owner's mailbox; for agents and persons. */
async function reasonOfReplyTo(rooms: OutboundRooms, sending: SendingFacts): Promise<HoldReason | undefined> {
  const { request, owner, envelope, facts, at } = sending;
  const { answered } = await readConversation(rooms, owner, { inReplyTo: request.inReplyTo, facts, at });
  return (await answered?.leavesOpen(envelope)) ? "answering_unauthenticated" : undefined;
}

/** Rules that no approval overrides; checked again when an approved mail is sent. Gives the basis of the check. Throws
 *  `policy_refused`. */
export async function assertMayLeave(
  { store, settings }: LeavingRooms,
  senders: readonly Sender[],
  envelope: { readonly recipients: readonly Pick<EnvelopeRecipient, "address" | "domain">[] },
): Promise<SendingBasis> {
  const recipients = envelope.recipients.map(({ address }) => address);
  const basis = await readSendingBasis(
    store,
    senders.map(({ agent }) => agent),
    { addresses: recipients.map(addressKey), domains: [...new Set(recipients.map(domainOf))] },
  );
  for (const sender of senders) {
    assertListsAllow(senderOf(basis, sender), recipients);
    assertRoute(settings, domainOf(sender.address), envelope.recipients);
  }
  return basis;
}

/** The lists of some mailboxes for recipients that were decided about before. Throws `policy_refused`. */
export async function assertListsOf(
  store: OutboundRooms["store"],
  mailboxes: ReadonlySet<AgentNumber>,
  addresses: readonly string[],
): Promise<SendingBasis> {
  const basis = await readSendingBasis(store, [...mailboxes], {
    addresses: addresses.map(addressKey),
    domains: [...new Set(addresses.map(domainOf))],
  });
  for (const sender of basis.senders) assertListsAllow(sender, addresses);
  return basis;
}

/** For recipients here whom no queue reaches: who may not be told, and why. Throws `paused`, `not_billable`. */
export async function asksFor(
  { store }: Pick<OutboundRooms, "store">,
  senders: readonly Pick<AgentFacts, "agent">[],
  addresses: readonly string[],
): Promise<{ readonly basis: SendingBasis; readonly refused: Asked["refused"] }> {
  const basis = await readSendingBasis(
    store,
    senders.map(({ agent }) => agent),
    { addresses: addresses.map(addressKey), domains: [...new Set(addresses.map(domainOf))] },
  );
  const refused = new Map<string, "recipient_blocked" | "recipient_suppressed">();
  for (const sender of senders) {
    const known = senderOf(basis, sender);
    assertSends(known);
    for (const address of addresses)
      if (isBlocked(known.policy?.blocked ?? [], address)) refused.set(address, "recipient_blocked");
      else if (known.suppressed.includes(addressKey(address))) refused.set(address, "recipient_suppressed");
  }
  return { basis, refused };
}

function senderOf(basis: SendingBasis, { agent }: { readonly agent: AgentNumber }): SenderBasis {
  const found = basis.senders.find((sender) => sender.agent === agent);
  if (found === undefined) throw new WaypostError("not_found", "There is no such mailbox.");
  return found;
}

function assertSends({ state, pausedReason, accountState }: SenderBasis): void {
  if (accountState !== "active")
    throw new WaypostError("not_billable", "The account does not send at the moment.");
  if (state === "paused") throw pausedError(pausedReason ?? "operator");
}

function assertListsAllow({ policy, suppressed }: SenderBasis, recipients: readonly string[]): void {
  for (const address of recipients)
    if (isBlocked(policy?.blocked ?? [], address)) throw refusalOf(address, "recipient_blocked");
  if (suppressed.length > 0) throw refusalOf(suppressed.join(", "), "recipient_suppressed");
}

/** The refusal of a whole mail because of a recipient, or of several with commas. */
export function refusalOf(
  address: string,
  reason: "recipient_blocked" | "recipient_suppressed",
): WaypostError {
  return reason === "recipient_blocked"
    ? new WaypostError("policy_refused", `Mail to ${address} is not allowed to this mailbox.`, {
        reason,
        hint: "The operator keeps the list of addresses that are blocked.",
      })
    : new WaypostError("policy_refused", `Mail to ${address} has failed for good before.`, {
        reason,
        hint: "The operator can take the address off the suppression list once it is in order.",
      });
}

async function reasonToHold(
  rooms: OutboundRooms,
  sending: SendingFacts,
  basis: SenderBasis,
): Promise<HoldReason | undefined> {
  const { request, owner, envelope, facts, at } = sending;
  if (request.holdWish === "always") return "requested";
  if (request.holdWish === "unapproved") return "unapproved";
  // A person's mail needs no approval.
  if (owner.kind === "person") return undefined;
  const conversation = await readConversation(rooms, owner, { inReplyTo: request.inReplyTo, facts, at });
  const { answered } = conversation;
  if ((await answered?.writer()) === "automaton") return "automated";
  if (await answered?.leavesOpen(envelope)) return "answering_unauthenticated";
  if ((await conversation.countWithoutPerson()) >= loopMailsMax) return "loop";
  const policy = basis.policy?.policy ?? "first_contact";
  if (policy === "always") return "always";
  if (envelope.recipients.length > rooms.settings.holds.bulkRecipients) return "bulk";
  if (policy === "open") return undefined;
  const strangers = listStrangers(basis, envelope);
  if (strangers.length === 0) return undefined;
  const { invitation } = request;
  if (policy === "external") return invitation === undefined ? "external" : "invitation";
  if (answered?.isFromOutside && !answered.isAuthenticated) return "answering_unauthenticated";
  if (areKnown(basis, strangers, conversation, invitation?.answers)) return undefined;
  return invitation === undefined ? "first_contact" : "invitation";
}

function invitationOf({ request }: SendingFacts): Pick<SendingFacts["request"], "invitation"> {
  return request.invitation === undefined ? {} : { invitation: request.invitation };
}

/** Recipients that belong neither to the account nor to the list of allowed ones. */
function listStrangers({ policy, ownDomains }: SenderBasis, envelope: Envelope): string[] {
  const strangers = new Set<string>();
  for (const { address } of envelope.recipients)
    if (!isListed(policy?.allowed ?? [], address) && !ownDomains.includes(domainOf(address)))
      strangers.add(correspondentOf(address));
  return [...strangers];
}

/** The key of a contact: the domain, or the whole address at public mail providers. */
function correspondentOf(address: string): string {
  const domain = domainOf(address);
  return isPublicProvider(domain) ? addressKey(address) : domain;
}

/** Whether they are known: the mailbox has written to them before, a person knows them as a contact, or authenticated mail of them
 *  has come. */
function areKnown(
  { correspondents, contacts }: SenderBasis,
  names: readonly string[],
  { answered }: Conversation,
  inviter: string | undefined,
): boolean {
  const heard = answered?.isAuthenticated ? correspondentOf(answered.fromAddress) : undefined;
  const invited = inviter === undefined ? undefined : correspondentOf(inviter);
  return names.every(
    (name) => name === heard || name === invited || correspondents.includes(name) || contacts.includes(name),
  );
}

/** Whether a list of domains and addresses has the address. */
function isListed(list: readonly string[], address: string): boolean {
  return list.includes(domainOf(address)) || list.includes(normalForm(address));
}

/** Whether a list blocks the address. A block also applies to subdomains and to tagged addresses; an allowance is exact. */
function isBlocked(list: readonly string[], address: string): boolean {
  const parsed = parseAddress(address);
  const plain = parsed && `${splitTag(parsed.localPart)?.name ?? parsed.localPart}@${parsed.domain}`;
  const domain = domainOf(address);
  return list.some(
    (entry) =>
      entry === normalForm(address) || entry === plain || entry === domain || domain.endsWith(`.${entry}`),
  );
}

/** The domain in A-labels, as in lists. */
function domainOf(address: string): string {
  return parseAddress(address)?.domain ?? address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

function normalForm(address: string): string {
  const parsed = parseAddress(address);
  return parsed === undefined ? address.toLowerCase() : `${parsed.localPart}@${parsed.domain}`;
}
