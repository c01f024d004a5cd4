import type { SecureContext } from "node:tls";
import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { ConnectionDoor, ConnectionPlace, NameNetwork } from "#/protocols/connection/connection-door.ts";
import type { ServerKeys } from "#/protocols/connection/server-keys.ts";
import type { TrustedProxies } from "#/protocols/connection/trusted-proxies.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import type { ArrivalRooms } from "#/src/arrival/accept-message.ts";
import type { RecipientLookup } from "#/src/arrival/recent-recipients.ts";
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { Receiving } from "#/src/fairness/receiving.ts";
import type { Tally } from "#/src/model/tally.ts";
import type { Outbound } from "#/src/outbound/outbound.ts";

/** The parts of the daemon that the three SMTP ports use. */
export interface SmtpRooms extends ArrivalRooms {
  readonly accounts: Accounts;
  readonly outbound: Outbound;
  readonly settings: SmtpSettings;
  readonly tls: ServerKeys;
  readonly log: Logger;
  readonly fairness: Fairness;
  readonly tally?: Tally;
  /** Gives the network of a connection, for limits per network; without it the address decides. */
  readonly nameNetwork?: NameNetwork | undefined;
}

/** The same, with what the ports share. */
export interface PortRooms extends SmtpRooms {
  readonly recipients: RecipientLookup;
}

export interface SmtpSettings extends Pick<Settings, "outbound" | "dns" | "breaker"> {
  readonly server: ArrivalRooms["settings"]["server"] & Pick<Settings["server"], "trustedProxies">;
  readonly evidence: ArrivalRooms["settings"]["evidence"];
  readonly smtp: PortSettings & {
    readonly maxMessageBytes: number;
    readonly maxRecipients: number;
    readonly maxConnections: number;
    readonly maxConnectionsPerNetwork: number;
    readonly idleTimeoutMs: number;
  };
  readonly submission: PortSettings & {
    readonly maxConnections: number;
    readonly maxConnectionsPerNetwork: number;
    readonly maxConnectionsPerLogin: number;
  };
  readonly limits: Pick<Settings["limits"], "connectionsShareOfAccount">;
  readonly submissions: PortSettings;
}

export interface PortSettings {
  readonly enabled: boolean;
  readonly host: string;
  readonly port: number;
}

/** One of the ports: for mail from other servers, or from mail clients of this server's users. */
export interface MailPort {
  readonly name: "smtp" | "submission" | "submissions";
  /** Submission requires a login and accepts mail only after it. */
  readonly isSubmission: boolean;
  readonly rooms: PortRooms;
  /** Counts connections: one for the port for other servers, one shared by both submission ports. */
  readonly door: ConnectionDoor;
  /** The place that counts each session. */
  readonly places: WeakMap<object, ConnectionPlace>;
  readonly receiving: Receiving;
  readonly proxies: TrustedProxies;
  /** The TLS context for the next handshake. */
  readonly secureContext: () => SecureContext;
}
