/** Backoff of addresses that could not be reached: for a while the next mail tries other addresses first. If all are in backoff, none
 *  is tried. */
import { type Clock, leftUntil } from "#/src/model/clock.ts";

export interface HostBackoff {
  isResting(address: string): boolean;
  noteFailure(address: string): void;
  noteSuccess(address: string): void;
}

const firstRestMs = 30_000;
const longestRestMs = 30 * 60_000;
const addressesMax = 10_000;

export function createHostBackoff(clock: Clock): HostBackoff {
  const failures = new Map<string, { readonly count: number; readonly until: number }>();
  return {
    isResting: (address) => leftUntil(failures.get(address)?.until ?? 0, clock.now(), longestRestMs) > 0,
    noteFailure(address) {
      const count = failures.get(address)?.count ?? 0;
      if (failures.size >= addressesMax) failures.clear();
      const restMs = Math.min(longestRestMs, firstRestMs * 2 ** Math.min(count, 10));
      failures.set(address, { count: count + 1, until: clock.now() + restMs });
    },
    noteSuccess: (address) => void failures.delete(address),
  };
}
