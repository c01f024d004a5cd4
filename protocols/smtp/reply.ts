/** Replies (RFC 5321 section 4.2) with their enhanced status code (RFC 3463, RFC 2034). */

export interface Reply {
  readonly code: number;
  /** "5.1.1"; undefined for the replies that have none: greeting, EHLO, 3yz. */
  readonly status: string | undefined;
  readonly text: string;
}

export function reply(code: number, status: string | undefined, text: string): Reply {
  return { code, status, text };
}

/** The refusal of a command because of the protocol: syntax, order, an extension that is not offered. Other refusals are a
 *  `WaypostError`. */
export class Refusal extends Error {
  readonly reply: Reply;
  constructor(code: number, status: string, text: string) {
    super(text);
    this.name = "Refusal";
    this.reply = { code, status, text };
  }
}

/** Characters of a line after the codes: with them and its end it has 512 at most (RFC 5321 section 4.5.3.1.5). */
const textCharactersMax = 490;

/** The text of a reply as one line of printable ASCII: text of a peer or an error cannot end the line. */
export function formatReply({ code, status, text }: Reply): string {
  const line = text
    .slice(0, 10 * textCharactersMax)
    .replace(/[^\x20-\x7e]+/g, " ")
    .slice(0, textCharactersMax);
  return status === undefined ? `${code} ${line}` : `${code} ${status} ${line}`;
}
