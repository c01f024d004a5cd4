/** Composes a message from its parts (RFC 5322, RFC 2045 to 2047, RFC 2183, RFC 2387, RFC 6532, RFC 6047).
 *
 *  text and html are alternatives. Images that the html shows are with it (multipart/related). Then follow the machine-readable part
 *  and the attachments. Lines end with CRLF and have at most 998 octets. The input has been checked by its schema. Text that would
 *  inject a header field makes the composer throw. */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import MailComposer from "nodemailer/lib/mail-composer";
import { foldLines } from "nodemailer/lib/mime-funcs";
import MimeNode from "nodemailer/lib/mime-node";
import { isEightBit } from "#/src/formats/mime/line-ends.ts";
import { loopTurn } from "#/src/model/background.ts";
import type { NamedAddress } from "./mail-address.ts";

export interface MessageBody {
  readonly to: readonly NamedAddress[];
  readonly cc: readonly NamedAddress[];
  readonly bcc: readonly NamedAddress[];
  readonly subject: string;
  /** The plain text; "" for an empty mail. */
  readonly text: string;
  readonly html?: string | undefined;
  readonly attachments: readonly Attachment[];
  readonly agentPart?: AgentPart | undefined;
  readonly calendarPart?: CalendarPart | undefined;
}

/** An iTIP message (RFC 6047): an alternative of the text for programs that know calendars, and a file for those that do not. */
export interface CalendarPart {
  readonly method: string;
  /** iCalendar text with CRLF. */
  readonly content: Buffer;
}

export interface Attachment {
  readonly content: Buffer;
  readonly name: string;
  /** Media type. */
  readonly type: string;
  /** The Content-ID by which the html refers to it (RFC 2392). */
  readonly cid?: string | undefined;
}

/** "Machine-readable part" of the interface. */
export interface AgentPart {
  readonly type: string;
  readonly data: unknown;
  /** The `id` of the answered machine-readable part. */
  readonly inReplyTo?: string | undefined;
}

/** Facts that the server adds, not the writer. */
export interface CompositionFacts {
  readonly from: NamedAddress;
  /** Milliseconds since 1970. */
  readonly date: number;
  /** Without the angle brackets, as those below. */
  readonly messageId: string;
  readonly inReplyTo?: string | undefined;
  readonly references: readonly string[];
  /** RFC 3834 section 5: made by a program by itself, or as an answer; undefined for a person's mail. */
  readonly autoSubmitted?: "auto-generated" | "auto-replied" | undefined;
  /** A draft keeps the Bcc field; a sent message never has it. */
  readonly hasBcc?: boolean;
}

/** The media type of the machine-readable part. */
const agentPartType = "application/vnd.waypost.agent+json";
const agentPartName = "agent.json";
/** RFC 5322 section 2.1.1, without CRLF. */
const lineOctetsMax = 998;

/** The bytes of a message, with Bcc only in a draft. */
export async function composeMessage(body: MessageBody, facts: CompositionFacts): Promise<Buffer> {
  const html = body.html === undefined ? undefined : crlf(body.html);
  // Few clients show a message properly that is only an attachment, so it always gets a text.
  const text = crlf(body.text || "\n");
  const composer = new MailComposer({
    from: [facts.from],
    to: [...body.to],
    cc: [...body.cc],
    subject: body.subject,
    date: new Date(facts.date),
    messageId: `<${facts.messageId}>`,
    ...(facts.inReplyTo === undefined ? {} : { inReplyTo: `<${facts.inReplyTo}>` }),
    ...(facts.references.length === 0 ? {} : { references: facts.references.map((id) => `<${id}>`) }),
    text,
    ...(html === undefined ? {} : { html }),
    ...(body.calendarPart === undefined
      ? {}
      : { icalEvent: { ...body.calendarPart, filename: "invite.ics" } }),
    attachments: [
      ...(body.agentPart === undefined ? [] : [agentAttachment(body.agentPart)]),
      ...body.attachments.map(composedAttachment),
    ],
    headers: facts.autoSubmitted === undefined ? {} : { "Auto-Submitted": facts.autoSubmitted },
    // The composer never reads files or URLs for a writer.
    disableFileAccess: true,
    disableUrlAccess: true,
    newline: "\r\n",
    boundaryPrefix: "=_",
    baseBoundary: randomUUID(),
  });
  const message = await composer.compile().build();
  const above = fieldAbove(body, facts);
  return above === undefined ? message : Buffer.concat([Buffer.from(`${above}\r\n`), message]);
}

/** An empty group (RFC 5322 section 3.4), for a message whose recipients are all in Bcc. */
export const hiddenRecipientsField = "To: undisclosed-recipients:;";

/** Header fields that the composer would leave out. */
function fieldAbove({ to, cc, bcc }: MessageBody, { hasBcc }: CompositionFacts): string | undefined {
  if (hasBcc === true) return bcc.length === 0 ? undefined : bccField(bcc);
  return to.length + cc.length === 0 ? hiddenRecipientsField : undefined;
}

/** `Bcc: …`, folded, without its last line end. */
export function bccField(bcc: readonly NamedAddress[]): string {
  return foldLines(`Bcc: ${new MimeNode().encodeHeaderValue("Bcc", [...bcc])}`, 76);
}

function crlf(text: string): string {
  return text.replace(/\r\n|\r|\n/g, "\r\n");
}

function agentAttachment({ type, data, inReplyTo }: AgentPart) {
  const content = {
    type,
    id: `urn:uuid:${randomUUID()}`,
    ...(inReplyTo && { in_reply_to: inReplyTo }),
    data,
  };
  return {
    content: Buffer.from(JSON.stringify(content)),
    contentType: agentPartType,
    filename: agentPartName,
    contentDisposition: "attachment" as const,
  };
}

function composedAttachment({ content, name, type, cid }: Attachment) {
  // RFC 2046 section 5.2.1: a message part is not encoded. One that would need an encoding is sent as application/octet-stream.
  const isMessage = /^message\//i.test(type);
  const isPlain = isMessage && hasMailLines(content);
  return {
    content: content.length > sliceBytes ? Readable.from(slicesOf(content), { objectMode: false }) : content,
    filename: name,
    contentType: isMessage && !isPlain ? "application/octet-stream" : type,
    contentTransferEncoding: isPlain
      ? isEightBit(content)
        ? ("8bit" as const)
        : ("7bit" as const)
      : "base64",
    contentDisposition: cid === undefined ? ("attachment" as const) : ("inline" as const),
    ...(cid === undefined ? {} : { cid }),
  };
}

/** Octets that are encoded in one turn of the event loop. */
const sliceBytes = 256 * 1024;

async function* slicesOf(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += sliceBytes) {
    yield content.subarray(at, at + sliceBytes);
    await loopTurn();
  }
}

/** Whether mail can carry the octets as they are: no NUL, every line ended by CRLF and not too long. One pass over the octets: searching
 *  for line ends would cost more if lines are short. */
export function hasMailLines(bytes: Uint8Array): boolean {
  let start = 0;
  for (let at = 0; at < bytes.length; at++) {
    const octet = bytes[at]!;
    if (octet > carriageReturn) continue;
    if (octet === 0 || octet === lineFeed) return false;
    if (octet !== carriageReturn) continue;
    if (bytes[at + 1] !== lineFeed || at - start > lineOctetsMax) return false;
    start = ++at + 1;
  }
  return bytes.length - start <= lineOctetsMax;
}

const carriageReturn = 13;
const lineFeed = 10;
