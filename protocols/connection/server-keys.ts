import { constants } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";

export interface PemPair {
  readonly key: string;
  readonly cert: string;
}

/** Certificate chain and private key in PEM. They may change while ports are open. */
export interface ServerKeys extends PemPair {
  /** Certificates of further names of this server (RFC 6066 section 3), by name in lower case. Other names get the one above. */
  readonly further?: ReadonlyMap<string, PemPair>;
  /** Certificates for names that a certificate authority is validating now (tls-alpn-01, RFC 8737). */
  readonly challenged?: Challenged;
}

export interface Challenged {
  /** False: no ClientHello has to be looked at. */
  isPossible(): boolean;
  /** By name in lower case. */
  find(name: string): Promise<PemPair | undefined>;
}

const furtherContexts = new WeakMap<SecureContext, ReadonlyMap<string, SecureContext>>();

/** Gives the context for the next handshake, made from the keys at that moment. Open connections keep the old context. */
export function contextOf(keys: ServerKeys, options: ContextOptions = {}): () => SecureContext {
  let key: string | undefined;
  let cert: string | undefined;
  let further: ServerKeys["further"];
  let context: SecureContext;
  return () => {
    if (key !== keys.key || cert !== keys.cert || further !== keys.further) {
      ({ key, cert, further } = keys);
      context = contextFrom({ key, cert }, options);
      furtherContexts.set(
        context,
        new Map([...(further ?? [])].map(([name, pair]) => [name, contextFrom(pair, options)])),
      );
    }
    return context;
  };
}

/** Suites of TLS 1.2: forward secrecy and authenticated encryption (RFC 9325 section 4.2). Those of TLS 1.3 are OpenSSL's. */
const strongSuites = [
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_AES_128_GCM_SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
];
/** Behind them, for old mail servers: without a suite of theirs they would bring their mail in the clear. */
const oldSuites = [
  "ECDHE-ECDSA-AES256-SHA384",
  "ECDHE-RSA-AES256-SHA384",
  "ECDHE-ECDSA-AES128-SHA256",
  "ECDHE-RSA-AES128-SHA256",
];

export interface ContextOptions {
  /** Other mail servers come here, which would do without TLS. */
  readonly isForServers?: boolean;
}

/** No peer can ask for another handshake inside a connection: it costs the server more than the peer (RFC 9325 section 3.5). */
export function contextFrom(
  { key, cert }: PemPair,
  { isForServers = false }: ContextOptions = {},
): SecureContext {
  return createSecureContext({
    key,
    cert,
    minVersion: "TLSv1.2",
    ciphers: [...strongSuites, ...(isForServers ? oldSuites : [])].join(":"),
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_CIPHER_SERVER_PREFERENCE,
  });
}

const noContexts: ReadonlyMap<string, SecureContext> = new Map();

/** The contexts of further names that belong to a context of `contextOf`. */
export function contextsOfNames(context: SecureContext): ReadonlyMap<string, SecureContext> {
  return furtherContexts.get(context) ?? noContexts;
}
