/** SPF is evaluated, as receivers do: for the addresses of this server, and for addresses of nobody. */
import { isIPv6 } from "node:net";
import type { Resolve } from "#/src/evidence/dns.ts";
import { explainSpf } from "#/src/evidence/spf.ts";
import { ok, type Verdict, wrong } from "./finding.ts";
import { plainName, type RecordPlace } from "./place.ts";

const timeMaxMs = 10_000;
/** Of documentation (RFC 5737, RFC 3849): no server sends from them. */
const nobody = ["192.0.2.1", "203.0.113.1", "2001:db8::1"];

export async function judgeSpf(found: readonly string[], place: RecordPlace): Promise<Verdict> {
  const { hostname } = place.settings.server;
  if (found.length > 1) return wrong("There are several. None of them counts (RFC 7208 section 4.5).");
  for (const address of nobody)
    if ((await evaluate(address, place)).result === "pass")
      return wrong(
        `It lets everybody send as this domain: ${address}, an address of nobody, gets "pass". End it with -all or ~all.`,
      );
  if (place.addresses.length === 0)
    return { status: "unknown", why: `${hostname} has no address to be checked with.` };
  for (const address of place.addresses) {
    const { result, cause } = await evaluate(address, place);
    if (result === "pass") continue;
    const reason = cause === undefined ? "" : ` (${cause.replace(/^Too many DNS requests$/, elevenWords)})`;
    const term = `ip${isIPv6(address) ? 6 : 4}:${address}`;
    return wrong(
      `Mail from ${address} gets "${result}"${reason}. The record has to allow it: mx, or ${term}.`,
    );
  }
  return ok;
}

const elevenWords = "it needs an eleventh DNS look-up, and ten are allowed: RFC 7208 section 4.6.4";

function evaluate(address: string, place: RecordPlace) {
  const { hostname } = place.settings.server;
  const ask: Resolve = (name, type) =>
    (plainName(name) === place.domain ? place.resolve : place.resolveOther)(name, type);
  const origin = {
    remoteAddress: address,
    heloName: hostname,
    reversePath: `postmaster@${place.domain}`,
  };
  return explainSpf(origin, hostname, ask, timeMaxMs);
}
