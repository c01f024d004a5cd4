/** Checks whether the output of a server is IMAP (RFC 9051 section 9), whatever the commands were: the frame of every response, its
 *  values, and that no octet is where it may not be. */

const untaggedNames =
  /^(?:CAPABILITY|ENABLED|FLAGS|LIST|LSUB|XLIST|STATUS|SEARCH|ESEARCH|SORT|THREAD|NAMESPACE|ID|QUOTA|QUOTAROOT|ACL|LISTRIGHTS|MYRIGHTS|METADATA|VANISHED|UIDBATCHES)(?= |$)/;
const numbered = /^(\d+) (EXISTS|RECENT|EXPUNGE|FETCH|UIDFETCH)(?: |$)/;
const tag = /^(?:(?![(){%*"\\+])[!-~])+ (?=OK |NO |BAD )/;
const status = /^(?:OK|NO|BAD|BYE|PREAUTH) /;
/** The text of a status response: no control characters; octets above 127 only as UTF-8. */
const plainText = /^[ -~\x80-\xff]*$/;
const literalHead = /^~?\{(\d{1,10})\}\r\n/;
const atom = /^(?:(?![(){"\\])[!-~])+|^\\(?:\*|(?:(?![(){%*"\\])[!-~])+)/;
const quoted = /^"(?:(?!["\\])[\t -\xff]|\\["\\])*"/;

export interface Reading {
  /** What is wrong with the octets. Undefined when nothing is. */
  readonly fault?: string;
  /** Status responses, tagged and untagged, without their line ends. */
  readonly statuses: readonly string[];
  /** Whether the octets end at the end of a response. */
  readonly isComplete: boolean;
}

/** Reads the output of a server. Each character is one octet. */
export function readResponses(octets: string): Reading {
  const statuses: string[] = [];
  let at = 0;
  while (at < octets.length) {
    const end = octets.indexOf("\r\n", at);
    if (end < 0) return { statuses, isComplete: false };
    const line = octets.slice(at, end);
    const body = line.startsWith("* ") ? line.slice(2) : line;
    if (line.startsWith("+")) {
      if (!line.startsWith("+ ") || !plainText.test(line))
        return { statuses, isComplete: true, fault: faultOf("continuation", line) };
      at = end + 2;
    } else if (body === line ? tag.test(line) : status.test(body)) {
      const fault = statusFault(body.replace(tag, ""));
      if (fault !== undefined) return { statuses, isComplete: true, fault };
      statuses.push(line);
      at = end + 2;
    } else {
      const name = body === line ? null : (numbered.exec(body) ?? untaggedNames.exec(body));
      if (name === null) return { statuses, isComplete: true, fault: faultOf("unknown response", line) };
      const read = readValues(octets, at + 2, name[2] === "FETCH" || name[2] === "UIDFETCH");
      if (typeof read === "string") return { statuses, isComplete: true, fault: faultOf(read, line) };
      if (read === undefined) return { statuses, isComplete: false };
      at = read;
    }
  }
  return { statuses, isComplete: true };
}

function faultOf(what: string, line: string): string {
  return `${what}: ${JSON.stringify(line.slice(0, 300))}`;
}

function statusFault(line: string): string | undefined {
  if (!plainText.test(line)) return faultOf("control character in a status", line);
  const code = / \[/.test(line.slice(0, 10)) ? /^[A-Z]+ \[[^\]]+\] (?=.)/ : /^[A-Z]+ (?=.)/;
  return code.test(line.replace(/"(?:[^"\\]|\\.)*"/g, "x"))
    ? undefined
    : faultOf("status without its text", line);
}

/** Reads values with single spaces between them to the end of the response. Returns the position of the end, a fault, or undefined when
 *  the end has not arrived yet. `hasPairs`: the first list has pairs of names and values. */
function readValues(octets: string, from: number, hasPairs: boolean): number | string | undefined {
  let at = from;
  let depth = 0;
  let isAfterValue = false;
  for (;;) {
    const rest = octets.slice(at, at + 200_000);
    if (rest.startsWith("\r\n")) return depth === 0 ? at + 2 : "parentheses that are not closed";
    if (rest === "" || rest === "\r") return undefined;
    if (rest[0] === " ") {
      // One space at the end of a response is accepted, as in "* SEARCH ". Any other extra space is a fault.
      if (!isAfterValue) return "space too many";
      isAfterValue = false;
      at++;
    } else if (rest[0] === "(") {
      depth++;
      isAfterValue = false;
      at++;
    } else if (rest[0] === ")") {
      if (--depth < 0) return "parenthesis too many";
      isAfterValue = true;
      at++;
    } else {
      const taken = valueLength(rest, hasPairs && depth === 1);
      // CHAR8 has no NUL: only a literal8 may have it.
      if (rest[0] !== "~" && taken !== undefined && octets.slice(at, at + taken).includes("\0"))
        return "NUL outside of a literal8";
      if (taken === undefined)
        return rest.includes("\r\n") || rest.length > 100_000
          ? `no value at ${rest.slice(0, 40)}`
          : undefined;
      if (isAfterValue) return "values without a space between";
      at += taken;
      isAfterValue = true;
      if (at > octets.length) return undefined;
    }
  }
}

/** The number of octets of the value at the start of the text. */
function valueLength(text: string, isFetchItem: boolean): number | undefined {
  const literal = literalHead.exec(text);
  if (literal !== null) return literal[0].length + Number(literal[1]);
  const string = quoted.exec(text);
  if (string !== null) return string[0].length;
  if (isFetchItem) {
    const section = /^(?:BODY|BINARY|BINARY\.SIZE)\[/.exec(text);
    if (section !== null) return sectionLength(text, section[0].length);
  }
  return atom.exec(text)?.[0].length;
}

/** The end of `BODY[HEADER.FIELDS ("x" {1}CRLFy)]<0>`: header names are astrings, which may be literals. */
function sectionLength(text: string, from: number): number | undefined {
  let at = from;
  while (text[at] !== "]") {
    const rest = text.slice(at, at + 5000);
    const literal = literalHead.exec(rest);
    if (literal !== null) at += literal[0].length + Number(literal[1]);
    else {
      const taken = quoted.exec(rest)?.[0].length ?? /^[^\]\r\n"{]+/.exec(rest)?.[0].length;
      if (taken === undefined) return undefined;
      at += taken;
    }
  }
  return at + (/^\](?:<\d+>)?/.exec(text.slice(at, at + 20))?.[0].length ?? 0);
}
