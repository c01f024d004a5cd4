import type { Reply } from "./reply.ts";

/** A connection that could not be opened or used at all. */
export class ConnectFailure extends Error {
  readonly reply: Reply | undefined;
  /** The TLS handshake failed: it may succeed without TLS. */
  readonly isTls: boolean;
  readonly isLogin: boolean;

  constructor(message: string, details: { reply?: Reply | undefined; isTls?: boolean; isLogin?: boolean }) {
    super(message);
    this.reply = details.reply;
    this.isTls = details.isTls ?? false;
    this.isLogin = details.isLogin ?? false;
  }
}
