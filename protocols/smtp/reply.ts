/** Replies (RFC 5321 section 4.2) with their enhanced status code (RFC 3463, RFC 2034). */

export interface Reply {
  readonly code: number;
  /** "5.1.1"; undefined for the replies that carry none: greeting, EHLO, 3yz. */
  readonly status: string | undefined;
  readonly text: string;
}

export function reply(code: number, status: string | undefined, text: string): Reply {
  return { code, status, text };
}

/** A command that is answered with an error of the wire: syntax, order, an extension not offered. What the domain refuses is
 *  a `WaypostError`. */
export class Refusal extends Error {
  readonly reply: Reply;
  constructor(code: number, status: string, text: string) {
    super(text);
    this.name = "Refusal";
    this.reply = { code, status, text };
  }
}

/** The text of a reply as one line of printable ASCII: nothing that a peer or an error brought can end the line. */
export function formatReply({ code, status, text }: Reply): string {
  const line = text.replace(/[^\x20-\x7e]+/g, " ");
  return status === undefined ? `${code} ${line}` : `${code} ${status} ${line}`;
}
