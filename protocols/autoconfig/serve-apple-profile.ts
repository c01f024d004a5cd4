/** `/apple.mobileconfig?emailaddress=…`: the configuration profile of a domain for Apple's systems, signed with the server's certificate.
 *  It needs no credential, and is the same for every address of the domain. So it is signed once an hour, and a stranger's request costs no
 *  signature. */

import type { ServerKeys } from "#/protocols/connection/server-keys.ts";
import type { HttpRoute } from "#/protocols/http/app.ts";
import { parseAddress } from "#/src/accounts/address.ts";
import { formatAppleProfile } from "./apple-profile.ts";
import { type AutoconfigRooms, isOwnDomain } from "./serve-autoconfig.ts";
import { signData } from "./signed-data.ts";

const profilePath = "/apple.mobileconfig";

export interface AppleProfileRooms extends AutoconfigRooms {
  readonly tls: ServerKeys;
  readonly store: { readonly clock: { now(): number } };
}

/** Bound on the domains whose profile is kept: some 10 KB each. */
const keptMax = 1000;
const keptMs = 3_600_000;

interface Kept {
  readonly cert: string;
  readonly at: number;
  readonly octets: Promise<Buffer>;
}

/** The signed profile of a domain; undefined when no protocol is enabled that it can name. */
export function createSignedProfiles({
  settings,
  tls,
  store,
}: Omit<AppleProfileRooms, "accounts">): (domain: string) => Promise<Buffer> | undefined {
  const kept = new Map<string, Kept>();
  return (domain) => {
    const at = store.clock.now();
    const known = kept.get(domain);
    if (known?.cert === tls.cert && at >= known.at && at < known.at + keptMs) return known.octets;
    const profile = formatAppleProfile(domain, settings);
    if (profile === undefined) return undefined;
    const plain = Buffer.from(profile);
    const octets = signData(plain, tls, new Date(at)).then((signed) => signed ?? plain);
    kept.delete(domain);
    kept.set(domain, { cert: tls.cert, at, octets });
    if (kept.size > keptMax) kept.delete(kept.keys().next().value!);
    return octets;
  };
}

export function createAppleProfileRoute(rooms: AppleProfileRooms): HttpRoute {
  const profileOf = createSignedProfiles(rooms);
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
      const isOwn = address !== undefined && (await isOwnDomain(address.domain, rooms.accounts));
      const profile = isOwn ? profileOf(address.domain) : undefined;
      if (profile === undefined) {
        koa.status = 404;
        koa.type = "text/plain; charset=utf-8";
        koa.body = "No mail is taken here for that domain, or no client can reach it.\n";
        return;
      }
      koa.set("Cache-Control", "private, no-store");
      koa.set("Content-Disposition", 'attachment; filename="mail.mobileconfig"');
      koa.set("Content-Type", "application/x-apple-aspen-config");
      koa.body = await profile;
    },
  };
}
