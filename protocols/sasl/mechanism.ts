import type { Logins } from "#/protocols/connection/logged-logins.ts";
import type { Principal } from "#/src/accounts/accounts.ts";

/** One SASL mechanism (RFC 4422), free of the protocol that carries it. */
export interface SaslMechanism {
  readonly name: string;
  /** Whether the password crosses the line as it is, so that the line has to be encrypted or the peer on this machine. */
  readonly isPlainText: boolean;
  /** Whether it is only for connections with channel binding. */
  readonly needsChannelBinding?: boolean;
  authenticate(exchange: SaslExchange, logins: Logins, remoteAddress: string): Promise<Principal>;
}

export interface SaslExchange {
  /** What came with the command itself (SASL-IR, RFC 4959). */
  readonly initialResponse: Buffer | undefined;
  /** The `tls-exporter` of the connection (RFC 9266), if it has one. */
  readonly channelBinding?: Buffer | undefined;
  /** Sends a challenge and gives the response; throws what the protocol answers when the client cancels. */
  challenge(data: Buffer): Promise<Buffer>;
}
