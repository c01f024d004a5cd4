/** Where mail clients find the servers of an address: `/.well-known/autoconfig/mail/config-v1.1.xml` of the domain, and
 *  `/mail/config-v1.1.xml` of the host `autoconfig.` below it. It needs no credential. The answer depends on the domain alone and never
 *  says whether an address exists. */

import type { Settings } from "#/config/schema.ts";
import type { HttpContext, HttpRoute } from "#/protocols/http/app.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import { formatAddress, parseAddress, parseDomain } from "#/src/accounts/address.ts";
import { formatClientConfig } from "./client-config.ts";

const paths = new Set(["/.well-known/autoconfig/mail/config-v1.1.xml", "/mail/config-v1.1.xml"]);
const hostPrefix = "autoconfig.";

export interface AutoconfigRooms {
  readonly settings: Settings;
  readonly accounts: Pick<Accounts, "resolveRecipient">;
}

export function createAutoconfigRoute({ settings, accounts }: AutoconfigRooms): HttpRoute {
  return {
    accepts: (path) => paths.has(path),
    async serve({ koa }) {
      if (koa.method !== "GET" && koa.method !== "HEAD") {
        koa.status = 405;
        koa.set("Allow", "GET, HEAD");
        return;
      }
      const domain = askedDomain(koa);
      if (domain === undefined || !(await isOwnDomain(domain, accounts))) {
        koa.status = 404;
        koa.type = "text/plain; charset=utf-8";
        koa.body = "No mail is taken here for that domain.\n";
        return;
      }
      koa.type = "application/xml; charset=utf-8";
      koa.set("Cache-Control", "public, max-age=3600");
      koa.body = formatClientConfig(domain, settings);
    },
  };
}

/** The domain of the address in the query, or else the domain of the host name in the request. */
function askedDomain({ query, hostname }: HttpContext["koa"]): string | undefined {
  const { emailaddress } = query;
  if (typeof emailaddress === "string" && emailaddress !== "") return parseAddress(emailaddress)?.domain;
  return parseDomain(hostname.startsWith(hostPrefix) ? hostname.slice(hostPrefix.length) : hostname);
}

/** Every domain of ours has a postmaster (RFC 5321 section 4.5.1). */
export async function isOwnDomain(domain: string, accounts: AutoconfigRooms["accounts"]): Promise<boolean> {
  const found = await accounts.resolveRecipient(formatAddress({ localPart: "postmaster", domain }));
  return found.kind !== "remote";
}
