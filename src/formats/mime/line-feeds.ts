/** Finds the line ends of a message. It reads four octets at a time, because few octets of a large message are line ends. One search of
 *  Node for each line of a Base64 body takes more time. */

const lineFeed = 10;

export class LineFeeds {
  readonly #bytes: Uint8Array;
  /** The octets as words of four. The first word may begin before the first octet. */
  readonly #words: Int32Array;
  readonly #offset: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#offset = bytes.byteOffset & 3;
    const start = bytes.byteOffset - this.#offset;
    this.#words = new Int32Array(bytes.buffer, start, (this.#offset + bytes.length) >> 2);
  }

  /** The position of the first LF at or after `at`; the number of octets if there is none. */
  nextFrom(at: number): number {
    const bytes = this.#bytes;
    const words = this.#words;
    const offset = this.#offset;
    let position = at;
    while (position < bytes.length && ((position + offset) & 3) !== 0) {
      if (bytes[position] === lineFeed) return position;
      position++;
    }
    let word = (position + offset) >> 2;
    while (word < words.length && !hasLineFeed(words[word]!)) word++;
    position = Math.max(position, (word << 2) - offset);
    while (position < bytes.length && bytes[position] !== lineFeed) position++;
    return Math.min(position, bytes.length);
  }
}

/** Whether one of the four octets is LF. The XOR changes an LF to 0. Only for the octet 0 does subtracting 1 set a highest bit that was
 *  not set before. */
function hasLineFeed(word: number): boolean {
  const zeroed = word ^ 0x0a0a0a0a;
  return ((zeroed - 0x01010101) & ~zeroed & 0x80808080) !== 0;
}
