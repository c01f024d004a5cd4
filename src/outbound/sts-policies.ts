/** Policies of other domains about TLS (RFC 8461), as they were last seen. */
import { findStsPolicy } from "#/storage/queries/sts-policies.ts";
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
    keep: (policy) => store.write("keepStsPolicy", { ...policy, at: store.clock.now() }),
  };
}
