/** When an open stream is looked at although nothing has happened to it: after each quiet interval, so that its reader sees that it is
 *  open, and when the credential that opened it ends. */
import { after } from "#/src/model/background.ts";

export interface QuietStream {
  /** Looks whether the credential still holds, and sends what there is, or else a line that says nothing. */
  becomeQuiet(): unknown;
}

const timerMaxMs = 2 ** 31 - 1;

export class StreamTimers {
  readonly #stream: QuietStream;
  #quiet: NodeJS.Timeout | undefined;
  #end: NodeJS.Timeout | undefined;

  constructor(quietMs: number, stream: QuietStream) {
    this.#stream = stream;
    this.#quiet = after(quietMs, becomeQuiet, stream);
  }

  /** Something was sent: the quiet interval begins anew. */
  refresh(): void {
    this.#quiet?.refresh();
  }

  /** In how many milliseconds the credential ends. An end too far away for a timer is seen after a quiet interval. */
  endsIn(ms: number): void {
    clearTimeout(this.#end);
    const isSoon = ms < timerMaxMs && this.#quiet !== undefined;
    this.#end = isSoon ? after(ms, becomeQuiet, this.#stream) : undefined;
  }

  stop(): void {
    clearTimeout(this.#quiet);
    // `refresh` would start the timer again.
    this.#quiet = undefined;
    clearTimeout(this.#end);
  }
}

function becomeQuiet(stream: QuietStream): unknown {
  return stream.becomeQuiet();
}
