import { SMTPStream } from "smtp-server/lib/smtp-stream.js";
import type { DataReader } from "./data-reader.ts";

type Callback = (error?: Error | null) => void;

/** The parser of `smtp-server` for commands, with our own reader for the octets after DATA.
 *
 *  The base hands them out as a stream of chunks, with a turn of the loop for each stuffed dot and without looking at line
 *  ends. It leans on `_dataMode`, `_remainder`, `_feedDataStream` and `_flushData` of 3.21.6, which is pinned for it. */
export class MailStream extends SMTPStream {
  #reader: DataReader | undefined;
  #onProgress: (octets: number) => void = () => {};
  #onEnd: (resume: () => void) => void = (resume) => resume();

  /** The next octets are a message. `onEnd` is given what makes the commands behind it run. */
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
      this.#onProgress(chunk.length);
      if (isTurnUsedUp(chunk.length)) setImmediate(done);
      else done();
      return;
    }
    this.#reader = undefined;
    this._dataMode = false;
    this._remainder = "";
    this.#onEnd(() => this._write(chunk.subarray(used), "buffer", done));
  }

  /** The base runs what stands behind the last line end when the peer closes; half a command is no command. */
  override _flushData(): void {}
}

/** Octets of messages that one turn of the loop takes from all connections; beyond them each connection gives one chunk more
 *  and waits for the next turn. Without a bound fifty fast senders keep the loop to themselves for a tenth of a second. */
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
