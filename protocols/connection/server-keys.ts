import { createSecureContext, type SecureContext } from "node:tls";

/** Certificate chain and private key in PEM. Both may change together while ports are open. */
export interface ServerKeys {
  readonly key: string;
  readonly cert: string;
}

/** The context for the next handshake, made from the keys as they are at that moment. Connections that are open keep theirs. */
export function contextOf(keys: ServerKeys): () => SecureContext {
  let key: string | undefined;
  let cert: string | undefined;
  let context: SecureContext;
  return () => {
    if (key !== keys.key || cert !== keys.cert) {
      ({ key, cert } = keys);
      context = createSecureContext({ key, cert, minVersion: "TLSv1.2" });
    }
    return context;
  };
}
