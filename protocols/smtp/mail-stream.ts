import { SMTPStream } from "smtp-server/lib/smtp-stream.js";
import { soon } from "#/src/model/background.ts";
import { giveBackOwnMemory } from "#/src/model/octet-memory.ts";
import { commandLineBytesMax } from "./limits.ts";

type Callback = (error?: Error | null) => void;

/** Reads octets of a message. */
export interface OctetReader {
  /** The number of octets used if the end of what it reads is among them, else -1. */
  read(octets: Uint8Array): number;
}

const lineFeed = 10;
const carriageReturn = 13;
/** Commands and chunks that are handled one after the other before other connections have their turn. */
const stepsOfTurn = 100;

/** The command parser of `smtp-server`, with readers of this project for the octets of messages.
 *
 *  The package gives these octets as a stream of chunks, with a turn of the event loop for each stuffed dot, does not check line
 *  ends, knows no chunks of BDAT, and copies what is left of a packet for each of its parts. Of the package only the names `oncommand`
 *  and `isClosed` and the error event are used, of version 3.21.6, which is pinned for this reason. */
export class MailStream extends SMTPStream {
  #reader: OctetReader | undefined;
  #onProgress: (octets: number) => void = () => {};
  #onEnd: (resume: () => void) => void = (resume) => resume();
  /** The beginning of a command line. */
  #line = Buffer.alloc(0);

  /** The next octets are a message, or a part of one. `onEnd` gets a function that continues with the commands behind it. */
  beginData(
    reader: OctetReader,
    onProgress: (octets: number) => void,
    onEnd: (resume: () => void) => void,
  ): void {
    this.#reader = reader;
    this.#onProgress = onProgress;
    this.#onEnd = onEnd;
  }

  get isReadingMessage(): boolean {
    return this.#reader !== undefined;
  }

  override _write(packet: Buffer, _encoding: BufferEncoding, done: Callback): void {
    this.#run(packet, 0, done);
  }

  /** Handles what is in a packet from a position on. A step that is answered later goes on in a call of its own. */
  #run(packet: Buffer, from: number, done: Callback): void {
    let at = from;
    for (let steps = 0; ; steps++) {
      if (this.isClosed || at >= packet.length) {
        done();
        return;
      }
      if (steps >= stepsOfTurn) {
        soon(() => this.#run(packet, at, done));
        return;
      }
      let hasResumed = false;
      let isLater = false;
      const resume = (): void => {
        if (hasResumed) return;
        hasResumed = true;
        if (isLater) this.#run(packet, at, done);
      };
      if (this.#reader !== undefined) {
        const used = this.#reader.read(at === 0 ? packet : packet.subarray(at));
        if (used < 0) {
          this.#askForMore(packet, at, done);
          return;
        }
        at += used;
        this.#reader = undefined;
        if (isTurnUsedUp(used)) steps = stepsOfTurn;
        this.#onEnd(resume);
      } else {
        const end = packet.indexOf(lineFeed, at);
        const line = Buffer.concat([this.#line, packet.subarray(at, end < 0 ? packet.length : end)]);
        this.#line = end < 0 ? line : Buffer.alloc(0);
        const isCut = line.at(-1) === carriageReturn;
        const text = isCut ? line.subarray(0, -1) : line;
        if (text.length > commandLineBytesMax || end < 0) {
          done(text.length > commandLineBytesMax ? new Error("The command line is too long") : null);
          return;
        }
        at = end + 1;
        this.oncommand(text, resume);
      }
      if (!hasResumed) {
        isLater = true;
        return;
      }
    }
  }

  #askForMore(packet: Buffer, from: number, done: Callback): void {
    const octets = packet.length - from;
    // The reader has copied it. What waits for a collection of garbage makes them more frequent.
    if (from === 0) giveBackOwnMemory(packet);
    this.#onProgress(octets);
    if (isTurnUsedUp(octets)) soon(done);
    else done();
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
    soon(() => {
      turnBytes = 0;
    });
  turnBytes += bytes;
  return turnBytes > turnBytesMax;
}
