import { takeMemory } from "#/src/model/octet-memory.ts";
import { outputChunkBytes } from "../limits.ts";

/** Gathers responses into chunks and gives them to the connection, which waits for the peer. Text is one character for one octet.
 *  Nothing is checked here, so text of a message or a client has to go through `strings.ts` first. */
export class ResponseWriter {
  readonly #write: (data: string | Uint8Array) => Promise<void>;
  #text = "";
  /** What comes before `#text`, and its octets. */
  #pieces: (string | Uint8Array)[] = [];
  #pieceBytes = 0;
  #lineCount = 0;
  #isBetweenLines = true;
  /** Writes that the peer has not taken yet. */
  #waiting = 0;

  constructor(write: (data: string | Uint8Array) => Promise<void>) {
    this.#write = async (data) => {
      this.#waiting++;
      try {
        await write(data);
      } finally {
        this.#waiting--;
      }
    };
  }

  /** Whether the peer has to read before more is written. */
  get isWaitingForReader(): boolean {
    return this.#waiting > 0;
  }

  /** How many lines were written. */
  get lineCount(): number {
    return this.#lineCount;
  }

  /** Whether the last line is complete, so that another may follow. */
  get isBetweenLines(): boolean {
    return this.#isBetweenLines;
  }

  /** `text` and CRLF. */
  line(text: string): void {
    this.#text += `${text}\r\n`;
    this.#lineCount++;
    this.#isBetweenLines = true;
  }

  text(text: string): void {
    this.#text += text;
    this.#isBetweenLines = false;
  }

  /** Text of a message: what is long is copied once, into what is given to the connection. */
  octets(octets: string | Uint8Array): void {
    this.#isBetweenLines = false;
    if (typeof octets === "string" && octets.length < longPiece) {
      this.#text += octets;
      return;
    }
    this.#pieces.push(this.#text, octets);
    this.#pieceBytes += this.#text.length + octets.length;
    this.#text = "";
  }

  /** Writes octets directly, for amounts too large to be made text. */
  async bytes(bytes: Uint8Array): Promise<void> {
    await this.flush();
    await this.#write(bytes);
  }

  /** Whether enough is gathered to flush. */
  get isLarge(): boolean {
    return this.#pieceBytes + this.#text.length >= outputChunkBytes;
  }

  /** To be called in every loop that writes: bounds the gathered text and waits for a slow peer. */
  async flushIfLarge(): Promise<void> {
    if (this.isLarge) await this.flush();
  }

  async flush(): Promise<void> {
    const text = this.#text;
    this.#text = "";
    if (this.#pieces.length > 0) await this.#write(this.#takePieces(text));
    else if (text !== "") await this.#write(text);
  }

  /** The pieces and what is behind them. */
  #takePieces(text: string): Uint8Array {
    const bytes = takeMemory(this.#pieceBytes + text.length);
    let at = 0;
    for (const piece of [...this.#pieces, text]) {
      if (typeof piece === "string") bytes.write(piece, at, "latin1");
      else bytes.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [];
    this.#pieceBytes = 0;
    return bytes;
  }
}

/** From here on a text that is joined with others would be copied twice more, and be garbage three times. */
const longPiece = 512;
