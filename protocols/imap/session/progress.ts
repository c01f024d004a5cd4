/** Tells a client that its command is still running (RFC 9585), so that it does not give up, and bounds how long the command runs
 *  without a response of its own.
 *  resp-text-code = "INPROGRESS" SP "(" (quoted-tag / "NIL") SP "NIL" SP "NIL" ")" */
import { every } from "#/src/model/background.ts";
import { commandSilenceMsMax, progressMs } from "../limits.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";

/** The progress of the commands of one connection, one at a time. Its timer stays for the next command, because a timer of its own would
 *  be a part of the time of a short one. */
export class CommandProgress implements Disposable {
  readonly #out: ResponseWriter;
  readonly #onOverdue: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** undefined between commands. */
  #tag: string | undefined;
  #saidBefore = 0;
  #silentMs = 0;

  /** `onOverdue` is called once for a command that has written nothing for too long. The time in which the client has to read does not
   *  count: the connection bounds that. */
  constructor(out: ResponseWriter, onOverdue: () => void) {
    this.#out = out;
    this.#onOverdue = onOverdue;
  }

  /** Sends INPROGRESS from now until `end`, except while another response is being written. */
  begin(tag: string): void {
    this.#tag = tag;
    this.#saidBefore = this.#out.lineCount;
    this.#silentMs = 0;
    if (this.#timer === undefined) this.#timer = every(progressMs, () => this.#tell()).unref();
    else this.#timer.refresh();
  }

  end(): void {
    this.#tag = undefined;
  }

  #tell(): void {
    const tag = this.#tag;
    if (tag === undefined) {
      this[Symbol.dispose]();
      return;
    }
    const out = this.#out;
    const hasSaid = out.lineCount !== this.#saidBefore || out.isWaitingForReader;
    this.#silentMs = hasSaid ? 0 : this.#silentMs + progressMs;
    if (this.#silentMs >= commandSilenceMsMax) {
      this[Symbol.dispose]();
      this.#onOverdue();
      return;
    }
    if (out.isBetweenLines && out.lineCount === this.#saidBefore) {
      // A "]" would end the response code (section 4).
      out.line(`* OK [INPROGRESS (${tag.includes("]") ? "NIL" : `"${tag}"`} NIL NIL)] Still at work`);
      // The command itself notices a peer that has gone.
      out.flush().catch(() => {});
    }
    this.#saidBefore = out.lineCount;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
