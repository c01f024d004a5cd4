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

/** What the three SMTP ports need of the house. */
export interface SmtpRooms extends ArrivalRooms {
  readonly accounts: Accounts;
  readonly outbound: Outbound;
  readonly settings: SmtpSettings;
  readonly tls: ServerKeys;
  readonly log: Logger;
  readonly fairness: Fairness;
  readonly tally?: Tally;
  /** How connections are told apart by network, if not by their addresses. */
  readonly nameNetwork?: NameNetwork | undefined;
}

/** With what the ports have among themselves. */
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

/** One of the ports: mail from other servers, or from the clients of who lives here. */
export interface MailPort {
  readonly name: "smtp" | "submission" | "submissions";
  /** Submission asks for a login and takes mail from it alone. */
  readonly isSubmission: boolean;
  readonly rooms: PortRooms;
  /** Of other servers, or shared by both submission ports. */
  readonly door: ConnectionDoor;
  /** What each session counts for. */
  readonly places: WeakMap<object, ConnectionPlace>;
  readonly receiving: Receiving;
  readonly proxies: TrustedProxies;
  /** For the next handshake. */
  readonly secureContext: () => SecureContext;
}
