/** ENVELOPE as wire text (RFC 9051 section 7.5.2, RFC 3501 section 7.4.2).
 *  envelope = "(" date SP subject SP from SP sender SP reply-to SP to SP cc SP bcc SP in-reply-to SP message-id ")"
 *  An octet string without NUL; a string that is not printable ASCII is written as a literal. */
import { addressesMax } from "#/src/model/limits.ts";
import { type AddressToken, readAddressTokens } from "./address-tokens.ts";
import { type HeaderField, readHeaderFields } from "./header.ts";
import { formatNstring, formatString } from "./wire-text.ts";

/** Header of a message, or the whole message. */
export function formatEnvelope(headerBytes: Uint8Array): string {
  return formatEnvelopeFields(readHeaderFields(headerBytes));
}

/** Like `formatEnvelope`, from fields that have been parsed already. */
export function formatEnvelopeFields(fields: readonly HeaderField[]): string {
  let date: string | undefined;
  let subject: string | undefined;
  let from: string | undefined;
  let sender: string | undefined;
  let replyTo: string | undefined;
  let inReplyTo: string | undefined;
  let messageId: string | undefined;
  const to: string[] = [];
  const cc: string[] = [];
  const bcc: string[] = [];
  for (const { name, value } of fields) {
    switch (name) {
      case "date":
        date ??= value;
        break;
      case "subject":
        subject ??= value;
        break;
      case "from":
        from ??= value;
        break;
      case "sender":
        sender ??= value;
        break;
      case "reply-to":
        replyTo ??= value;
        break;
      case "in-reply-to":
        inReplyTo ??= value;
        break;
      case "message-id":
        messageId ??= value;
        break;
      case "to":
        to.push(value);
        break;
      case "cc":
        cc.push(value);
        break;
      case "bcc":
        bcc.push(value);
        break;
    }
  }
  const fromList = formatAddresses(from);
  const texts = [formatNstring(date), formatNstring(subject), fromList];
  texts.push(orDefault(formatAddresses(sender), fromList), orDefault(formatAddresses(replyTo), fromList));
  // RFC 5322 section 4.5.3: destination fields that occur more than once are joined to one list.
  for (const list of [to, cc, bcc]) texts.push(formatAddresses(...list));
  texts.push(formatNstring(inReplyTo), formatNstring(messageId));
  return `(${texts.join(" ")})`;
}

/** A missing or empty Sender or Reply-To is replaced by From. */
function orDefault(list: string, fromList: string): string {
  return list === "NIL" ? fromList : list;
}

function formatAddresses(...bodies: (string | undefined)[]): string {
  const tokens: AddressToken[] = [];
  for (const body of bodies)
    if (body !== undefined) tokens.push(...readAddressTokens(body, addressesMax - tokens.length));
  return tokens.length === 0 ? "NIL" : `(${tokens.map(formatAddress).join("")})`;
}

/** A NIL host marks a group, so a missing domain is written as a word, the same as Dovecot's. */
function formatAddress(token: AddressToken): string {
  if (token.kind === "groupStart") return `(NIL NIL ${formatString(token.name)} NIL)`;
  if (token.kind === "groupEnd") return "(NIL NIL NIL NIL)";
  const localPart = formatString(token.localPart ?? "MISSING_MAILBOX");
  const domain = formatString(token.domain ?? "MISSING_DOMAIN");
  return `(${formatNstring(token.name)} ${formatNstring(token.route)} ${localPart} ${domain})`;
}
