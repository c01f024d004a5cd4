import { createSecureContext, type SecureContext } from "node:tls";

export interface PemPair {
  readonly key: string;
  readonly cert: string;
}

/** Certificate chain and private key in PEM. All of it may change while ports are open. */
export interface ServerKeys extends PemPair {
  /** Of further names of this server (RFC 6066 section 3), in lower case; others get the one above. */
  readonly further?: ReadonlyMap<string, PemPair>;
  /** Of names that an authority asks about now (tls-alpn-01, RFC 8737). */
  readonly challenged?: ReadonlyMap<string, PemPair>;
}

const furtherContexts = new WeakMap<SecureContext, ReadonlyMap<string, SecureContext>>();

/** The context for the next handshake, made from the keys as they are at that moment. Connections that are open keep theirs. */
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

/** The contexts of further names that belong to one of `contextOf`. */
export function contextsOfNames(context: SecureContext): ReadonlyMap<string, SecureContext> {
  return furtherContexts.get(context) ?? noContexts;
}
