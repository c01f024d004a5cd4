/** Submits a complete message: finds its recipients, decides whether it may be sent, and stores it in one durable write. */

import type { AgentFacts } from "#/src/accounts/accounts.ts";
import { parseAddress } from "#/src/accounts/address.ts";
import { fromDomainOf } from "#/src/evidence/shown-address.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { readHeader } from "#/src/mail/header-reading.ts";
import type { Provenance } from "#/src/mail/messages.ts";
import { parseReferenceIds } from "#/src/mail/reference-ids.ts";
import type { Author } from "#/src/model/author.ts";
import { type AddressWarning, deliveryReasonOf } from "#/src/model/delivery.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { holdDigest } from "#/src/model/holds.ts";
import { headerBytesMax } from "#/src/model/limits.ts";
import { messageProperties } from "#/src/model/message-properties.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { pausedError } from "#/src/model/pause.ts";
import { copyBlob } from "#/storage/blob.ts";
import { listFailedAddresses } from "#/storage/queries/outbound/failed-addresses.ts";
import { findSendingPolicy } from "#/storage/queries/outbound/holds.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { Envelope, EnvelopeRecipient, SubmissionSource } from "#/storage/submission.ts";
import type { SubmitMessage } from "#/storage/transactions/outbound/submit-message.ts";
import { decideSending } from "./gate/decide.ts";
import { askForMailboxesHere, submitMail } from "./gate/gate.ts";
import { assertMaySend, maySend, readsAllMail } from "./gate/scope.ts";
import { readTold } from "./gate/told.ts";
import { addressKey, normalAddress } from "./mail-address.ts";
import type { Outbound, OutboundRooms, SubmitRequest, SubmitResult } from "./outbound.ts";
import { unnamedField, withOwnTrace } from "./own-trace.ts";
import { assertRecipientCount } from "./recipient-count.ts";
import { tlsWishOf } from "./tls-wish.ts";

const hourMs = 3_600_000;
/** How often a mail is decided about again because others change the basis of the decision. */
const decisionsMax = 5;

export function createSubmit(
  rooms: OutboundRooms,
  ring: () => void,
): Pick<Outbound, "submit" | "plan" | "asksAlways" | "askHere" | "maySend" | "readTold" | "recipientsMax"> {
  const turns = (rooms.fairness ?? createFairness()).gate("answers");
  return {
    async plan(request) {
      await assertMaySend(rooms, request.principal, request.mailbox);
      const envelope = await readEnvelope(rooms, request);
      await findSender(rooms, request.mailbox);
      return planWrite(rooms, request, await prepareMail(rooms, request, envelope));
    },
    async asksAlways(mailbox, principal) {
      for (const agent of new Set([mailbox, principal.agent])) {
        const facts = await rooms.accounts.findAgentFacts(agent);
        const policy = facts?.kind === "agent" ? await findSendingPolicy(rooms.store, agent) : undefined;
        if (policy?.policy === "always") return true;
      }
      return false;
    },
    async askHere(mailbox, principal, addresses) {
      const owner = await findSender(rooms, mailbox);
      return askForMailboxesHere(rooms, owner, principal, addresses);
    },
    maySend: (principal, mailbox) => maySend(rooms, principal, mailbox),
    readTold: (agent, uid) => readTold(rooms.store, agent, uid),
    recipientsMax: rooms.settings.smtp.maxRecipients,
    async submit(by, request) {
      const { mailbox } = request;
      await assertMaySend(rooms, request.principal, mailbox);
      const envelope = await readEnvelope(rooms, request);
      const owner = await findSender(rooms, mailbox);
      const prepared = await prepareMail(rooms, request, envelope);
      // An agent's answers are handled one by one: each is counted in its conversation before the next one is decided.
      using _turn = isAnswerOfAgent(request, owner, prepared.facts)
        ? await turns.enter({ key: `mailbox ${mailbox}`, above: `account ${owner.account}` })
        : undefined;
      for (let attempt = 1; ; attempt++)
        try {
          const submitted = await decideAndWrite(rooms, by, request, prepared);
          if (submitted.state !== "held") ring();
          return submitted;
        } catch (error) {
          if (!isWaypostError(error) || error.details.reason !== "policy_changed") throw error;
          if (attempt === decisionsMax)
            throw new WaypostError("upstream_unavailable", "The rules for this mailbox are being changed.", {
              reason: "busy",
              hint: "Send it again in a moment.",
            });
        }
    },
  };
}

