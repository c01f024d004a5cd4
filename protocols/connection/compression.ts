/** DEFLATE in both directions of a connection (RFC 4978, RFC 1951): raw blocks, flushed to an octet boundary after each write, so
 *  that the peer can read what it was sent. Input is inflated only when it is asked for, never ahead. */
import { constants, createDeflateRaw, createInflateRaw, type DeflateRaw, type InflateRaw } from "node:zlib";

/** At the lowest level answers shrink to a third. The highest level makes them a tenth smaller for five times the work. */
const level = 1;
/** Octets that may come out of one octet of input. Text is below 20; the maximum of DEFLATE is 1,032. */
const ratioMax = 100;
/** The ratio is not checked below this many octets in all: a message of nothing but zeros may be appended. */
const slackBytes = 64 * 1024 * 1024;

export class Compression {
  readonly #deflate: DeflateRaw = createDeflateRaw({ level });
  readonly #inflate: InflateRaw = createInflateRaw({ flush: constants.Z_SYNC_FLUSH });
  readonly #onProgress: () => void;
  /** The last octets given to be inflated. */
  #last: Buffer = noBytes;
  #takenBytes = 0;
  #givenBytes = 0;

  /** `send` gets the compressed octets, `onProgress` is called when there may be something to read, `onBroken` when the input is not
   *  DEFLATE. */
  constructor(options: {
    readonly send: (chunk: Buffer) => void;
    readonly onProgress: () => void;
    readonly onBroken: () => void;
  }) {
    this.#onProgress = options.onProgress;
    this.#deflate.on("data", options.send);
    this.#deflate.on("error", options.onBroken);
    this.#inflate.on("readable", options.onProgress);
    this.#inflate.on("end", options.onProgress);
    this.#inflate.on("error", options.onBroken);
  }

  /** Whether all given input is inflated, so that more can be given. */
  get isHungry(): boolean {
    return this.#inflate.writableLength === 0;
  }

  /** The peer has ended its stream, and all of it was read. */
  get isOver(): boolean {
    return this.#inflate.readableEnded;
  }

  /** More came out than mail can explain: the input is an attack on the server's memory or time. */
  get isExcessive(): boolean {
    return this.#givenBytes > slackBytes + ratioMax * this.#takenBytes;
  }

  feed(chunk: Buffer): void {
    this.#last = chunk;
    this.#takenBytes += chunk.length;
    this.#inflate.write(chunk, this.#onProgress);
  }

  /** Inflated octets, at most a few blocks. */
  read(): Buffer | null {
    const chunk = this.#inflate.read() as Buffer | null;
    this.#givenBytes += chunk?.length ?? 0;
    return chunk;
  }

  /** Compresses data. Resolves when all of it was given to `send`. */
  async write(data: string | Uint8Array): Promise<void> {
    if (typeof data === "string") this.#deflate.write(data, "latin1");
    else this.#deflate.write(data);
    await new Promise<void>((resolve) => this.#deflate.flush(constants.Z_SYNC_FLUSH, () => resolve()));
  }

  /** Ends both streams. Gives the octets behind the end of the peer's stream, which are not compressed. */
  async end(): Promise<Buffer> {
    await new Promise<void>((resolve) => {
      this.#deflate.once("end", resolve);
      this.#deflate.end();
    });
    const unread = this.#takenBytes - this.#inflate.bytesWritten;
    this.destroy();
    return this.#last.subarray(this.#last.length - unread);
  }

  destroy(): void {
    this.#deflate.destroy();
    this.#inflate.destroy();
  }
}

const noBytes: Buffer = Buffer.alloc(0);
