/** Answers to the challenges of an authority while an order is running: http-01 (RFC 8555 section 8.3) on the port of
 *  challenges, tls-alpn-01 (RFC 8737) on the HTTPS port. */
import type { PemPair } from "#/protocols/connection/server-keys.ts";
import type { HttpRoute } from "#/protocols/http/app.ts";

export interface Challenges {
  /** Key authorizations by token. */
  readonly http: Map<string, string>;
  /** Certificates of challenges by name. */
  readonly alpn: Map<string, PemPair>;
}

export function createChallenges(): Challenges {
  return { http: new Map(), alpn: new Map() };
}

const prefix = "/.well-known/acme-challenge/";

/** The only route of its port. */
export function createChallengeRoute({ http }: Challenges): HttpRoute {
  return {
    accepts: () => true,
    async serve({ koa }) {
      const answer = koa.path.startsWith(prefix) ? http.get(koa.path.slice(prefix.length)) : undefined;
      const isRead = koa.method === "GET" || koa.method === "HEAD";
      koa.type = "application/octet-stream";
      if (answer !== undefined && isRead) koa.body = answer;
      else {
        koa.status = 404;
        koa.type = "text/plain; charset=utf-8";
        koa.body = "There is nothing at this address.\n";
      }
    },
  };
}
