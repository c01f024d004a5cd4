/** The message in the chunks of BDAT (RFC 3030 section 2): so many octets as the command says, whatever they are.
 *
 *  There is no end to look for and there are no dots to remove. A CR or LF alone (RFC 5321 section 2.3.8) makes the message
 *  unacceptable all the same: only BODY=BINARYMIME, which is not offered, allows it, and a server that gets the message
 *  by DATA from here could take it for the end of a line. */
import { MessageOctets } from "./message-octets.ts";

const carriageReturn = 13;
const lineFeed = 10;

export class BdatReader extends MessageOctets {
  #left = 0;
  #isAfterCr = false;

  /** The next so many octets are a chunk. */
  beginChunk(octets: number): void {
    this.#left = octets;
    this.expect(octets);
  }

  /** Reads octets of the chunk. Gives the number of octets used if the end of the chunk is among them, else -1. */
  read(octets: Uint8Array): number {
    const end = Math.min(octets.length, this.#left);
    if (this.problem === undefined) this.#look(octets, end);
    this.keep(octets, 0, end);
    this.#left -= end;
    return this.#left === 0 ? end : -1;
  }

  /** The last chunk has come. */
  endMessage(): void {
    if (this.#isAfterCr) this.refuse("bare_line_end");
  }

  #look(octets: Uint8Array, end: number): void {
    let isAfterCr = this.#isAfterCr;
    for (let at = 0; at < end; at++) {
      let octet = octets[at]!;
      if (!isAfterCr) while (octet > carriageReturn && at < end - 1) octet = octets[++at]!;
      if (isAfterCr !== (octet === lineFeed)) {
        this.refuse("bare_line_end");
        return;
      }
      isAfterCr = octet === carriageReturn;
    }
    this.#isAfterCr = isAfterCr;
  }
}

export interface BdatCommand {
  readonly octets: number;
  readonly isLast: boolean;
}

/** BDAT SP chunk-size [SP "LAST"]; undefined: nobody knows how many octets follow. A number that is too large to be exact is larger than
 *  everything that is read. */
export function parseBdat(line: Uint8Array): BdatCommand | undefined {
  const match = /^BDAT +([0-9]{1,20})( +LAST)? *$/i.exec(Buffer.from(line).toString("latin1"));
  return match === null ? undefined : { octets: Number(match[1]), isLast: match[2] !== undefined };
}
