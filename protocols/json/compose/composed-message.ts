/** Composes a mail from the body of `send` and `draft.*`: its bytes and its recipients. Everything that the body names is read
 *  here, with the caller's rights. */

import { randomUUID } from "node:crypto";
import type { AgentFacts } from "#/src/accounts/accounts.ts";
import type { Principal } from "#/src/accounts/principal.ts";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import type { HeaderField } from "#/src/formats/mime/header.ts";
import { walkParts } from "#/src/formats/mime/structure.ts";
import { baseSubject } from "#/src/formats/mime/subject.ts";
import { readHeader } from "#/src/mail/header-reading.ts";
import type { Message } from "#/src/mail/messages.ts";
import { isAgentPart } from "#/src/mail/prepare-message.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { headerBytesMax } from "#/src/model/limits.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import {
  addressedAs,
  answeredAddresses,
  answerFacts,
  forwardSubject,
  involvedAddresses,
} from "#/src/outbound/answering.ts";
import { type AgentPart, type Attachment, bccField, composeMessage } from "#/src/outbound/composition.ts";
import {
  addressKey,
  type NamedAddress,
  normalAddress,
  parseNamedAddress,
} from "#/src/outbound/mail-address.ts";
import { reachAgent } from "#/src/reach/agents.ts";
import { reachMessage } from "#/src/reach/messages.ts";
import { readDecodedPart } from "#/src/render/decoded-part.ts";
import type { AddressInput, MessageBodyInput } from "../describe/message-body.ts";
import { readId } from "../identifiers.ts";
import type { OperationContext } from "../operation.ts";
import { readAttachments } from "./attachments.ts";

export interface ComposedMessage {
  readonly bytes: Buffer;
  readonly from: string;
  readonly recipients: readonly ComposedRecipient[];
  /** The Bcc field of the sender's own copy. */
  readonly bcc: string | undefined;
  /** The answered and the forwarded message, if they are in the mailbox that the mail is sent from. */
  readonly inReplyTo: MessageNumber | undefined;
  readonly forwardOf: MessageNumber | undefined;
}

export interface ComposedRecipient {
  readonly address: string;
  /** JSON pointer to the field of the request that names it. */
  readonly field: string;
}

/** "Machine-readable part" of the interface. */
const agentPartBytesMax = 256 * 1024;
const agentPartIdMax = 500;

/** `hasBcc`: keeps the Bcc field, for a draft. */
export async function composeBody(
  context: OperationContext,
  mailbox: AgentNumber,
  body: MessageBodyInput,
  { hasBcc = false } = {},
): Promise<ComposedMessage> {
  const { accounts, mail } = context.rooms;
  const owner = await accounts.findAgentFacts(mailbox);
  if (owner === undefined) throw new WaypostError("not_found", "There is no such mailbox.");
  const answered = await readOriginal(context, body.in_reply_to, "/body/in_reply_to");
  const forwarded = await readOriginal(context, body.forward_of, "/body/forward_of");
  if (body.reply_all === true && answered === undefined)
    throw new WaypostError("invalid", "reply_all is about the message that is answered.", {
      field: "/body/reply_all",
      hint: "Send in_reply_to beside it.",
    });
  const isOwn = await ownAddresses(context, owner, answered);
  const recipients = readRecipients(body, answered, isOwn);
  const from = {
    name: owner.name,
    address: (answered && addressedAs(answered.fields, isOwn)) ?? owner.address,
  };
  const answer = answered && answerFacts(answered.fields);
  const agentPart = await readAgentPart(context, body, answered);
  const attachments = await readAttachments(context, body.attachments ?? []);
  const bytes = await composeMessage(
    {
      ...recipients.named,
      subject:
        body.subject ?? answer?.subject ?? (forwarded === undefined ? "" : forwardSubject(forwarded.fields)),
      text: body.text || (await textOf(context, body.html)),
      html: body.html,
      agentPart,
      attachments:
        forwarded === undefined ? attachments : [...attachments, await forwardOf(context, forwarded)],
    },
    {
      from,
      date: mail.clock.now(),
      messageId: `${randomUUID()}@${domainOf(from.address)}`,
      inReplyTo: answer?.inReplyTo,
      references: answer?.references ?? [],
      autoSubmitted: autoSubmitted(context.principal, answered),
      hasBcc,
    },
  );
  const { maxMessageBytes } = context.rooms.settings.smtp;
  if (bytes.length > maxMessageBytes)
    throw new WaypostError("invalid", "The mail is too large.", {
      field: "/body",
      hint: `A mail has at most ${maxMessageBytes} octets.`,
    });
  const { bcc } = recipients.named;
  return {
    bytes,
    from: from.address,
    recipients: recipients.all,
    bcc: bcc.length === 0 ? undefined : bccField(bcc),
    inReplyTo: answered?.message.agent === mailbox ? answered.message.number : undefined,
    forwardOf: forwarded?.message.agent === mailbox ? forwarded.message.number : undefined,
  };
}

/** The text alternative made from HTML, for readers that show no HTML. */
async function textOf({ rooms }: OperationContext, html: string | undefined): Promise<string> {
  return html === undefined ? "" : (await rooms.mail.readers.renderHtml(html, "text")).text;
}

/** Auto-Submitted (RFC 3834 section 5): mail sent by a program is marked, in whoever's name it
 *  leaves, so that other programs do not answer it automatically. */
function autoSubmitted(principal: Principal, answered: Original | undefined) {
  if (principal.kind !== "agent") return undefined;
  return answered === undefined ? "auto-generated" : "auto-replied";
}

interface Original {
  readonly message: Message;
  readonly fields: readonly HeaderField[];
}

