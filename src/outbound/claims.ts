/** Which deliveries are being tried here. Where several daemons send, each is claimed in the store first, so that no two of them try the same
 *  one; what one claims that ends is free again when the others notice. */
import { server } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { DueGroup } from "#/storage/queries/outbound/submissions.ts";
import type { Store } from "#/storage/store.ts";
import type { ClaimedDelivery } from "#/storage/transactions/daemons/claim-deliveries.ts";

export interface Claims {
  isTaken(group: DueGroup): boolean;
  /** Takes those that no other daemon has, in the order in which they are given. */
  claim(groups: readonly DueGroup[]): Promise<readonly DueGroup[]>;
  isOwn(group: DueGroup): boolean;
  /** What `reportDelivery` ends. */
  named(group: DueGroup): { readonly daemon: string; readonly domain: string } | undefined;
  /** After `reportDelivery`. */
  forget(group: DueGroup): void;
  release(group: DueGroup): void;
}

export function createClaims(store: Store): Claims {
  const { leases } = store;
  /** The term in which each was taken. */
  const taken = new Map<string, number>();
  /** Given back, and not yet in the store. */
  let released: ClaimedDelivery[] = [];
  let releasing: Promise<void> = Promise.resolve();

  async function writeReleases(): Promise<void> {
    const deliveries = released.splice(0);
    if (deliveries.length === 0) return;
    try {
      await store.write(server, "releaseDeliveries", { daemon: leases.daemon, deliveries });
    } catch (error) {
      // What stands in the store as claimed here is claimed here again; it is written with the next ones.
      if (!isWaypostError(error)) throw error;
      released.push(...deliveries);
    }
  }

  return {
    isTaken: (group) => taken.has(nameOf(group)),

    async claim(groups) {
      const { term } = leases;
      for (const group of groups) taken.set(nameOf(group), term);
      if (!leases.isShared) return groups;
      try {
        if (!leases.isAlive()) return forgetAll(groups);
        // What was given back is not claimed while it is being released.
        await releasing;
        // Of what could not be released then, these need not be any more.
        released = released.filter((one) => !taken.has(nameOf(one)));
        await writeReleases();
        const claimed = await store.write(server, "claimDeliveries", {
          daemon: leases.daemon,
          deliveries: groups.map(({ agent, submission, domain }) => ({ agent, submission, domain })),
        });
        const own = new Set(claimed.map(nameOf));
        for (const group of groups) if (!own.has(nameOf(group))) taken.delete(nameOf(group));
        return groups.filter((group) => own.has(nameOf(group)));
      } catch (error) {
        forgetAll(groups);
        if (isWaypostError(error) && error.code === "precondition_failed") return [];
        throw error;
      }
    },

    isOwn: (group) => leases.isAlive() && taken.get(nameOf(group)) === leases.term,

    named: ({ domain }) => (leases.isShared ? { daemon: leases.daemon, domain } : undefined),

    forget: (group) => void taken.delete(nameOf(group)),

    release(group) {
      if (!taken.delete(nameOf(group)) || !leases.isShared) return;
      const { agent, submission, domain } = group;
      released.push({ agent, submission, domain });
      releasing = releasing.then(writeReleases);
    },
  };

  function forgetAll(groups: readonly DueGroup[]): [] {
    for (const group of groups) taken.delete(nameOf(group));
    return [];
  }
}

export function nameOf({ agent, submission, domain }: ClaimedDelivery): string {
  return `${agent} ${submission} ${domain}`;
}
