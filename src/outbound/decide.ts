/** Whether a message may leave at once, waits for a person, or is refused: the policy of an agent ("Holds" of the interface).
 *
 *  Everything is known beforehand and nothing of it is written here; the transaction asserts what may have changed. */
import type { AgentFacts } from "#/src/accounts/accounts.ts";
import { parseAddress, splitTag } from "#/src/accounts/address.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { HoldReason, SendingPolicy } from "#/src/model/holds.ts";
import type { SendingPolicyRow } from "#/storage/holds.ts";
import { findDomain } from "#/storage/queries/accounts.ts";
import { findSendingPolicy, listKnownDomains, listSuppressed } from "#/storage/queries/holds.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { Envelope } from "#/storage/submission.ts";
import { type Conversation, readConversation } from "./conversation.ts";
import { loopMailsMax } from "./limits.ts";
import { addressKey } from "./mail-address.ts";
import type { OutboundRooms, SubmitRequest } from "./outbound.ts";
import { assertRoute } from "./route.ts";

export interface SendingFacts {
  readonly request: Pick<SubmitRequest, "holdWish" | "inReplyTo" | "principal">;
  /** Of the mailbox that it leaves from. */
  readonly owner: AgentFacts;
  readonly envelope: Envelope;
  /** Of the message. */
  readonly facts: MessageFacts;
  readonly at: number;
}

export type Decision =
  | { readonly kind: "queue" }
  | { readonly kind: "hold"; readonly reason: HoldReason; readonly expiresAt: number };

const dayMs = 86_400_000;

/** Throws `policy_refused` for whom the mailbox may never write to, and where there is no way out. */
export async function decideSending(rooms: OutboundRooms, sending: SendingFacts): Promise<Decision> {
  const { owner, envelope, at } = sending;
  const policy = await policyOf(rooms, owner);
  await assertMayLeave(rooms, owner, envelope, policy);
  const reason = (await reasonToHold(rooms, sending, policy)) ?? (await reasonOfAsker(rooms, sending));
  if (reason === undefined) return { kind: "queue" };
  return { kind: "hold", reason, expiresAt: at + rooms.settings.holds.expiryDays * dayMs };
}

/** A grant on another mailbox is no way round what an agent has to ask for when it sends from its own. In a person's mailbox
 *  only that person's own mail waits, so there it is refused. */
async function reasonOfAsker(rooms: OutboundRooms, sending: SendingFacts): Promise<HoldReason | undefined> {
  const { request, owner, envelope } = sending;
  const { principal } = request;
  if (principal.kind !== "agent" || principal.agent === owner.agent) return undefined;
  const asker = (await rooms.accounts.findAgentFacts(principal.agent))!;
  const policy = await policyOf(rooms, asker);
  await assertMayLeave(rooms, asker, envelope, policy);
  // What is answered is a message of the other mailbox.
  const own = { ...sending, request: { principal, holdWish: request.holdWish }, owner: asker };
  const reason = await reasonToHold(rooms, own, policy);
  if (reason === undefined || owner.kind === "agent") return reason;
  throw new WaypostError("policy_refused", "This agent may not send that mail without asking a person.", {
    reason: "approval_needed",
    hint: "Write it into this mailbox as a draft (draft.create with in); its owner can send it.",
  });
}

/** What no approval overrides: asked again when an approved mail leaves. */
export async function assertMayLeave(
  rooms: Pick<OutboundRooms, "store" | "settings">,
  owner: AgentFacts,
  envelope: Envelope,
  policy?: SendingPolicyRow,
): Promise<void> {
  const { blocked } = policy ?? (await policyOf(rooms, owner));
  for (const { address } of envelope.recipients)
    if (isBlocked(blocked, address))
      throw new WaypostError("policy_refused", `Mail to ${address} is not allowed to this mailbox.`, {
        reason: "recipient_blocked",
        hint: "The operator keeps the list of those that it does not write to.",
      });
  const addresses = envelope.recipients.map(({ address }) => addressKey(address));
  const suppressed = await listSuppressed(rooms.store, owner.account, addresses);
  if (suppressed.length > 0)
    throw new WaypostError("policy_refused", `Mail to ${suppressed[0]} has failed for good before.`, {
      reason: "recipient_suppressed",
      hint: "The operator can take the address off the suppression list once it is in order.",
    });
  assertRoute(rooms.settings, domainOf(owner.address), envelope.recipients);
}

