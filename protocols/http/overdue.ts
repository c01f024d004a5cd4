/** Finds requests whose answer has not begun in time. They are looked through when the time of the oldest is over, so that a request needs no
 *  timer of its own. */
import type { ServerResponse } from "node:http";
import { after } from "#/src/model/background.ts";
import { forTheHouse } from "#/src/model/caller.ts";

export class OverdueAnswers {
  readonly #answerMs: number;
  /** When each began, the oldest first. */
  readonly #begun = new Map<ServerResponse, number>();
  #timer: NodeJS.Timeout | undefined;

  /** `answerMs`: how long an answer may take to begin. */
  constructor(answerMs: number) {
    this.#answerMs = answerMs;
  }

  add(response: ServerResponse, now: number): void {
    this.#begun.set(response, now);
    this.#timer ??= this.#lookAfter(this.#answerMs);
  }

  delete(response: ServerResponse): void {
    this.#begun.delete(response);
  }

  /** Keeps neither the request that it begins in nor the process. */
  #lookAfter(ms: number): NodeJS.Timeout {
    return forTheHouse(() => after(ms, this.#look)).unref();
  }

  /** Work that takes too long ends as if the client had closed the connection. */
  readonly #look = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    for (const [response, begunAt] of this.#begun) {
      const leftMs = begunAt + this.#answerMs - now;
      // A timer may be a millisecond early.
      if (leftMs >= 1) {
        this.#timer = this.#lookAfter(leftMs);
        return;
      }
      this.#begun.delete(response);
      if (!response.headersSent) response.destroy();
    }
  };
}
