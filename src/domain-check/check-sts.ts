/** The policy about TLS (RFC 8461), fetched as a sender fetches it: the host's address, its certificate, the text. */
import type { Settings } from "#/config/schema.ts";
import { fetchPolicy } from "#/protocols/delivery/mta-sts.ts";
import { formatStsPolicy } from "#/src/accounts/sts-policy.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { addressesOf } from "./authoritative.ts";
import { type Finding, ok, wrong } from "./finding.ts";

export interface StsPlace {
  readonly domain: string;
  readonly settings: Settings;
  readonly addresses: readonly string[];
  /** Queries the name servers of the domain. */
  readonly resolve: Resolve;
  readonly resolveOther: Resolve;
  /** 443 but for tests. */
  readonly policyPort?: number;
}

const fetchMs = 30_000;

/** Nothing where the domain has no such host: its record is checked elsewhere. */
export async function checkSts(place: StsPlace): Promise<Finding[]> {
  const { domain, settings, policyPort } = place;
  const host = `mta-sts.${domain}`;
  if (settings.sts.mode === "none") return [];
  const addresses = await addressesOf(host, place.resolveOther);
  if (addresses.length === 0) return [];
  const what = `policy of ${host}`;
  const expected = inLine(formatStsPolicy(settings));
  try {
    const text = await fetchPolicy(
      {
        settings,
        resolve: place.resolveOther,
        signal: AbortSignal.timeout(fetchMs),
        ...(policyPort === undefined ? {} : { policyPort }),
      },
      domain,
    );
    const found = inLine(text.toString("latin1").slice(0, 1000));
    if (found === expected) return [{ what, found, ...ok }];
    const why = `The policy there is not the one of this server: senders that keep to it bring mail to others, or none. ${host} has to lead to ${settings.server.hostname}.`;
    return [{ what, found, expected, ...wrong(why) }];
  } catch (error) {
    const { code, message } = readThrown(error);
    const reason = code ?? message;
    const isHere = addresses.every((address) => place.addresses.includes(address));
    if (isHere && isUnreached(code)) {
      const why = `${host} does not answer from here (${reason}); some networks reach their own address from outside alone.`;
      return [{ what, status: "unknown", expected, why }];
    }
    const why = `Senders cannot fetch the policy from ${addresses.join(" | ")} (${reason}): the host needs this server, and a certificate for ${host}.`;
    return [{ what, expected, ...wrong(why) }];
  }
}

function isUnreached(code: string | undefined): boolean {
  return code === "ECONNREFUSED" || code === "ETIMEDOUT" || code === "EHOSTUNREACH" || code === "ABORT_ERR";
}

function inLine(policy: string): string {
  return policy.trim().split(/\r?\n/).join("; ");
}
