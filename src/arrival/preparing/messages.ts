/** What the main thread and the threads that prepare messages say to each other. */
import type { Evidence } from "#/src/evidence/checks.ts";
import type { DnsSettings } from "#/src/evidence/dns.ts";
import type { Origin } from "#/src/evidence/examine.ts";
import type { MessageFacts } from "#/storage/rows.ts";

/** Given to a thread when it starts. */
export interface PreparationSettings {
  readonly hostname: string;
  /** Whoever speaks in these names in Authentication-Results is a forger. */
  readonly ownNames: readonly string[];
  readonly dns: DnsSettings;
}

export interface PreparationJob {
  readonly id: number;
  readonly bytes: Uint8Array;
  /** Of mail from other servers: evidence is wanted. */
  readonly origin?: Origin;
}

export interface Prepared {
  readonly facts: MessageFacts;
  readonly evidence?: Evidence;
}

export type PreparationAnswer =
  | ({ readonly id: number } & Prepared)
  | { readonly id: number; readonly failure: string };
