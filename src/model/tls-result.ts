/** What became of TLS with a server of another domain (RFC 8460 section 4.3). */
export type TlsSessionResult =
  | "success"
  | "starttls-not-supported"
  | "certificate-host-mismatch"
  | "certificate-expired"
  | "certificate-not-trusted"
  | "validation-failure";

/** What a domain asks of those who send to it, as it was found. */
export interface TlsPolicy {
  readonly domain: string;
  readonly type: "tlsa" | "sts" | "no-policy-found";
  /** Lines of an MTA-STS policy, or TLSA records. */
  readonly strings: readonly string[];
  /** Patterns of an MTA-STS policy, or the server that the TLSA records are of. */
  readonly hosts: readonly string[];
}

export interface TlsSession {
  readonly policy: TlsPolicy;
  readonly host: string;
  readonly address: string;
  /** Of this host. */
  readonly localAddress?: string;
  readonly result: TlsSessionResult;
}