async function reasonToHold(
  rooms: OutboundRooms,
  sending: SendingFacts,
  policy: SendingPolicyRow,
): Promise<HoldReason | undefined> {
  const { request, owner, envelope, facts, at } = sending;
  if (request.holdWish === "always") return "requested";
  // A person decides by sending.
  if (owner.kind === "person") return undefined;
  const conversation = await readConversation(rooms, owner, { inReplyTo: request.inReplyTo, facts, at });
  const { answered } = conversation;
  if ((await answered?.writer()) === "automaton") return "automated";
  if ((await conversation.countWithoutPerson()) >= loopMailsMax) return "loop";
  if (policy.policy === "open") return undefined;
  if (policy.policy === "always") return "always";
  if (envelope.recipients.length > rooms.settings.holds.bulkRecipients) return "bulk";
  const strangers = await listStrangers(rooms, owner, envelope, policy.allowed);
  if (strangers.length === 0) return undefined;
  if (policy.policy === "external") return "external";
  if (answered?.isFromOutside && !answered.isAuthenticated) return "answering_unauthenticated";
  return (await areKnown(rooms, owner, strangers, conversation)) ? undefined : "first_contact";
}

async function policyOf(
  { store }: Pick<OutboundRooms, "store">,
  { agent, kind }: AgentFacts,
): Promise<SendingPolicyRow> {
  const policy: SendingPolicy = kind === "person" ? "open" : "first_contact";
  return (
    (await findSendingPolicy(store, agent)) ?? { agent, policy, approver: null, allowed: [], blocked: [] }
  );
}

/** Domains of recipients that are neither of the account nor allowed. */
async function listStrangers(
  { store }: OutboundRooms,
  owner: AgentFacts,
  envelope: Envelope,
  allowed: readonly string[],
): Promise<string[]> {
  const strangers = new Set<string>();
  for (const { address } of envelope.recipients)
    if (!isListed(allowed, address)) strangers.add(domainOf(address));
  for (const domain of strangers)
    if ((await findDomain(store, domain))?.account === owner.account) strangers.delete(domain);
  return [...strangers];
}

/** Written to before, or heard of for certain. */
async function areKnown(
  { store }: OutboundRooms,
  owner: AgentFacts,
  domains: readonly string[],
  { answered }: Conversation,
): Promise<boolean> {
  const known = await listKnownDomains(store, owner.agent, domains);
  const heard = answered?.isAuthenticated ? domainOf(answered.fromAddress) : undefined;
  return domains.every((domain) => domain === heard || known.has(domain));
}

/** Lists have domains and addresses. */
function isListed(list: readonly string[], address: string): boolean {
  return list.includes(domainOf(address)) || list.includes(normalForm(address));
}

/** A block holds for the domains below and for tagged addresses too: what is allowed is exact. */
function isBlocked(list: readonly string[], address: string): boolean {
  const parsed = parseAddress(address);
  const plain = parsed && `${splitTag(parsed.localPart)?.name ?? parsed.localPart}@${parsed.domain}`;
  const domain = domainOf(address);
  return list.some(
    (entry) =>
      entry === normalForm(address) || entry === plain || entry === domain || domain.endsWith(`.${entry}`),
  );
}

/** In A-labels, as lists have it. */
function domainOf(address: string): string {
  return parseAddress(address)?.domain ?? address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

function normalForm(address: string): string {
  const parsed = parseAddress(address);
  return parsed === undefined ? address.toLowerCase() : `${parsed.localPart}@${parsed.domain}`;
}
