import { giveBackMemory, takeMemory } from "#/src/model/octet-memory.ts";
import { outputChunkBytes } from "../limits.ts";

/** Where responses go. */
export interface ResponseSink {
  /** Resolves when more may be written. */
  write(data: string | Uint8Array): Promise<void>;
  /** Whether everything written so far has left this process, so that its memory can be used for something else. */
  readonly hasSentAll: boolean;
}

/** Gathers responses into chunks and gives them to the connection, which waits for the peer. Text is one character for one octet.
 *  Nothing is checked here, so text of a message or a client has to go through `strings.ts` first. */
export class ResponseWriter {
  readonly #sink: ResponseSink;
  #text = "";
  /** What comes before `#text`, and its octets. */
  #pieces: (string | Uint8Array)[] = [];
  #pieceBytes = 0;
  #lineCount = 0;
  #isBetweenLines = true;
  /** Writes that the peer has not taken yet. */
  #waiting = 0;

  constructor(sink: ResponseSink) {
    this.#sink = sink;
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

  flush(): Promise<void> {
    const text = this.#text;
    if (this.#pieces.length === 0) {
      if (text === "") return nothingToWrite;
      this.#text = "";
      // A short text costs less as it is.
      return text.length > longPiece ? this.#writePieces([text], text.length) : this.#write(text);
    }
    const octets = this.#pieceBytes + text.length;
    const pieces = this.#pieces;
    if (text !== "") pieces.push(text);
    this.#text = "";
    this.#pieces = [];
    this.#pieceBytes = 0;
    return this.#writePieces(pieces, octets);
  }

  /** Most sockets take all of a write at once. Its memory then serves the next one of any connection. */
  #writePieces(pieces: readonly (string | Uint8Array)[], octets: number): Promise<void> {
    const isShort = octets <= sharedBytes;
    const memory = isShort ? (shared ?? takeMemory(sharedBytes)) : takeMemory(octets);
    if (isShort) shared = undefined;
    let at = 0;
    for (const piece of pieces) {
      if (typeof piece === "string") memory.write(piece, at, "latin1");
      else memory.set(piece, at);
      at += piece.length;
    }
    const writing = this.#write(memory.subarray(0, octets));
    if (!this.#sink.hasSentAll) return writing;
    if (isShort && shared === undefined) shared = memory;
    else giveBackMemory(memory);
    return writing;
  }

  #write(data: string | Uint8Array): Promise<void> {
    const writing = this.#sink.write(data);
    // Most often: then there is nothing to wait for.
    if (this.#sink.hasSentAll) return writing;
    this.#waiting++;
    return writing.finally(() => {
      this.#waiting--;
    });
  }
}

const nothingToWrite = Promise.resolve();

/** Memory of the last write, which no connection uses any more. */
let shared: Buffer<ArrayBuffer> | undefined;
/** Room for what is gathered before it is flushed, with a message behind it. */
const sharedBytes = 3 * outputChunkBytes;

/** From here on a text that is joined with others would be copied twice more, and be garbage three times. */
const longPiece = 512;
