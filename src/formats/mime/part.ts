/** The parts of a message and how IMAP names them (RFC 3501 section 6.4.5, RFC 9051 section 6.4.5.1). */
import { noParameters, type Parameters, recordOf } from "./parameters.ts";

/** One body part. Offsets are offsets into the bytes that were parsed; a part's range lies inside its parent's body. */
export interface MimePart {
  /** Section number: "" for the top of a message that is a multipart, "1" for a message of one part. The top of a nested
   *  multipart message has the section of the part that holds it. */
  readonly section: string;
  /** Lower case, as are `subtype`, `encoding` and `disposition`. */
  readonly type: string;
  readonly subtype: string;
  /** Decoded values by lower-case attribute; no prototype. */
  readonly parameters: Parameters;
  readonly encoding: string;
  readonly disposition: string | undefined;
  readonly dispositionParameters: Parameters;
  /** Octet strings, as in the header. */
  readonly contentId: string | undefined;
  readonly description: string | undefined;
  readonly md5: string | undefined;
  readonly language: readonly string[] | undefined;
  readonly location: string | undefined;
  readonly headerStart: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** Line ends in the body. */
  readonly lines: number;
  /** Of a multipart; empty when it has no boundary or no line with its boundary follows. */
  readonly parts: readonly MimePart[];
  /** The top part of the nested message, for message/rfc822 and message/global. */
  readonly message: MimePart | undefined;
  /** ENVELOPE of the nested message, as wire text. */
  readonly envelope: string | undefined;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Every part in the order of the bytes, a parent before its parts, including the top parts of nested messages. */
export function walkParts(top: MimePart): MimePart[] {
  const found: MimePart[] = [];
  const waiting = [top];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    found.push(part);
    if (part.message !== undefined) waiting.push(part.message);
    for (let index = part.parts.length - 1; index >= 0; index--) waiting.push(part.parts[index]!);
  }
  return found;
}

const sectionNumber = /^[1-9]\d{0,8}(?:\.[1-9]\d{0,8})*$/;

/** The part with that section number. "" is the message itself; in a message of one part "1" is its body and "1.1" does not
 *  exist. */
export function findPart(top: MimePart, section: string): MimePart | undefined {
  if (section === "") return top;
  if (!sectionNumber.test(section)) return undefined;
  let holder: MimePart | undefined = top;
  let found: MimePart | undefined;
  for (const digits of section.split(".")) {
    if (holder === undefined) return undefined;
    const number = Number(digits);
    if (holder.type === "multipart") found = holder.parts[number - 1] ?? shownPart(holder, number);
    else found = number === 1 ? holder : undefined;
    if (found === undefined) return undefined;
    holder = messageIn(found) ?? (found.type === "multipart" ? found : undefined);
  }
  return found;
}

/** The grammar of BODYSTRUCTURE requires a part in each multipart (body-type-mpart = 1*body). A multipart without parts (it has no
 *  boundary, or no line with the boundary follows) shows one empty text part, which has a section number. */
function shownPart(multipart: MimePart, number: number): MimePart | undefined {
  if (multipart.parts.length > 0 || number !== 1) return undefined;
  return emptyText(multipart, `${multipart.section === "" ? "" : `${multipart.section}.`}1`);
}

/** The message in a part; a nested message that could not be parsed is shown as an empty one (body-type-msg). */
function messageIn(part: MimePart): MimePart | undefined {
  return part.message ?? (hasMessageType(part) ? emptyText(part, `${part.section}.1`) : undefined);
}

/** Whether BODYSTRUCTURE shows the type with a message inside. */
export function hasMessageType({ type, subtype }: MimePart): boolean {
  return type === "message" && (subtype === "rfc822" || subtype === "global");
}

/** A text part of zero octets without a header, at the start of its parent's body. */
export function emptyText({ bodyStart }: Pick<MimePart, "bodyStart">, section: string): MimePart {
  return {
    section,
    type: "text",
    subtype: "plain",
    parameters: recordOf([["charset", "us-ascii"]]),
    encoding: "7bit",
    disposition: undefined,
    dispositionParameters: noParameters,
    contentId: undefined,
    description: undefined,
    md5: undefined,
    language: undefined,
    location: undefined,
    headerStart: bodyStart,
    bodyStart,
    bodyEnd: bodyStart,
    lines: 0,
    parts: [],
    message: undefined,
    envelope: undefined,
  };
}

const sectionText = /^(?:([\d.]+?)\.)?(HEADER|TEXT|MIME)$/i;

/** Bytes of `BODY[section]`: "", "HEADER", "TEXT", "1.2", "1.2.MIME", "1.2.HEADER", "1.2.TEXT"; undefined when there is no
 *  such section. HEADER ranges hold the empty line. With a number, HEADER and TEXT mean those of the nested message. */
export function sectionRange(top: MimePart, section: string): ByteRange | undefined {
  const match = sectionText.exec(section);
  if (match === null) {
    const part = findPart(top, section);
    if (part === undefined) return undefined;
    return { start: section === "" ? part.headerStart : part.bodyStart, end: part.bodyEnd };
  }
  const number = match[1];
  const specifier = match[2]!.toUpperCase();
  if (specifier === "MIME") {
    const part = number === undefined ? undefined : findPart(top, number);
    return part && { start: part.headerStart, end: part.bodyStart };
  }
  const holder = number === undefined ? undefined : findPart(top, number);
  const message = number === undefined ? top : holder && messageIn(holder);
  if (message === undefined) return undefined;
  return specifier === "HEADER"
    ? { start: message.headerStart, end: message.bodyStart }
    : { start: message.bodyStart, end: message.bodyEnd };
}
