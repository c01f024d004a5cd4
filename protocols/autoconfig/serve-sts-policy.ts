/** `/.well-known/mta-sts.txt` of the host `mta-sts.` below each domain of ours (RFC 8461 section 3.3). */
import type { HttpRoute } from "#/protocols/http/app.ts";
import { parseDomain } from "#/src/accounts/address.ts";
import { formatStsPolicy } from "#/src/accounts/sts-policy.ts";
import { type AutoconfigRooms, isOwnDomain } from "./serve-autoconfig.ts";

const policyPath = "/.well-known/mta-sts.txt";
const hostPrefix = "mta-sts.";

export function createStsPolicyRoute({ settings, accounts }: AutoconfigRooms): HttpRoute {
  return {
    accepts: (path) => path === policyPath,
    async serve({ koa }) {
      if (koa.method !== "GET" && koa.method !== "HEAD") {
        koa.status = 405;
        koa.set("Allow", "GET, HEAD");
        return;
      }
      const host = koa.hostname.toLowerCase();
      const domain = host.startsWith(hostPrefix) ? parseDomain(host.slice(hostPrefix.length)) : undefined;
      koa.type = "text/plain; charset=utf-8";
      if (domain !== undefined && (await isOwnDomain(domain, accounts))) koa.body = formatStsPolicy(settings);
      else {
        koa.status = 404;
        koa.body = "There is no policy of that name here.\n";
      }
    },
  };
}
