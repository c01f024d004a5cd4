/** How long one attempt may keep its carrier, whatever the other server says meanwhile. */

import type { Place } from "#/src/fairness/gate.ts";
import { shares } from "#/src/fairness/shares.ts";
import { after } from "#/src/model/background.ts";

export interface AttemptTimes {
  /** Before DATA it gives way after so long to an owner that has fewer carriers. */
  readonly yieldMs: number;
  /** Behind DATA it does so again. Filters that look into a message take up to 5 minutes before they answer. */
  readonly dataYieldMs: number;
  /** Behind DATA it ends after so long: RFC 5321 section 4.5.3.2.6 asks for 10 minutes. */
  readonly dataMs: number;
  /** Both are longer for a large message: a slow line takes so much of it. */
  readonly octetsPerSecond: number;
  /** Before DATA: a server that always has one more reply to wait for is waited for no longer. */
  readonly attemptMs: number;
}

export const defaultAttemptTimes: AttemptTimes = {
  yieldMs: shares.carriers.idleMs,
  dataYieldMs: 5 * 60_000,
  dataMs: 10 * 60_000,
  octetsPerSecond: 32 * 1024,
  attemptMs: 30 * 60_000,
};

export interface AttemptWatch extends Disposable {
  /** From now on the server may have the message. */
  beginData(octets: number): void;
}

export interface AttemptWatchOptions {
  readonly place: Place;
  readonly times: AttemptTimes;
  /** It has had its time. */
  end(): void;
  /** Somebody else needs the place. */
  leave(): void;
  /** The place may be taken from now on. */
  mayLeave(): void;
}

export function watchAttempt({ place, times, end, leave, mayLeave }: AttemptWatchOptions): AttemptWatch {
  let ending: NodeJS.Timeout | undefined;
  let yielding: NodeJS.Timeout | undefined;

  function begin(yieldMs: number, endMs: number): void {
    stop();
    ending = after(endMs, end);
    yielding = after(yieldMs, () => {
      place.giveWay(leave);
      mayLeave();
    });
  }

  function stop(): void {
    clearTimeout(ending);
    clearTimeout(yielding);
    place.giveWay(undefined);
  }

  begin(times.yieldMs, times.attemptMs);
  return {
    beginData(octets) {
      const lineMs = (octets / times.octetsPerSecond) * 1000;
      begin(times.dataYieldMs + lineMs, times.dataMs + lineMs);
    },
    [Symbol.dispose]: stop,
  };
}
