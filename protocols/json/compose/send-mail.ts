/** `send` and `hold.create`: their input, and putting a mail into the queue or holding it for approval. */
import { z } from "zod";
import { isEightBit } from "#/src/formats/mime/line-ends.ts";
import type { Idempotency } from "#/src/mail/write-once.ts";
import { dryRun } from "#/src/model/caller.ts";
import type { MailState } from "#/src/model/delivery.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { HoldState } from "#/src/model/holds.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { needsSmtputf8 } from "#/src/outbound/mail-address.ts";
import type { SubmitResult } from "#/src/outbound/outbound.ts";
import { reachAgent } from "#/src/reach/agents.ts";
import { messageBody } from "../describe/message-body.ts";
import { readId } from "../identifiers.ts";
import type { OperationContext } from "../operation.ts";
import { assertInMailbox } from "../reach.ts";
import { idempotencyKey, idOf, versionText } from "../schemas.ts";
import { type KeyedWrite, writeInOrder } from "../write-in-order.ts";
import { type ComposedMessage, composeBody } from "./composed-message.ts";
import { finishedDraft } from "./finished-draft.ts";
import { takeTurnIfLarge } from "./large-mails.ts";
import { readSendAt, sendAtText } from "./send-at.ts";

export const mailFields = {
  body: messageBody.optional().describe("The mail; or draft."),
  draft: idOf("draft").optional().describe("A draft that is sent as it is, draft_…, with its version."),
  version: versionText,
  in: idOf("agent").optional().describe("The mailbox that it leaves from, ag_…; absent: the own one."),
  send_at: sendAtText
    .optional()
    .describe("When it is to leave, as 2026-05-04T09:00:00Z, within a year; a time that has passed is now."),
  idempotency_key: idempotencyKey,
};
const mailInput = z.strictObject(mailFields);
type Input = z.infer<typeof mailInput>;

export interface SentMail {
  readonly mailbox: AgentNumber;
  readonly result: SubmitResult;
}

/** States of a hold whose mail is not sent. */
export const unsentStates = ["declined", "expired", "withdrawn", "failed"] as const satisfies HoldState[];
type UnsentState = (typeof unsentStates)[number];

/** What has become of a mail that was sent before: of one that waits or was not approved its hold's state, else the delivery's. */
export async function stateNow(
  { rooms: { holds, outbound } }: OperationContext,
  mailbox: AgentNumber,
  { message, hold, state }: SubmitResult,
): Promise<MailState | UnsentState> {
  const held = hold === undefined ? undefined : await holds.findHold(mailbox, hold);
  const unsent = unsentStates.find((one) => one === held?.state);
  if (unsent !== undefined) return unsent;
  if (held?.state === "waiting") return "held";
  return (await outbound.readDelivery(mailbox, message))?.state ?? state;
}

/** `holdWish` absent: the draft decides, or else the policy. */
export async function sendMail(
  context: OperationContext,
  input: Input,
  holdWish: "policy" | "always" | undefined,
  keyed: KeyedWrite,
): Promise<SentMail> {
  return writeInOrder(context, {
    ...keyed,
    reach: () => mailboxOf(context, input),
    async repeat(once, mailbox) {
      const result = await context.rooms.mail.findRepeat("submitMessage", once);
      return result && { mailbox, result };
    },
    write: (mailbox, once) => submit(context, mailbox, input, holdWish, once),
  });
}

