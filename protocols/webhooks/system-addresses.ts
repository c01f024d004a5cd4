/** The resolver of the system for names that strangers choose, where its hosts file has to count or no name server may be asked. It has two
 *  threads for all names of a process, so that names whose servers are silent would stop all others. So one name is asked at a time, and the
 *  other thread is left to names that the operator chooses. Of those that wait, names that have been found go first, and those that were
 *  answered late or not last; among others the youngest, so that many new names whose servers are silent hold up no later one. A name whose asker
 *  has given up is dropped. Where the answer for one that has been found does not come soon, its last addresses count. */
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { dnsError } from "#/src/evidence/dns.ts";
import { inBackground, pause } from "#/src/model/background.ts";
import { RecentValues } from "#/src/model/recent-values.ts";

/** Rejects with the codes of `node:dns`. */
export type FindAddresses = (hostname: string) => Promise<readonly LookupAddress[]>;

/** A receiver that moves, or whose name is made, is found after this; records of mail are kept for longer. */
export const addressesKeptMs = 30_000;
/** How long a name that has been found is waited for before its last addresses count. */
const soonMs = 300;
/** An answer that takes longer is late. */
const lateMs = 1000;
/** A webhook has as long for all of its request. */
const askerWaitsMs = 15_000;
const namesMax = 1000;

interface Found {
  readonly addresses: readonly LookupAddress[];
  readonly until: number;
}

interface WaitingName extends PromiseWithResolvers<readonly LookupAddress[]> {
  /** The last time. */
  askedAt: number;
}

export function createSystemAddresses(
  ask: FindAddresses = (hostname) => lookup(hostname, { all: true }),
): FindAddresses {
  const found = new RecentValues<Found>(namesMax);
  const late = new RecentValues<true>(namesMax);
  const waiting = new Map<string, WaitingName>();
  let isAsking = false;

  const isFull = (): boolean => waiting.size >= namesMax;

  /** Not while one of them is being asked. */
  function dropAbandoned(): void {
    const before = performance.now() - askerWaitsMs;
    for (const [name, { askedAt, reject }] of waiting) {
      if (askedAt > before) continue;
      waiting.delete(name);
      reject(dnsError("ETIMEOUT", name));
    }
  }

  function nextName(): string | undefined {
    dropAbandoned();
    const names = [...waiting.keys()];
    return (
      names.find((name) => found.find(name) !== undefined) ??
      names.findLast((name) => late.find(name) === undefined) ??
      names.at(-1)
    );
  }

  async function askInTurn(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    for (let name = nextName(); name !== undefined; name = nextName()) {
      const { resolve, reject } = waiting.get(name)!;
      const begunAt = performance.now();
      try {
        const addresses = await ask(name);
        found.keep(name, { addresses, until: performance.now() + addressesKeptMs });
        resolve(addresses);
      } catch (error) {
        reject(error);
      }
      if (performance.now() - begunAt > lateMs) late.keep(name, true);
      else late.drop(name);
      waiting.delete(name);
    }
    isAsking = false;
  }

  function asked(name: string): Promise<readonly LookupAddress[]> {
    const same = waiting.get(name);
    if (same !== undefined) {
      same.askedAt = performance.now();
      return same.promise;
    }
    if (isFull()) return Promise.reject(dnsError("ETIMEOUT", name));
    const own = { ...Promise.withResolvers<readonly LookupAddress[]>(), askedAt: performance.now() };
    // Whoever asked may have gone on without it.
    own.promise.catch(() => {});
    waiting.set(name, own);
    inBackground(askInTurn);
    return own.promise;
  }

  return async (hostname) => {
    const name = hostname.toLowerCase();
    const known = found.find(name);
    if (known === undefined) return asked(name);
    if (performance.now() < known.until || isFull()) return known.addresses;
    const soon = pause(soonMs, { ref: false });
    return (await Promise.race([asked(name), soon])) ?? known.addresses;
  };
}

/** One for the process, as its threads are. */
export const systemAddresses = createSystemAddresses();
