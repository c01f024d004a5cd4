/** The limiter of failed logins with an address and a secret, shared by all protocols.
 *
 *  Failures count for the address and for the network they come from (IPv4 /24, IPv6 /64). Beyond the number that is free,
 *  each further failure doubles the wait. A network from which the address has logged in before is counted for itself, so
 *  that strangers who fail with somebody's address don't lock the owner out. Loopback is no network: it is the tools of
 *  this host. Memory is bounded: the entries that were touched longest ago go first. */
import type { Clock } from "#/src/model/clock.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { networkOf } from "#/src/model/network.ts";

export interface LoginLimits {
  readonly loginFailuresPerAddress: number;
  readonly loginFailuresPerNetwork: number;
  readonly loginDelayMs: number;
  readonly loginDelayMaxMs: number;
  readonly loginTableEntries: number;
}

export interface LoginLimiter {
  /** Throws `rate_limited` while the address or the network has to wait. */
  assertAllowed(remoteAddress: string, address: string): void;
  countFailure(remoteAddress: string, address: string): void;
  /** Forgets the failures of the address here, and those that the network owes to it. */
  countSuccess(remoteAddress: string, address: string): void;
  /** Entries in memory, for tests and metrics. */
  readonly size: number;
}

interface Failures {
  count: number;
  lastAt: number;
}

export function createLoginLimiter(clock: Clock, limits: LoginLimits): LoginLimiter {
  /** Keys in the order in which they were last touched. */
  const failures = new Map<string, Failures>();
  /** Pairs of network and address with a successful login. */
  const familiar = new Set<string>();

  function subjects(remoteAddress: string, address: string): { key: string; free: number }[] {
    const network = networkOf(remoteAddress);
    const list = [{ key: addressKey(network, address), free: limits.loginFailuresPerAddress }];
    if (network !== undefined) list.push({ key: `network ${network}`, free: limits.loginFailuresPerNetwork });
    return list;
  }

  function addressKey(network: string | undefined, address: string): string {
    const pair = pairKey(network, address);
    return familiar.has(pair) ? pair : `address ${address}`;
  }

  function waitMs({ key, free }: { key: string; free: number }): number {
    const entry = failures.get(key);
    if (entry === undefined || entry.count < free) return 0;
    const now = clock.now();
    // A clock that was put back makes nobody wait for the time in between.
    entry.lastAt = Math.min(entry.lastAt, now);
    const delayMs = Math.min(limits.loginDelayMs * 2 ** (entry.count - free), limits.loginDelayMaxMs);
    return Math.max(0, entry.lastAt + delayMs - now);
  }

  return {
    assertAllowed(remoteAddress, address) {
      const retryAfterMs = Math.max(0, ...subjects(remoteAddress, address).map(waitMs));
      if (retryAfterMs > 0)
        throw new WaypostError("rate_limited", "Too many failed logins; wait before the next one.", {
          retryAfterMs,
        });
    },
    countFailure(remoteAddress, address) {
      const now = clock.now();
      for (const { key } of subjects(remoteAddress, address)) {
        const entry = failures.get(key);
        const isForgotten = entry === undefined || now - entry.lastAt >= limits.loginDelayMaxMs;
        failures.delete(key);
        failures.set(key, { count: isForgotten ? 1 : entry.count + 1, lastAt: now });
      }
      trim(failures, limits.loginTableEntries);
    },
    countSuccess(remoteAddress, address) {
      const network = networkOf(remoteAddress);
      const key = addressKey(network, address);
      const owed = failures.get(key)?.count ?? 0;
      failures.delete(key);
      const ofNetwork = failures.get(`network ${network}`);
      if (ofNetwork !== undefined) ofNetwork.count = Math.max(0, ofNetwork.count - owed);
      const pair = pairKey(network, address);
      familiar.delete(pair);
      familiar.add(pair);
      trim(familiar, limits.loginTableEntries);
    },
    get size() {
      return failures.size + familiar.size;
    },
  };
}

function pairKey(network: string | undefined, address: string): string {
  return `pair ${network ?? "loopback"} ${address}`;
}

function trim(table: Map<string, unknown> | Set<string>, entriesMax: number): void {
  for (const key of table.keys()) {
    if (table.size <= entriesMax) return;
    table.delete(key);
  }
}