interface PreparedMail {
  readonly envelope: Envelope;
  /** The first octets of the message, with its header block. */
  readonly header: Buffer;
  readonly facts: MessageFacts;
}

async function prepareMail(
  rooms: OutboundRooms,
  request: SubmitRequest,
  envelope: Envelope,
): Promise<PreparedMail> {
  const header = Buffer.from(request.bytes.subarray(0, headerBytesMax));
  return { envelope, header, facts: await rooms.prepare(request.bytes) };
}

async function decideAndWrite(
  rooms: OutboundRooms,
  by: Author,
  request: SubmitRequest,
  prepared: PreparedMail,
): Promise<SubmitResult> {
  const args = await planWrite(rooms, request, prepared);
  return submitMail(rooms.store, by, args, request.idempotency);
}

async function planWrite(
  rooms: OutboundRooms,
  request: SubmitRequest,
  { envelope, header, facts: prepared }: PreparedMail,
): Promise<SubmitMessage> {
  const { store, settings } = rooms;
  const { principal, mailbox } = request;
  const at = store.clock.now();
  const sendAt = Math.max(request.sendAt ?? at, at);
  const owner = await findSender(rooms, mailbox);
  const decision = await decideSending(rooms, { request, owner, envelope, facts: prepared, at });
  const isHeld = decision.kind === "hold";
  const bcc = request.bcc === undefined ? "" : `${request.bcc}\r\n`;
  const trace = Buffer.from(
    isHeld ? unnamedField(envelope, request.fields ?? (await readHeader(header))) : bcc,
  );
  // A copy for the writer, so that the original is left for another try if the write is refused.
  const blob = await copyBlob(prepared.blob);
  const facts = await withOwnTrace({ ...prepared, blob }, trace, header);
  return {
    agent: mailbox,
    requestedBy: principal.agent,
    facts,
    trace,
    provenance: JSON.stringify(provenanceOf(request.source, facts)),
    isAuthenticated: request.isAuthenticated,
    envelope,
    hasCopy: request.hasNoCopy !== true,
    sendAt,
    expiresAt: sendAt + settings.outbound.maxAgeHours * hourMs,
    draft: request.draft ?? null,
    archived: archivedOf(request),
    decision: isHeld
      ? { ...decision, digest: holdDigest(JSON.stringify(envelope), facts.blob.sha256) }
      : decision,
    limits:
      request.isUncounted === true
        ? { perHour: 0, perDay: 0 }
        : { perHour: settings.limits.sendsPerHour, perDay: settings.limits.sendsPerDay },
    writtenTo: isPersonsOwn(request) ? envelope.recipients.map(({ address }) => addressKey(address)) : [],
    calendar: request.invitation?.message,
    warnings: await listWarnings(rooms, request, envelope),
    at,
  };
}

function archivedOf({ archived }: SubmitRequest): SubmitMessage["archived"] {
  if (archived === undefined) return undefined;
  const { flags: mask, keywords, properties = {} } = archived;
  return { mask, keywords, properties: messageProperties.stored(properties) };
}