async function readOriginal(
  context: OperationContext,
  id: string | undefined,
  field: string,
): Promise<Original | undefined> {
  if (id === undefined) return undefined;
  const { mail } = context.rooms;
  const name = readId(context, id, ["message"], field);
  const message = await reachMessage(
    context,
    await reachAgent(context, name.agent, "mail:read"),
    name.object,
  );
  const header =
    (await mail.readHeader(message)) ?? (await mail.readBytes(message, { start: 0, end: headerBytesMax }));
  return { message, fields: await readHeader(header) };
}

/** Which addresses of a message belong to the mailbox. Only addresses in its own domains are looked up, since a message can have
 *  thousands of addresses. */
async function ownAddresses(
  { rooms }: OperationContext,
  { agent, addresses }: AgentFacts,
  original: Original | undefined,
): Promise<(address: string) => boolean> {
  const domains = new Set(addresses.map(domainOf));
  const named = original === undefined ? [] : involvedAddresses(original.fields);
  const turns = new LoopTurns();
  const own = new Set<string>();
  for (const { address } of named) {
    const isOwn = domains.has(domainOf(address)) && (await rooms.accounts.isOwnAddress({ agent }, address));
    if (isOwn) own.add(addressKey(address));
    await turns.turn();
  }
  return (address) => own.has(addressKey(address));
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

interface Recipients {
  readonly named: {
    readonly to: readonly NamedAddress[];
    readonly cc: readonly NamedAddress[];
    readonly bcc: readonly NamedAddress[];
  };
  readonly all: readonly ComposedRecipient[];
}

/** The recipients of the request. An answer without recipients goes to the author of the answered message, with `reply_all` also to
 *  its other recipients. Each address once. */
function readRecipients(
  body: MessageBodyInput,
  answered: Original | undefined,
  isOwn: (address: string) => boolean,
): Recipients {
  const isDerived = answered !== undefined && (body.reply_all === true || !body.to?.length);
  const derived = isDerived
    ? answeredAddresses(answered.fields, isOwn, body.reply_all === true)
    : { to: [], cc: [] };
  const seen = new Set<string>();
  const all: ComposedRecipient[] = [];
  const add = (list: readonly NamedAddress[], fieldOf: (index: number) => string): NamedAddress[] =>
    list.filter(({ address }, index) => {
      const key = addressKey(address);
      if (seen.has(key)) return false;
      seen.add(key);
      all.push({ address, field: fieldOf(index) });
      return true;
    });
  const addGiven = (name: "to" | "cc" | "bcc") =>
    add(readAddresses(body[name] ?? [], `/body/${name}`), (index) => `/body/${name}/${index}`);
  const addDerived = (list: readonly NamedAddress[]) => add(list, () => "/body/in_reply_to");
  const to = [...addGiven("to"), ...addDerived(derived.to)];
  const cc = [...addGiven("cc"), ...addDerived(derived.cc)];
  return { named: { to, cc, bcc: addGiven("bcc") }, all };
}

function readAddresses(inputs: readonly AddressInput[], field: string): NamedAddress[] {
  return inputs.map((input, index) => {
    const isText = typeof input === "string";
    const address = isText ? parseNamedAddress(input) : normalAddress(input.address);
    if (address === undefined)
      throw new WaypostError("invalid", "This is not a mail address.", {
        field: `${field}/${index}${isText ? "" : "/address"}`,
        hint: 'An address is "name@domain", or {"name": …, "address": "name@domain"}.',
      });
    return typeof address === "string" ? { name: (input as { name?: string }).name ?? "", address } : address;
  });
}

async function readAgentPart(
  { rooms }: OperationContext,
  body: MessageBodyInput,
  answered: Original | undefined,
): Promise<AgentPart | undefined> {
  if (body.agent === undefined) return undefined;
  const { type, data = null } = body.agent;
  if (!body.text?.trim() && !body.html?.trim())
    throw new WaypostError("invalid", "A mail with a machine-readable part needs text for people.", {
      field: "/body/text",
      hint: "Describe the part in text.",
    });
  if (Buffer.byteLength(JSON.stringify(data)) > agentPartBytesMax)
    throw new WaypostError("invalid", "The machine-readable part is too large.", {
      field: "/body/agent/data",
      hint: `It has at most ${agentPartBytesMax} octets; attach what is larger.`,
    });
  return { type, data, inReplyTo: answered && (await agentPartId(rooms.mail, answered.message)) };
}

/** The `id` of the machine-readable part of a message, if it has one that can be read. */
async function agentPartId(
  mail: OperationContext["rooms"]["mail"],
  message: Message,
): Promise<string | undefined> {
  if (!message.hasAgentPart) return undefined;
  const part = walkParts(await mail.readStructure(message)).find(isAgentPart);
  if (part === undefined) return undefined;
  const { bytes, isCut } = await readDecodedPart(mail, message, part, agentPartBytesMax * 2);
  if (isCut) return undefined;
  try {
    const { id } = JSON.parse(bytes.toString()) as { readonly id?: unknown };
    return typeof id === "string" && id.length <= agentPartIdMax ? id : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The whole message as it was received, without the header fields that this server put in front of it. */
async function forwardOf({ rooms }: OperationContext, { message }: Original): Promise<Attachment> {
  const { mail, settings } = rooms;
  if (message.size > settings.smtp.maxMessageBytes)
    throw new WaypostError("invalid", "The message is too large to be forwarded.", {
      field: "/body/forward_of",
    });
  const content = await mail.readBytes(message, { start: message.trace.byteLength, end: message.size });
  const title = baseSubject(message.subject)
    .replace(/[/\\:*?"<>|\p{C}]+/gu, " ")
    .trim()
    .slice(0, 80);
  return { content, name: `${title || "message"}.eml`, type: "message/rfc822" };
}
