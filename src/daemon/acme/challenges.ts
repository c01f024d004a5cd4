/** Answers to the challenges of an authority while an order is running: http-01 (RFC 8555 section 8.3) on the port of
 *  challenges, tls-alpn-01 (RFC 8737) on the HTTPS port. Where several daemons share a store the answers stand in it, as the authority may
 *  reach any of them. */
import type { Challenged, PemPair } from "#/protocols/connection/server-keys.ts";
import type { HttpRoute } from "#/protocols/http/app.ts";
import type { SharedAuthority } from "./shared-authority.ts";

export type ChallengeKind = "http-01" | "tls-alpn-01";

export interface Challenges {
  /** Resolves when every daemon answers. `name`: the token, or the name of the host. */
  answer(kind: ChallengeKind, name: string, answer: string): Promise<void>;
  /** Never rejects. */
  forget(kind: ChallengeKind, name: string): Promise<void>;
  find(kind: ChallengeKind, name: string): Promise<string | undefined>;
  readonly alpn: Challenged;
}

/** RFC 8555 section 8.1: tokens are base64url. */
const looksLikeToken = /^[\w-]{16,200}$/;
const looksLikeName = /^[a-z0-9.-]{1,253}$/;

/** `shared`: undefined where one daemon has the store. */
export function createChallenges(shared?: SharedAuthority): Challenges {
  const own = new Map<string, string>();
  const keyOf = (kind: ChallengeKind, name: string): string => `challenge ${kind} ${name}`;

  async function find(kind: ChallengeKind, name: string): Promise<string | undefined> {
    const answer = own.get(keyOf(kind, name));
    const isPossible = (kind === "http-01" ? looksLikeToken : looksLikeName).test(name);
    if (answer !== undefined || shared === undefined || !isPossible) return answer;
    return shared.find(keyOf(kind, name));
  }

  return {
    async answer(kind, name, answer) {
      own.set(keyOf(kind, name), answer);
      await shared?.keep(keyOf(kind, name), answer);
    },
    async forget(kind, name) {
      own.delete(keyOf(kind, name));
      // One that stays is of no use to anybody: its order has ended.
      await shared?.keep(keyOf(kind, name), undefined).catch(() => {});
    },
    find,
    alpn: {
      isPossible: () => own.size > 0 || shared !== undefined,
      async find(name) {
        const answer = await find("tls-alpn-01", name);
        return answer === undefined ? undefined : (JSON.parse(answer) as PemPair);
      },
    },
  };
}

const prefix = "/.well-known/acme-challenge/";

/** The only route of its port. */
export function createChallengeRoute(challenges: Challenges): HttpRoute {
  return {
    accepts: () => true,
    async serve({ koa }) {
      const isRead = koa.method === "GET" || koa.method === "HEAD";
      const answer =
        isRead && koa.path.startsWith(prefix)
          ? await challenges.find("http-01", koa.path.slice(prefix.length))
          : undefined;
      koa.type = "application/octet-stream";
      if (answer !== undefined) koa.body = answer;
      else {
        koa.status = 404;
        koa.type = "text/plain; charset=utf-8";
        koa.body = "There is nothing at this address.\n";
      }
    },
  };
}
