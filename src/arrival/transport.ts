import type { Principal } from "#/src/accounts/principal.ts";

/** How a message reached this server: the data of its trace field and its provenance. */
export interface Transport {
  readonly source: "smtp" | "submission";
  readonly remoteAddress: string;
  /** The argument of HELO or EHLO, whatever the peer wrote. */
  readonly heloName: string;
  readonly isEsmtp: boolean;
  readonly isTls: boolean;
  /** Whether the transaction asked for SMTPUTF8. */
  readonly isUtf8: boolean;
  /** Names the transaction in the Received field, the reply and the log: letters, digits and hyphens. */
  readonly id: string;
  /** Who submits; undefined for mail from other servers. */
  readonly principal: Principal | undefined;
}
