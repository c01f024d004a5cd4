/** BODYSTRUCTURE and BODY as wire text (RFC 9051 section 7.5.2, RFC 3501 section 7.4.2): octet strings without NUL. */
import { hasEightBit } from "./octets.ts";
import type { Parameters } from "./parameters.ts";
import { emptyText, hasMessageType, type MimePart } from "./part.ts";
import { formatNstring, formatString } from "./wire-text.ts";

/** With extension data. */
export function formatBodyStructure(top: MimePart): string {
  return formatPart(top, true);
}

/** Without extension data. */
export function formatBody(top: MimePart): string {
  return formatPart(top, false);
}

/** Shown for a multipart without parts and for a nested message that could not be parsed, as Dovecot does. */
const empty = emptyText({ bodyStart: 0 }, "");
const emptyEnvelope = "(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)";

function formatPart(part: MimePart, isExtended: boolean): string {
  return part.type === "multipart" ? formatMultipart(part, isExtended) : formatSingle(part, isExtended);
}

function formatMultipart(part: MimePart, isExtended: boolean): string {
  const shown = part.parts.length === 0 ? [empty] : part.parts;
  const parts = shown.map((each) => formatPart(each, isExtended)).join("");
  const basic = `(${parts} ${formatString(part.subtype)}`;
  return isExtended ? `${basic} ${formatParameters(part.parameters)} ${formatExtension(part)})` : `${basic})`;
}

function formatSingle(part: MimePart, isExtended: boolean): string {
  const isText = part.type === "text";
  // RFC 2045 section 5.2: text without a charset is US-ASCII.
  const parameters =
    isText && part.parameters.charset === undefined
      ? { ...part.parameters, charset: "us-ascii" }
      : part.parameters;
  const type = `${formatString(part.type)} ${formatString(part.subtype)}`;
  const size = part.bodyEnd - part.bodyStart;
  let text =
    `(${type} ${formatParameters(parameters)} ${formatNstring(part.contentId)} ` +
    `${formatNstring(part.description)} ${formatString(part.encoding)} ${size}`;
  if (isText) text += ` ${part.lines}`;
  // body-type-msg wants an envelope and a body.
  else if (hasMessageType(part))
    text += ` ${part.envelope ?? emptyEnvelope} ${formatPart(part.message ?? empty, isExtended)} ${part.lines}`;
  return isExtended ? `${text} ${formatNstring(part.md5)} ${formatExtension(part)})` : `${text})`;
}

/** Disposition, language and location. */
function formatExtension(part: MimePart): string {
  const { disposition, language } = part;
  const dispositionText =
    disposition === undefined
      ? "NIL"
      : `(${formatString(disposition)} ${formatParameters(part.dispositionParameters)})`;
  const languageText = language === undefined ? "NIL" : `(${language.map(formatString).join(" ")})`;
  return `${dispositionText} ${languageText} ${formatNstring(part.location)}`;
}

function formatParameters(parameters: Parameters): string {
  const texts: string[] = [];
  for (const name in parameters) texts.push(formatParameter(name, parameters[name]!));
  return texts.length === 0 ? "NIL" : `(${texts.join(" ")})`;
}

const printable = /^[\x20-\x7e]*$/;

/** A value that is not ASCII is written in the form of RFC 2231 section 4, whatever form the message has: every client that
 *  decodes parameters knows that form. */
function formatParameter(name: string, value: string): string {
  const octetName = hasEightBit(name) ? encodeURIComponent(name) : name;
  if (printable.test(value)) return `${formatString(octetName)} ${formatString(value)}`;
  return `${formatString(`${octetName}*`)} ${formatString(`utf-8''${encodePercent(value)}`)}`;
}

/** attribute-char of RFC 2231 section 7. */
function encodePercent(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
