import type { TlsSessionResult } from "#/src/model/tls-result.ts";
import type { Reply } from "./reply.ts";

interface ConnectFailureDetails {
  readonly reply?: Reply | undefined;
  readonly isTls?: boolean;
  readonly isLogin?: boolean;
  readonly tlsResult?: TlsSessionResult | undefined;
}

/** A connection that could not be opened or used at all. */
export class ConnectFailure extends Error {
  readonly reply: Reply | undefined;
  /** The TLS handshake failed: it may succeed without TLS. */
  readonly isTls: boolean;
  readonly isLogin: boolean;
  /** Where TLS failed. */
  readonly tlsResult: TlsSessionResult | undefined;

  constructor(message: string, details: ConnectFailureDetails) {
    super(message);
    this.reply = details.reply;
    this.isTls = details.isTls ?? false;
    this.isLogin = details.isLogin ?? false;
    this.tlsResult = details.tlsResult;
  }
}
