import { SMTPStream } from "smtp-server/lib/smtp-stream.js";
import { giveBackOwnMemory } from "#/src/model/octet-memory.ts";
import type { DataReader } from "./data-reader.ts";

type Callback = (error?: Error | null) => void;

/** The command parser of `smtp-server`, with a reader of this project for the octets after DATA.
 *
 *  The package gives these octets as a stream of chunks, with a turn of the event loop for each stuffed dot, and does not check line
 *  ends. This class uses the private names `_dataMode`, `_remainder`, `_feedDataStream` and `_flushData` of version 3.21.6, which is
 *  pinned for this reason. */
export class MailStream extends SMTPStream {
  #reader: DataReader | undefined;
  #onProgress: (octets: number) => void = () => {};
  #onEnd: (resume: () => void) => void = (resume) => resume();

  /** The next octets are a message. `onEnd` gets a function that continues with the commands behind the message. */
  beginData(
    reader: DataReader,
    onProgress: (octets: number) => void,
    onEnd: (resume: () => void) => void,
  ): void {
    this.#reader = reader;
    this.#onProgress = onProgress;
    this.#onEnd = onEnd;
    this._dataMode = true;
  }

  override _feedDataStream(chunk: Buffer, done: Callback): void {
    const used = this.#reader!.read(chunk);
    if (used < 0) {
      const { length } = chunk;
      // The reader has copied it. What waits for a collection of garbage makes them more frequent.
      giveBackOwnMemory(chunk);
      this.#onProgress(length);
      if (isTurnUsedUp(length)) setImmediate(done);
      else done();
      return;
    }
    this.#reader = undefined;
    this._dataMode = false;
    this._remainder = "";
    this.#onEnd(() => this._write(chunk.subarray(used), "buffer", done));
  }

  /** When the peer closes, the package would run the text after the last line end; an incomplete command must not run. */
  override _flushData(): void {}
}

/** Octets of messages that one turn of the event loop reads from all connections. After that each connection gives one more chunk and
 *  waits for the next turn. Without this limit fifty fast senders block the event loop for a tenth of a second. */
const turnBytesMax = 256 * 1024;
let turnBytes = 0;

function isTurnUsedUp(bytes: number): boolean {
  if (turnBytes === 0)
    setImmediate(() => {
      turnBytes = 0;
    });
  turnBytes += bytes;
  return turnBytes > turnBytesMax;
}