async function submit(
  context: OperationContext,
  mailbox: AgentNumber,
  input: Input,
  holdWish: "policy" | "always" | undefined,
  once: Idempotency | undefined,
): Promise<SentMail> {
  const { outbound } = context.rooms;
  const sendAt = await readSendAt(context, input.send_at);
  using _turn = await takeTurnIfLarge(context.rooms.fairness, input.body, input.draft);
  const { sending, draft } = await readMail(context, mailbox, input);
  assertHasRecipient(sending);
  const startedAt = performance.now();
  const result = await outbound.submit(context.principal.author, {
    principal: context.principal,
    mailbox,
    bytes: sending.bytes,
    envelope: {
      from: sending.from,
      recipients: sending.recipients,
      envid: null,
      ret: null,
      bodyType: isEightBit(sending.bytes) ? "8BITMIME" : "7BIT",
      isSmtputf8: [sending.from, ...sending.recipients.map(({ address }) => address)].some(needsSmtputf8),
    },
    isAuthenticated: true,
    holdWish: holdWish ?? draft?.hold ?? "policy",
    source: "send",
    ...(sending.bcc === undefined ? {} : { bcc: sending.bcc }),
    ...(sending.inReplyTo === undefined ? {} : { inReplyTo: sending.inReplyTo }),
    ...(sending.forwardOf === undefined ? {} : { forwardOf: sending.forwardOf }),
    ...((sendAt ?? draft?.sendAt) === undefined ? {} : { sendAt: (sendAt ?? draft?.sendAt)! }),
    ...(draft === undefined ? {} : { draft: { draft: draft.number, version: input.version } }),
    ...(once === undefined ? {} : { idempotency: once }),
  });
  if (dryRun() === undefined) logSubmitted(context, mailbox, result, startedAt);
  return { mailbox, result };
}

/** Logs the request id together with the id that the mail has from here on. */
function logSubmitted(
  { rooms, requestId, principal }: OperationContext,
  mailbox: AgentNumber,
  { message, submission, hold, state }: SubmitResult,
  startedAt: number,
): void {
  const { ids } = rooms.mail;
  const token = submission === undefined ? undefined : rooms.outbound.tokenOf({ agent: mailbox, submission });
  const named = {
    requestId,
    message: ids.encode("message", mailbox, message),
    ...(token === undefined ? {} : { submission: token }),
    ...(hold === undefined ? {} : { hold: ids.encode("hold", mailbox, hold) }),
    state,
  };
  rooms.tally?.span?.({
    name: "submission",
    startedAt,
    trace: token ?? requestId,
    // What is held is in no queue yet: it is a part of its request.
    isWhole: token !== undefined,
    ...(token === undefined ? {} : { cause: requestId }),
    isFailed: false,
    words: named,
  });
  rooms.log.info({ by: principal.address, ...named }, "mail submitted");
}

/** The mailbox that the mail is sent from. The caller needs the scope `send` there. */
async function mailboxOf(context: OperationContext, input: Input): Promise<AgentNumber> {
  const named = input.in === undefined ? undefined : readId(context, input.in, ["agent"], "/in").agent;
  const draft = input.draft === undefined ? undefined : readId(context, input.draft, ["draft"], "/draft");
  const { agent } = await reachAgent(context, named ?? draft?.agent ?? context.principal.agent, "send");
  if (draft !== undefined)
    await assertInMailbox(context, draft, agent, "mail:read", {
      field: "/in",
      hint: "A draft is sent from the mailbox that it is in; leave in out.",
    });
  return agent;
}

async function readMail(context: OperationContext, mailbox: AgentNumber, input: Input) {
  if ((input.body === undefined) === (input.draft === undefined))
    throw new WaypostError("invalid", "Exactly one of body and draft is needed.", {
      field: "/body",
      hint: "Send body with to, subject and text, or draft with its version.",
    });
  if (input.draft !== undefined) return finishedDraft(context, input.draft, input.version);
  if (input.version !== undefined)
    throw new WaypostError("invalid", "A version is only for a draft.", {
      field: "/version",
      hint: "Leave it out.",
    });
  const { body } = input;
  if (!body!.text?.trim() && !body!.html?.trim() && !body!.attachments?.length && !body!.forward_of)
    throw new WaypostError("invalid", "The mail is empty.", {
      field: "/body/text",
      hint: "Send text, html, an attachment or forward_of.",
    });
  return { sending: await composeBody(context, mailbox, body!), draft: undefined };
}

function assertHasRecipient({ recipients }: Pick<ComposedMessage, "recipients">): void {
  if (recipients.length === 0)
    throw new WaypostError("invalid", "The mail has no recipient.", {
      field: "/body/to",
      hint: "Name at least one recipient in to, cc or bcc.",
    });
}