/** Recipients at whom the mailbox's last mail failed for good, for a caller who gets an answer and reads that mail. */
async function listWarnings(
  rooms: OutboundRooms,
  { principal, mailbox, source, invitation }: SubmitRequest,
  { recipients }: Envelope,
): Promise<AddressWarning[]> {
  if (source !== "send" && invitation === undefined) return [];
  if (!(await readsAllMail(rooms, principal, mailbox))) return [];
  const written = new Map(recipients.map(({ address }) => [addressKey(address), address]));
  const failed = await listFailedAddresses(rooms.store, mailbox, [...written.keys()]);
  return failed.map(({ address, status }) => ({
    address: written.get(address)!,
    reason: deliveryReasonOf(status),
  }));
}

/** Whether a person writes it. An invitation or an answer to one is made by the calendar, whoever has sent the event. */
function isPersonsOwn({ principal, invitation }: SubmitRequest): boolean {
  if ("isServer" in principal || principal.kind !== "person" || invitation !== undefined) return false;
  const { kind } = principal.author;
  return kind === "password" || kind === "session" || kind === "token";
}

async function findSender({ accounts }: OutboundRooms, mailbox: AgentNumber): Promise<AgentFacts> {
  const owner = await accounts.findAgentFacts(mailbox);
  if (owner === undefined) throw new WaypostError("not_found", "There is no such mailbox.");
  if (!owner.isBillable) throw new WaypostError("not_billable", "The account does not send at the moment.");
  if (owner.pause !== undefined) throw pausedError(owner.pause.reason);
  return owner;
}

function isAnswerOfAgent(
  { inReplyTo }: SubmitRequest,
  { kind }: AgentFacts,
  { referenceIds = "" }: MessageFacts,
): boolean {
  const isAnswer = inReplyTo !== undefined || parseReferenceIds(referenceIds).references.length > 0;
  return kind === "agent" && isAnswer;
}

/** The recipients, each of them once, with their mailboxes if they are of this server. */
async function readEnvelope(
  { accounts, settings }: OutboundRooms,
  request: SubmitRequest,
): Promise<Envelope> {
  const { envelope, source } = request;
  const tlsWish = tlsWishOf(
    envelope.isTlsRequired === true,
    request.fields ?? (await readHeader(request.bytes)),
  );
  const recipients = new Map<string, EnvelopeRecipient>();
  const turns = new LoopTurns();
  for (const { address: written, notify = [], orcpt, field } of envelope.recipients) {
    await turns.turn();
    const address = normalAddress(written) ?? written;
    const key = addressKey(address);
    if (recipients.has(key)) continue;
    assertRecipientCount(recipients.size + 1, settings, field);
    const resolution = await accounts.resolveRecipient(address);
    if (resolution.kind === "unknown")
      throw new WaypostError("invalid", "There is no such mailbox on this server.", {
        reason: "no_such_recipient",
        hint: "Its domain is served here, and has no mailbox or alias of that name.",
        ...(field === undefined ? {} : { field }),
      });
    const domain = resolution.kind === "local" ? "" : parseAddress(address)!.domain;
    recipients.set(key, { address, domain, notify, orcpt: orcpt ?? null });
  }
  if (recipients.size === 0) throw new WaypostError("invalid", "The message has no recipient.");
  return {
    from: envelope.from,
    recipients: [...recipients.values()],
    envid: envelope.envid,
    // RFC 8689 section 5: what has to stay secret does not come back in a notification.
    ret: tlsWish === "required" && envelope.ret === "FULL" ? "HDRS" : envelope.ret,
    bodyType: envelope.bodyType,
    isSmtputf8: envelope.isSmtputf8,
    source,
    answers: request.inReplyTo ?? null,
    forwards: request.forwardOf ?? null,
    ...(request.invitation === undefined ? {} : { calendarUid: request.invitation.uid }),
    ...(tlsWish === undefined ? {} : { tlsWish }),
  };
}

function provenanceOf(source: SubmissionSource, facts: MessageFacts): Provenance {
  return {
    source: source === "send" ? "api" : "submission",
    ...fromDomainOf(facts.fromAddress),
    checks: {},
  };
}
