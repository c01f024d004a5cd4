/** Replies of other servers (RFC 5321 section 4.2, RFC 2034): a code, an enhanced status code, and a text for people. */

export interface Reply {
  readonly code: number;
  /** Enhanced status code (RFC 3463); class.0.0 if the server gave none. */
  readonly status: string;
  /** One line of printable characters. */
  readonly text: string;
}

/** Characters of the text: what fits a notification. */
const textCharactersMax = 1000;

export function readReply(response: string | undefined): Reply | undefined {
  const match = /^([2345])(\d\d)(?:[ -](?:([245]\.\d{1,3}\.\d{1,3})(?=\s|$))?|$)/.exec(response ?? "");
  if (match === null) return undefined;
  const [, kind, , given] = match;
  // A status of another class than the code is a mistake of the server; the code counts.
  const status = given?.[0] === kind ? given! : `${kind}.0.0`;
  return { code: Number(kind! + match[2]), status, text: printableText(response!) };
}

export function isPermanent({ code }: Reply): boolean {
  return code >= 500;
}

export function isPositive({ code }: Reply): boolean {
  return code < 400;
}

/** Text of another server as one line that is safe in a terminal and in a header field. */
export function printableText(text: string): string {
  const line = text
    .replace(/\r?\n(?:\d{3}[ -](?:[245]\.\d{1,3}\.\d{1,3} )?)?/g, " ")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\p{Cf}]/gu, " ");
  return line.length > textCharactersMax ? `${line.slice(0, textCharactersMax)}…` : line;
}
