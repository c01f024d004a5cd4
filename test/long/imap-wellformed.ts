/** Whether what a server says is IMAP (RFC 9051 section 9), whatever was asked: the frame of every response, the values in
 *  it, and no octet where it may not be. Says what is wrong, or nothing. */

const untaggedNames =
  /^(?:CAPABILITY|ENABLED|FLAGS|LIST|LSUB|XLIST|STATUS|SEARCH|ESEARCH|SORT|THREAD|NAMESPACE|ID|QUOTA|QUOTAROOT|ACL|LISTRIGHTS|MYRIGHTS|METADATA|VANISHED|UIDBATCHES)(?= |$)/;
const numbered = /^(\d+) (EXISTS|RECENT|EXPUNGE|FETCH|UIDFETCH)(?: |$)/;
const tag = /^(?:(?![(){%*"\\+])[!-~])+ (?=OK |NO |BAD )/;
const status = /^(?:OK|NO|BAD|BYE|PREAUTH) /;
/** Text of a status: no control character; 8-bit only as UTF-8. */
const plainText = /^[ -~\x80-\xff]*$/;
const literalHead = /^~?\{(\d{1,10})\}\r\n/;
const atom = /^(?:(?![(){"\\])[!-~])+|^\\(?:\*|(?:(?![(){%*"\\])[!-~])+)/;
const quoted = /^"(?:(?!["\\])[\t -\xff]|\\["\\])*"/;

export interface Reading {
  /** What is wrong with the octets; undefined while nothing is. */
  readonly fault?: string;
  /** Status lines, tagged and untagged, without their line end. */
  readonly statuses: readonly string[];
  /** Whether the octets end where a response does. */
  readonly isComplete: boolean;
}

/** Reads what a server has said, one character for one octet. */
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

/** Values with single spaces between, to the end of the response. Where it ends, undefined when it has not come yet, or a
 *  fault. `hasPairs`: the first list is names and values. */
function readValues(octets: string, from: number, hasPairs: boolean): number | string | undefined {
  let at = from;
  let depth = 0;
  let isAfterValue = false;
  for (;;) {
    const rest = octets.slice(at, at + 200_000);
    if (rest.startsWith("\r\n")) return depth === 0 ? at + 2 : "parentheses that are not closed";
    if (rest === "" || rest === "\r") return undefined;
    if (rest[0] === " ") {
      // "* SEARCH" and "* SORT" may end in nothing; no other space is superfluous.
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
      // CHAR8: NUL is in a literal8 alone.
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

/** How many octets the value at the start of the text takes. */
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

/** `BODY[HEADER.FIELDS ("x" {1}CRLFy)]<0>`: header names are astrings. */
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
