/** The least rate at which what is announced has to arrive: a time at the beginning, and from then on a second for so many octets.
 *  Who sends an octet now and then keeps no memory for long. RFC 5321 section 4.5.3.2.5 has a time for each reading alone. */
import { after } from "#/src/model/background.ts";

export interface MinimumRate {
  readonly graceMs: number;
  readonly octetsPerSecond: number;
}

export interface Arrival extends Disposable {
  add(octets: number): void;
}

/** Calls once, when what arrives falls behind the rate. Disposing ends the watch. */
export function watchArrival(
  { graceMs, octetsPerSecond }: MinimumRate,
  onTooSlow: () => void,
  now: () => number = () => performance.now(),
): Arrival {
  let dueAt = now() + graceMs;
  let timer: NodeJS.Timeout;
  const look = (): void => {
    const leftMs = dueAt - now();
    if (leftMs <= 0) onTooSlow();
    else timer = after(Math.ceil(leftMs), look).unref();
  };
  timer = after(graceMs, look).unref();
  return {
    add(octets) {
      dueAt += (octets / octetsPerSecond) * 1000;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
    },
  };
}
