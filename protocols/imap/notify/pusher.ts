/** Sends the events of NOTIFY while no command is in progress (RFC 5465 section 3.1): from the end of one command until the next
 *  has been read, or until its first octets have come. One for a connection. */

import { after } from "#/src/model/background.ts";
import { isTemporary, readAgainMs } from "../errors.ts";
import type { Session, Watch } from "../session/session.ts";
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

  /** Sends events until the command is read. Resolves with the command when no event is being written any more. */
  pushWhile<T>(reading: Promise<T>): Promise<T> {
    const { watch } = this.#session;
    return watch?.isNotify === true ? this.#pushWhile(reading, watch) : reading;
  }

  async #pushWhile<T>(reading: Promise<T>, watch: Watch): Promise<T> {
    this.#isStopped = false;
    const selected = this.#session.state === "selected" ? this.#session.selected : undefined;
    const failed = Promise.withResolvers<never>();
    let again: NodeJS.Timeout | undefined;
    const push = (): void => {
      if (this.#isStopped) return;
      this.#pushing = this.#pushing
        .then(() => this.#push())
        .catch((error: unknown) => {
          if (!isTemporary(error)) return failed.reject(error);
          clearTimeout(again);
          again = after(readAgainMs, push);
        });
    };
    // The first failure ends the connection; the second must not become an unhandled rejection.
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
      clearTimeout(again);
    }
  }

  /** Stops sending events. */
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
