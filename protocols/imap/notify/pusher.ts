/** Tells what NOTIFY asked for while no command is in progress (RFC 5465 section 3.1): from the end of one command until the
 *  next has been read, or has begun as far as this side can know. */

import type { Session } from "../session/session.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";

export class Pusher {
  readonly #session: Session;
  readonly #out: ResponseWriter;
  #isStopped = false;
  #pushing: Promise<void> = Promise.resolve();

  constructor(session: Session, out: ResponseWriter) {
    this.#session = session;
    this.#out = out;
  }

  /** The command, once it is read and nothing is being told any more. */
  async pushWhile<T>(reading: Promise<T>): Promise<T> {
    const { watch } = this.#session;
    if (!watch?.isNotify) return reading;
    const selected = this.#session.state === "selected" ? this.#session.selected : undefined;
    const failed = Promise.withResolvers<never>();
    const push = (): void => {
      if (this.#isStopped) return;
      this.#pushing = this.#pushing.then(() => this.#push()).catch(failed.reject);
    };
    // Whichever fails first ends the connection; the other must not be a failure that nobody awaits.
    failed.promise.catch(() => {});
    reading.catch(() => {});
    watch.onRing(push);
    selected?.onRing(push);
    try {
      return await Promise.race([reading, failed.promise]);
    } finally {
      watch.onRing(undefined);
      selected?.onRing(undefined);
      await this.stop();
    }
  }

  /** Nothing more is told from here on. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#pushing;
  }

  async #push(): Promise<void> {
    const { watch } = this.#session;
    if (watch === undefined || this.#isStopped) return;
    await this.#session.assertCurrent();
    if (this.#session.state === "selected")
      await this.#session.selected.tell(this.#out, this.#session.tellOptions(watch.isImmediate, true));
    await watch.tell(this.#out);
    await this.#out.flush();
  }
}
