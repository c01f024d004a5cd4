import { outputChunkBytes } from "../limits.ts";

/** Gathers responses into chunks and gives them to the connection, which waits for the peer. Text is one character for one octet.
 *  Nothing is checked here, so text of a message or a client has to go through `strings.ts` first. */
export class ResponseWriter {
  readonly #write: (data: string | Uint8Array) => Promise<void>;
  #text = "";
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

  /** Writes octets directly, for amounts too large to be made text. */
  async bytes(bytes: Uint8Array): Promise<void> {
    await this.flush();
    await this.#write(bytes);
  }

  /** Whether enough is gathered to flush. */
  get isLarge(): boolean {
    return this.#text.length >= outputChunkBytes;
  }

  /** To be called in every loop that writes: bounds the gathered text and waits for a slow peer. */
  async flushIfLarge(): Promise<void> {
    if (this.isLarge) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#text === "") return;
    const text = this.#text;
    this.#text = "";
    await this.#write(text);
  }
}
