/** MTA-STS policies of other domains (RFC 8461), as they were last fetched. */
import { server } from "#/src/model/author.ts";
import { findStsPolicy } from "#/storage/queries/outbound/sts-policies.ts";
import type { StsPolicyRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";

export type StsPolicy = StsPolicyRow;

export interface StsPolicies {
  find(domain: string): Promise<StsPolicy | undefined>;
  keep(policy: StsPolicy): Promise<void>;
}

export function createStsPolicies(store: Store): StsPolicies {
  return {
    find: (domain) => findStsPolicy(store, domain),
    keep: (policy) => store.write(server, "keepStsPolicy", { ...policy, at: store.clock.now() }),
  };
}
