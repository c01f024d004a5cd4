/** Compares the records that the name servers of a domain have with those that it should have. */
import type { DnsRecord, DnsRecordKind } from "#/src/accounts/dns-records.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import { checkSpf } from "#/src/evidence/spf.ts";
import type { Finding } from "./finding.ts";

/** What a record means for other servers. */
type Verdict = Pick<Finding, "status" | "why">;

interface Place {
  readonly domain: string;
  readonly hostname: string;
  /** Addresses from which mail leaves, as others see them. */
  readonly addresses: readonly string[];
  /** Queries the name servers of the domain. */
  readonly resolve: Resolve;
  /** Queries other names, such as those that an SPF record includes. */
  readonly resolveOther: Resolve;
}

const spfTimeMs = 10_000;

/** Each record that is wanted, in order. */
export function checkRecords(wanted: readonly DnsRecord[], place: Place): Promise<Finding[]> {
  return Promise.all(
    wanted.map(async (record) => {
      const what = `${record.type} ${record.name}`;
      const { value: expected, isOptional } = record;
      let found: string[];
      try {
        found = await readRecords(record, place.resolve);
      } catch (error) {
        const { code } = error as { code?: string };
        return { what, status: "unknown", expected, why: `No answer (${code}). Ask again later.` } as const;
      }
      if (found.length === 0) {
        const status = isOptional ? "optional" : "missing";
        return { what, status, expected, why: `Add it: ${record.purpose}.` } as const;
      }
      const verdict = await judges[record.kind](found, record, place);
      return { what, found: found.join(" | "), expected, ...verdict };
    }),
  );
}

/** The records in the form of `DnsRecord.value`; of TXT only those of the same kind, because a name can have others too. Throws what the
 *  resolver throws, except for "there is none". */
async function readRecords({ name, type, kind }: DnsRecord, resolve: Resolve): Promise<string[]> {
  const answers = await resolve(name, type).catch((error: { code?: string }) => {
    if (error.code === "ENOTFOUND" || error.code === "ENODATA") return [];
    throw error;
  });
  if (type === "MX")
    return (answers as { priority: number; exchange: string }[])
      .toSorted((a, b) => a.priority - b.priority)
      .map(({ priority, exchange }) => `${priority} ${withDot(exchange)}`);
  if (type === "SRV")
    return (answers as { priority: number; weight: number; port: number; name: string }[]).map(
      ({ priority, weight, port, name: target }) => `${priority} ${weight} ${port} ${withDot(target)}`,
    );
  if (type === "CNAME") return (answers as string[]).map(withDot);
  const begins = beginnings[kind];
  return (answers as string[][])
    .map((strings) => strings.join(""))
    .filter((text) => begins === undefined || text.toLowerCase().startsWith(begins));
}

/** Version tags (RFC 7208 section 4.5, RFC 7489 section 6.3, RFC 8460 section 3, RFC 8461 section 3.1). That of DKIM may be
 *  left out (RFC 6376 section 3.6.1), and nothing else stands at its names. */
const beginnings: Partial<Record<DnsRecordKind, string>> = {
  spf: "v=spf1",
  dmarc: "v=dmarc1",
  "tls-rpt": "v=tlsrptv1",
  "mta-sts": "v=stsv1",
};

type Judge = (found: readonly string[], record: DnsRecord, place: Place) => Verdict | Promise<Verdict>;

const judges: Record<DnsRecordKind, Judge> = {
  mx(found, _record, { hostname }) {
    const hosts = found.map((value) => value.split(" ")[1]!.toLowerCase());
    const own = `${hostname.toLowerCase()}.`;
    if (!hosts.includes(own))
      return { status: "wrong", why: `Mail to the domain goes to other servers, and never to ${hostname}.` };
    if (hosts[0] !== own)
      return { status: "ok", why: "Other servers get the mail first; this one gets it when they are down." };
    return { status: "ok" };
  },
  async spf(found, _record, { domain, hostname, addresses, resolve, resolveOther }) {
    if (found.length > 1)
      return { status: "wrong", why: "There are several. None of them counts (RFC 7208 section 4.5)." };
    if (addresses.length === 0)
      return { status: "unknown", why: `${hostname} has no address to be checked with.` };
    const ask: Resolve = (name, type) => (name === domain ? resolve : resolveOther)(name, type);
    for (const address of addresses) {
      const origin = { remoteAddress: address, heloName: hostname, reversePath: `postmaster@${domain}` };
      const { result } = await checkSpf(origin, hostname, ask, spfTimeMs);
      if (result !== "pass")
        return { status: "wrong", why: `Mail from ${address} gets "${result}". The record has to allow it.` };
    }
    return { status: "ok" };
  },
  dkim(found, { value }) {
    if (found.length > 1) return { status: "wrong", why: "There are several keys at this name." };
    if (tagOf(found[0]!, "p") === tagOf(value, "p")) return { status: "ok" };
    const why = "It is another key. Signatures made here are not verified with it.";
    return { status: "wrong", why };
  },
  dmarc(found) {
    if (found.length > 1)
      return { status: "wrong", why: "There are several. None of them counts (RFC 7489 section 6.6.3)." };
    const policy = tagOf(found[0]!, "p");
    if (policy === "quarantine" || policy === "reject") return { status: "ok" };
    if (policy === "none") return { status: "ok", why: "p=none: forged mail is delivered all the same." };
    return { status: "wrong", why: "It has no p=none, p=quarantine or p=reject." };
  },
  "tls-rpt": oneAlone,
  "mta-sts"(found, { value }) {
    if (found.length !== 1 || tagOf(found[0]!, "id") === tagOf(value, "id")) return oneAlone(found);
    return {
      status: "ok",
      why: "The id is of another policy: servers that know that one do not look for this.",
    };
  },
  srv(found, { value }) {
    if (found.some((one) => one.toLowerCase() === value.toLowerCase())) return { status: "ok" };
    const target = value.split(" ").slice(2).join(" ").toLowerCase();
    if (found.some((one) => one.toLowerCase().endsWith(` ${target}`))) return { status: "ok" };
    return { status: "wrong", why: "Clients are sent to another port or host than this server listens at." };
  },
  alias(found, { value }) {
    if (found.some((name) => name.toLowerCase() === value.toLowerCase())) return { status: "ok" };
    return { status: "wrong", why: "It leads to another host." };
  },
  // RFC 6764 section 4; other keys may stand beside it (RFC 6763 section 6).
  "service-path"(found, { value }) {
    if (found.some((text) => text.toLowerCase().includes(value))) return { status: "ok" };
    return { status: "wrong", why: "Clients are sent to another path than this server has." };
  },
};

function oneAlone(found: readonly string[]): Verdict {
  return found.length === 1
    ? { status: "ok" }
    : { status: "wrong", why: "There are several. None of them counts." };
}

/** A tag of a tag-list (RFC 6376 section 3.2); white space may stand in its value. */
function tagOf(text: string, name: string): string | undefined {
  for (const tag of text.split(";")) {
    const equals = tag.indexOf("=");
    if (tag.slice(0, equals).trim().toLowerCase() === name) return tag.slice(equals + 1).replace(/\s/g, "");
  }
  return undefined;
}

function withDot(name: string): string {
  return name.endsWith(".") ? name : `${name}.`;
}
