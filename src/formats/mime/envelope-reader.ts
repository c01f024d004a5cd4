/** Reads the fields that SORT needs from ENVELOPE wire text that `envelope.ts` wrote. */

export interface EnvelopeAddress {
  readonly name: string | undefined;
  /** The local part; for the start of a group, the group's name. */
  readonly mailbox: string | undefined;
  /** undefined: the start or end of a group. */
  readonly host: string | undefined;
}

/** First addresses of the fields, as octet strings. */
export interface EnvelopeHeads {
  readonly from: EnvelopeAddress | undefined;
  readonly to: EnvelopeAddress | undefined;
  readonly cc: EnvelopeAddress | undefined;
}

/** From, to and cc are the third, sixth and seventh of ten. */
export function readEnvelopeHeads(envelope: string): EnvelopeHeads {
  const reader = new EnvelopeText(envelope);
  reader.skip("(");
  reader.nstring();
  reader.skip(" ");
  reader.nstring();
  const lists: (EnvelopeAddress | undefined)[] = [];
  for (let list = 0; list < 5; list++) {
    reader.skip(" ");
    lists.push(reader.addresses());
  }
  return { from: lists[0], to: lists[3], cc: lists[4] };
}

class EnvelopeText {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  skip(character: string): void {
    if (this.#text[this.#at] === character) this.#at++;
  }

  nstring(): string | undefined {
    const text = this.#text;
    const first = text[this.#at];
    if (first === '"') {
      let end = this.#at + 1;
      let hasEscape = false;
      while (end < text.length && text[end] !== '"') {
        if (text[end] === "\\") {
          hasEscape = true;
          end++;
        }
        end++;
      }
      const content = text.slice(this.#at + 1, end);
      this.#at = end + 1;
      return hasEscape ? content.replace(/\\(.)/g, "$1") : content;
    }
    if (first === "{") {
      const close = text.indexOf("}", this.#at);
      const start = close + 3;
      const end = start + Number(text.slice(this.#at + 1, close));
      this.#at = end;
      return text.slice(start, end);
    }
    this.#at += 3;
    return undefined;
  }

  /** Returns the first address of a list and moves past the list. */
  addresses(): EnvelopeAddress | undefined {
    if (this.#text[this.#at] !== "(") {
      this.#at += 3;
      return undefined;
    }
    this.#at++;
    let head: EnvelopeAddress | undefined;
    while (this.#text[this.#at] === "(") {
      this.#at++;
      const name = this.nstring();
      this.skip(" ");
      this.nstring();
      this.skip(" ");
      const mailbox = this.nstring();
      this.skip(" ");
      const host = this.nstring();
      this.skip(")");
      head ??= { name, mailbox, host };
    }
    this.skip(")");
    return head;
  }
}
