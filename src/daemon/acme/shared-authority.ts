/** What several daemons on one store share about their authority. One of them, by lease, orders and renews; the others take the certificates
 *  from the store into their own files, from which every start loads them. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Settings } from "#/config/schema.ts";
import type { PemPair } from "#/protocols/connection/server-keys.ts";
import { server } from "#/src/model/author.ts";
import { findAuthorityRow } from "#/storage/queries/deployment.ts";
import type { Store } from "#/storage/store.ts";
import { keepAccountKey, keepPair, readAccountKey, readKeptPair } from "./kept-certificates.ts";

export interface SharedAuthority {
  /** Whether this daemon orders certificates. */
  isMine(): boolean;
  find(name: string): Promise<string | undefined>;
  /** undefined: it is deleted. */
  keep(name: string, value: string | undefined): Promise<void>;
  /** Takes the certificates of these names from the store, and gives it those that it lacks. True when there was another one. */
  exchange(names: Iterable<string>): Promise<boolean>;
  keepPair(name: string, pair: PemPair): Promise<void>;
  /** The key of the account: that of the store, or the one in the file or `make`'s, which is the store's from then on. */
  accountKey(make: () => Promise<string>): Promise<string>;
}

/** undefined where one daemon has the store. */
export function createSharedAuthority(
  settings: Pick<Settings, "storage">,
  store: Pick<Store, "get" | "all" | "column" | "write" | "leases">,
): SharedAuthority | undefined {
  const { leases } = store;
  if (!leases.isShared) return undefined;
  const find = (name: string) => findAuthorityRow(store, name);
  const keep = async (name: string, value: string | undefined): Promise<void> => {
    await store.write(server, "keepAuthorityRow", { name, value });
  };
  const keepShared = (name: string, { key, cert }: PemPair): Promise<void> =>
    keep(rowOf(name), JSON.stringify({ key, cert }));
  return {
    isMine: () => leases.isHeld("certificates"),
    find,
    keep,
    async exchange(names) {
      let hasAnother = false;
      for (const name of names) {
        const there = readPair(await find(rowOf(name)));
        const here = readKeptPair(settings, name);
        if (there?.cert.trim() === here?.cert.trim()) continue;
        // Obtained while the store was away, or before there were several daemons.
        const isNewer = here !== undefined && (there === undefined || beginOf(here) > beginOf(there));
        if (isNewer && leases.isHeld("certificates")) await keepShared(name, here);
        else if (there !== undefined) {
          keepPair(settings, name, there);
          hasAnother = true;
        }
      }
      return hasAnother;
    },
    keepPair: keepShared,
    async accountKey(make) {
      const found = await find("account key");
      const own = found ?? readAccountKey(settings) ?? (await make());
      if (found === undefined)
        await store.write(server, "keepAuthorityRow", { name: "account key", value: own, isFirst: true });
      const key = (await find("account key")) ?? own;
      if (readAccountKey(settings) !== key) keepAccountKey(settings, key);
      return key;
    },
  };
}

function beginOf({ cert }: PemPair): number {
  return new X509Certificate(cert).validFromDate.getTime();
}

function rowOf(name: string): string {
  return `certificate ${name}`;
}

/** undefined for a row whose certificate does not match its key. */
function readPair(value: string | undefined): PemPair | undefined {
  if (value === undefined) return undefined;
  const pair = JSON.parse(value) as PemPair;
  return new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key)) ? pair : undefined;
}
