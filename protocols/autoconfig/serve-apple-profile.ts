/** `/apple.mobileconfig?emailaddress=…`: the configuration profile of an address for Apple's systems, signed with the server's certificate.
 *  It needs no credential, and is the same for every address of a domain, whether the address exists or not. */

import type { ServerKeys } from "#/protocols/connection/server-keys.ts";
import type { HttpRoute } from "#/protocols/http/app.ts";
import { formatAddress, parseAddress } from "#/src/accounts/address.ts";
import { formatAppleProfile } from "./apple-profile.ts";
import { type AutoconfigRooms, isOwnDomain } from "./serve-autoconfig.ts";
import { signData } from "./signed-data.ts";

const profilePath = "/apple.mobileconfig";

export interface AppleProfileRooms extends AutoconfigRooms {
  readonly tls: ServerKeys;
  readonly store: { readonly clock: { now(): number } };
}

export function createAppleProfileRoute({ settings, accounts, tls, store }: AppleProfileRooms): HttpRoute {
  return {
    accepts: (path) => path === profilePath,
    async serve({ koa }) {
      if (koa.method !== "GET" && koa.method !== "HEAD") {
        koa.status = 405;
        koa.set("Allow", "GET, HEAD");
        return;
      }
      const { emailaddress } = koa.query;
      const address = typeof emailaddress === "string" ? parseAddress(emailaddress) : undefined;
      const isOwn = address !== undefined && (await isOwnDomain(address.domain, accounts));
      const profile = isOwn ? formatAppleProfile(formatAddress(address), settings) : undefined;
      if (profile === undefined) {
        koa.status = 404;
        koa.type = "text/plain; charset=utf-8";
        koa.body = "No mail is taken here for that domain, or no client can reach it.\n";
        return;
      }
      const plain = Buffer.from(profile);
      koa.set("Cache-Control", "private, no-store");
      koa.set("Content-Disposition", 'attachment; filename="mail.mobileconfig"');
      koa.set("Content-Type", "application/x-apple-aspen-config");
      koa.body = (await signData(plain, tls, new Date(store.clock.now()))) ?? plain;
    },
  };
}
