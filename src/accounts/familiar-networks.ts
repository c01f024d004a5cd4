/** The networks from which each mailbox has logged in. They are in the store, so they are known after a restart too. */
import { server } from "#/src/model/author.ts";
import type { Clock } from "#/src/model/clock.ts";
import { ifAvailable } from "#/src/model/errors.ts";
import { networkOf } from "#/src/model/network.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { findFamiliarNetwork } from "#/storage/queries/accounts/familiar-networks.ts";
import type { Store } from "#/storage/store.ts";

export interface FamiliarNetworks {
  /** Whether the mailbox has logged in from the network of the address in the last months. */
  has(agent: AgentNumber, remoteAddress: string): Promise<boolean>;
  /** A login has succeeded. Durable when it resolves, unless the store can't be written. */
  keep(agent: AgentNumber, remoteAddress: string): Promise<void>;
}

const dayMs = 86_400_000;
/** How long a network is remembered after its last login. */
const rememberedMs = 180 * dayMs;
/** How exactly the last login is known: one write for each network and day. */
const exactnessMs = dayMs;
/** Pairs that are known to be in the store. */
const keptMax = 10_000;

export function createFamiliarNetworks(store: Store & { readonly clock: Clock }): FamiliarNetworks {
  /** When a pair was written, the oldest first. */
  const kept = new Map<string, number>();
  const nameOf = (remoteAddress: string): string => networkOf(remoteAddress) ?? "loopback";

  return {
    async has(agent, remoteAddress) {
      const usedAt = await findFamiliarNetwork(store, agent, nameOf(remoteAddress));
      return usedAt !== undefined && store.clock.now() - usedAt < rememberedMs;
    },
    async keep(agent, remoteAddress) {
      const network = nameOf(remoteAddress);
      const key = `${agent} ${network}`;
      const at = store.clock.now();
      const before = kept.get(key) ?? (await findFamiliarNetwork(store, agent, network));
      if (before !== undefined && Math.abs(at - before) < exactnessMs) {
        kept.set(key, before);
        return;
      }
      // Without it the login succeeds anyway. The next login tries the write again.
      const write = async () => {
        await store.write(server, "keepFamiliarNetwork", { agent, network, at });
        return true;
      };
      if ((await ifAvailable(write())) === undefined) return;
      kept.delete(key);
      kept.set(key, at);
      if (kept.size > keptMax) kept.delete(kept.keys().next().value!);
    },
  };
}
