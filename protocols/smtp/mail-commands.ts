/** MAIL and RCPT (RFC 5321 sections 4.1.1.2 and 4.1.1.3) with the parameters of the extensions that are offered.
 *
 *  "MAIL FROM:" Reverse-path [SP Mail-parameters] CRLF
 *     SIZE (RFC 1870), BODY (RFC 6152), SMTPUTF8 (RFC 6531), RET and ENVID (RFC 3461), AUTH (RFC 4954, submission only),
 *     REQUIRETLS (RFC 8689, over TLS only)
 *  "RCPT TO:" Forward-path [SP Rcpt-parameters] CRLF
 *     NOTIFY and ORCPT (RFC 3461)
 *
 *  An unknown parameter is 555 (RFC 5321 section 4.1.1.11). A space after the colon is accepted: many devices write one. */
import { envelopeIdBytesMax, originalRecipientBytesMax } from "./limits.ts";
import { type Path, readPath } from "./path.ts";
import { Refusal } from "./reply.ts";

export interface MailCommand {
  readonly reversePath: Path;
  /** The size in octets that the client announces; undefined without SIZE. */
  readonly sizeBytes: number | undefined;
  readonly isUtf8: boolean;
  readonly ret: "FULL" | "HDRS" | undefined;
  /** As sent, xtext. */
  readonly envid: string | undefined;
  readonly isTlsRequired: boolean;
}

/** Parameters of MAIL that not every connection offers. */
export interface OfferedParameters {
  readonly auth: boolean;
  readonly requireTls: boolean;
}

export interface RcptCommand {
  readonly forwardPath: Path;
  readonly notify: readonly NotifyWord[];
  /** `addr-type;xtext`, as sent. */
  readonly orcpt: string | undefined;
}

export type NotifyWord = "NEVER" | "SUCCESS" | "FAILURE" | "DELAY";
const notifyWords: readonly string[] = ["NEVER", "SUCCESS", "FAILURE", "DELAY"];

type Parameters = ReadonlyMap<string, string | undefined>;

const xtext = /^(?:[!-*,-<>-~]|\+[0-9A-F]{2})+$/;
// RFC 6533 section 3: a `utf-8` address is written as it is, or with \x{…} for characters that cannot be.
const originalRecipient = /^[a-z0-9-]+;(?:[!-*,-<>-~\u0080-\u{10ffff}]|\+[0-9A-F]{2})+$/iu;

/** The caller checks the size limit. */
export function parseMail(line: Uint8Array, offered: OfferedParameters): MailCommand {
  const { path, parameters } = parseCommand(line, /^MAIL FROM:[ \t]*/i, "5.1.7");
  let sizeBytes: number | undefined;
  let isUtf8 = false;
  let ret: MailCommand["ret"];
  let envid: string | undefined;
  let isTlsRequired = false;
  for (const [name, value] of parameters) {
    if (name === "SIZE") {
      if (value === undefined || !/^\d{1,20}$/.test(value)) throw badValue(name);
      sizeBytes = Number(value);
    } else if (name === "BODY") {
      if (value === undefined || !/^(?:7BIT|8BITMIME)$/i.test(value)) throw badValue(name);
    } else if (name === "SMTPUTF8") {
      if (value !== undefined) throw badValue(name);
      isUtf8 = true;
    } else if (name === "RET") {
      const word = value?.toUpperCase();
      if (word !== "FULL" && word !== "HDRS") throw badValue(name);
      ret = word;
    } else if (name === "ENVID") {
      if (value === undefined || value.length > envelopeIdBytesMax || !xtext.test(value))
        throw badValue(name);
      envid = value;
    } else if (name === "REQUIRETLS" && offered.requireTls) {
      if (value !== undefined) throw badValue(name);
      isTlsRequired = true;
    } else if (name === "AUTH" && offered.auth) {
      // RFC 4954 section 5: a server that does not trust the client treats any value as "<>".
      if (value === undefined || !(value === "<>" || xtext.test(value))) throw badValue(name);
    } else throw unknownParameter(name);
  }
  if (!path.isAscii && !isUtf8) throw needsUtf8();
  return { reversePath: path, sizeBytes, isUtf8, ret, envid, isTlsRequired };
}

export function parseRcpt(line: Uint8Array, isUtf8: boolean): RcptCommand {
  const { path, parameters } = parseCommand(line, /^RCPT TO:[ \t]*/i, "5.1.3");
  let notify: readonly NotifyWord[] = [];
  let orcpt: string | undefined;
  for (const [name, value] of parameters) {
    if (name === "NOTIFY") notify = readNotify(value);
    else if (name === "ORCPT") {
      if (value === undefined || value.length > originalRecipientBytesMax || !originalRecipient.test(value))
        throw badValue(name);
      orcpt = value;
    } else throw unknownParameter(name);
  }
  if (path.address === "") throw badPath("5.1.3");
  if (!path.isAscii && !isUtf8) throw needsUtf8();
  return { forwardPath: path, notify, orcpt };
}

function readNotify(value: string | undefined): readonly NotifyWord[] {
  const words = value?.toUpperCase().split(",") ?? [];
  const isList = words.length > 0 && words.every((word) => notifyWords.includes(word));
  if (!isList || new Set(words).size < words.length || (words.includes("NEVER") && words.length > 1))
    throw badValue("NOTIFY");
  return words as NotifyWord[];
}

function parseCommand(
  line: Uint8Array,
  verb: RegExp,
  addressStatus: string,
): { path: Path; parameters: Parameters } {
  const text = decodeLine(line, addressStatus);
  const start = verb.exec(text)?.[0].length;
  if (start === undefined)
    throw new Refusal(501, "5.5.4", "The syntax is MAIL FROM:<address> or RCPT TO:<address>");
  const read = readPath(text.slice(start));
  if (read === undefined) throw badPath(addressStatus);
  return { path: read.path, parameters: readParameters(read.rest) };
}

/** esmtp-param = esmtp-keyword ["=" esmtp-value]; a space at the end is tolerated (RFC 5321 section 4.1.1). */
function readParameters(text: string): Parameters {
  const parameters = new Map<string, string | undefined>();
  if (text !== "" && text[0] !== " ")
    throw new Refusal(501, "5.5.4", "A space belongs between path and parameters");
  for (const word of text.split(" ")) {
    if (word === "") continue;
    const match = /^([a-z0-9][a-z0-9-]*)(?:=([!-<>-~\u0080-\u{10ffff}]+))?$/iu.exec(word);
    if (match === null) throw new Refusal(501, "5.5.4", "A parameter is KEYWORD or KEYWORD=value");
    const name = match[1]!.toUpperCase();
    if (parameters.has(name)) throw new Refusal(501, "5.5.4", `${name} is given twice`);
    parameters.set(name, match[2]);
  }
  return parameters;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function decodeLine(line: Uint8Array, addressStatus: string): string {
  try {
    return utf8.decode(line);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw badPath(addressStatus);
  }
}

function badPath(status: string): Refusal {
  return new Refusal(501, status, "The address does not follow RFC 5321 or has no < and >");
}

function badValue(name: string): Refusal {
  return new Refusal(501, "5.5.4", `${name} does not take that value`);
}

function unknownParameter(name: string): Refusal {
  return new Refusal(555, "5.5.4", `${name.slice(0, 40)} is not a parameter of this server`);
}

/** The refusal of RFC 6531 section 3.5. */
function needsUtf8(): Refusal {
  return new Refusal(553, "5.6.7", "An address beyond ASCII needs SMTPUTF8");
}
