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
  readonly challenged?: ReadonlyMap<string, PemPair>;
}

const furtherContexts = new WeakMap<SecureContext, ReadonlyMap<string, SecureContext>>();

/** Gives the context for the next handshake, made from the keys at that moment. Open connections keep the old context. */
export function contextOf(keys: ServerKeys): () => SecureContext {
  let key: string | undefined;
  let cert: string | undefined;
  let further: ServerKeys["further"];
  let context: SecureContext;
  return () => {
    if (key !== keys.key || cert !== keys.cert || further !== keys.further) {
      ({ key, cert, further } = keys);
      context = contextFrom({ key, cert });
      furtherContexts.set(
        context,
        new Map([...(further ?? [])].map(([name, pair]) => [name, contextFrom(pair)])),
      );
    }
    return context;
  };
}

export function contextFrom({ key, cert }: PemPair): SecureContext {
  return createSecureContext({ key, cert, minVersion: "TLSv1.2" });
}

const noContexts: ReadonlyMap<string, SecureContext> = new Map();

/** The contexts of further names that belong to a context of `contextOf`. */
export function contextsOfNames(context: SecureContext): ReadonlyMap<string, SecureContext> {
  return furtherContexts.get(context) ?? noContexts;
}
