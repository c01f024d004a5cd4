/** Limits failed logins with an address and a secret, for all protocols together.
 *
 *  Failures are counted for the pair of network (IPv4 /24, IPv6 /64) and address, and for the network alone. After the free failures,
 *  each further failure doubles the wait. So an attacker who fails with somebody's address waits alone: its owner may try from any
 *  other network at once. When the free failures of an address are used up by other networks, a network that has not logged in before
 *  has one free failure instead of several. A network from which the address has logged in before does not wait for failures of others
 *  in the network, and its longest wait is short. Loopback is not counted as a network, because tools of this host use it. Memory is
 *  bounded: the least recently used entries are deleted first. */
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
  /** Throws `rate_limited` while the network has to wait, with this address or with all. Only then `isFamiliar` is called: whether the
   *  address has logged in from the network before. */
  assertAllowed(remoteAddress: string, address: string, isFamiliar: () => Promise<boolean>): Promise<void>;
  countFailure(remoteAddress: string, address: string): void;
  /** Deletes the failures of the pair, and subtracts them from those of the network. */
  countSuccess(remoteAddress: string, address: string): void;
  /** Entries in memory, for tests and metrics. */
  readonly size: number;
}

interface Failures {
  count: number;
  lastAt: number;
}

/** The longest wait of a network from which the address has logged in before. */
const familiarDelayMaxMs = 10_000;

export function createLoginLimiter(clock: Clock, limits: LoginLimits): LoginLimiter {
  const { loginFailuresPerAddress, loginFailuresPerNetwork, loginDelayMs, loginDelayMaxMs } = limits;
  /** Keys in the order of their last use. */
  const failures = new Map<string, Failures>();

  function waitMs(key: string, free: number, delayMaxMs = loginDelayMaxMs): number {
    const entry = failures.get(key);
    if (entry === undefined || entry.count < free) return 0;
    const now = clock.now();
    // If the clock was set back, nobody waits for the difference.
    entry.lastAt = Math.min(entry.lastAt, now);
    const delayMs = Math.min(loginDelayMs * 2 ** (entry.count - free), delayMaxMs);
    return Math.max(0, entry.lastAt + delayMs - now);
  }

  function add(key: string): void {
    const now = clock.now();
    const entry = failures.get(key);
    const isForgotten = entry === undefined || now - entry.lastAt >= loginDelayMaxMs;
    failures.delete(key);
    failures.set(key, { count: isForgotten ? 1 : entry.count + 1, lastAt: now });
  }

  /** Whether failures with the address from other networks use up its free failures. */
  function isTriedElsewhere(address: string, pair: string): boolean {
    const entry = failures.get(addressKey(address));
    if (entry === undefined || clock.now() - entry.lastAt >= loginDelayMaxMs) return false;
    return entry.count - (failures.get(pair)?.count ?? 0) >= loginFailuresPerAddress;
  }

  return {
    async assertAllowed(remoteAddress, address, isFamiliar) {
      const network = networkOf(remoteAddress);
      const pair = pairKey(network, address);
      const free = isTriedElsewhere(address, pair) ? 1 : loginFailuresPerAddress;
      const ofNetwork = network === undefined ? 0 : waitMs(networkKey(network), loginFailuresPerNetwork);
      let retryAfterMs = Math.max(waitMs(pair, free), ofNetwork);
      if (retryAfterMs > 0 && (await isFamiliar()))
        retryAfterMs = waitMs(pair, loginFailuresPerAddress, familiarDelayMaxMs);
      if (retryAfterMs > 0)
        throw new WaypostError("rate_limited", "Too many failed logins; wait before the next one.", {
          retryAfterMs,
        });
    },
    countFailure(remoteAddress, address) {
      const network = networkOf(remoteAddress);
      add(pairKey(network, address));
      add(addressKey(address));
      if (network !== undefined) add(networkKey(network));
      while (failures.size > limits.loginTableEntries) failures.delete(failures.keys().next().value!);
    },
    countSuccess(remoteAddress, address) {
      const network = networkOf(remoteAddress);
      const pair = pairKey(network, address);
      const owed = failures.get(pair)?.count ?? 0;
      failures.delete(pair);
      for (const key of [addressKey(address), networkKey(network)]) {
        const entry = failures.get(key);
        if (entry !== undefined) entry.count = Math.max(0, entry.count - owed);
      }
    },
    get size() {
      return failures.size;
    },
  };
}

function pairKey(network: string | undefined, address: string): string {
  return `pair ${network ?? "loopback"} ${address}`;
}

function addressKey(address: string): string {
  return `address ${address}`;
}

function networkKey(network: string | undefined): string {
  return `network ${network}`;
}
