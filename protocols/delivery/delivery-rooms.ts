/** What the runner works with. */
import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { LocalDeliveryRooms } from "#/src/arrival/deliver-locally.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import type { SecureDns } from "#/src/evidence/secure-dns.ts";
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { Tally } from "#/src/model/tally.ts";
import type { TlsSession } from "#/src/model/tls-result.ts";
import type { Dispatch } from "#/src/outbound/dispatch.ts";
import type { Outbound } from "#/src/outbound/outbound.ts";
import type { AttemptTimes } from "./attempt-times.ts";

export interface DeliveryRooms extends LocalDeliveryRooms {
  readonly settings: Settings;
  readonly log: Logger;
  readonly tally?: Tally;
  readonly outbound: Outbound;
  readonly dispatch: Dispatch;
  readonly resolve: Resolve;
  /** For DANE; absent where no name server's AD bit is believed. */
  readonly secureDns?: SecureDns;
  readonly fairness?: Fairness;
  /** Told of each session with a server of a domain. */
  onTls?(session: TlsSession): void;
  /** Others for tests. */
  readonly times?: Partial<AttemptTimes>;
  /** The port of MTA-STS policies: 443, except in tests. */
  readonly policyPort?: number;
}
