import type { Reply } from "./reply.ts";

/** The connection could not be used at all. */
export class ConnectFailure extends Error {
  readonly reply: Reply | undefined;
  /** The TLS handshake failed: without TLS it may go. */
  readonly isTls: boolean;
  readonly isLogin: boolean;

  constructor(message: string, details: { reply?: Reply | undefined; isTls?: boolean; isLogin?: boolean }) {
    super(message);
    this.reply = details.reply;
    this.isTls = details.isTls ?? false;
    this.isLogin = details.isLogin ?? false;
  }
}
