/** Compares the records that the name servers of a domain have with those that it should have. */
import { type DnsRecord, type DnsRecordKind, formatRecord } from "#/src/accounts/dns-records.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { addressesOf, recordsOf } from "./authoritative.ts";
import { type Finding, ok, remark, type Verdict, wrong } from "./finding.ts";
import { judgeDkim } from "./judge-dkim.ts";
import { findDmarcAtDomain, judgeDmarc } from "./judge-dmarc.ts";
import { judgeMx } from "./judge-mx.ts";
import { judgeSpf } from "./judge-spf.ts";
import { type RecordPlace, tagOf } from "./place.ts";

/** Each record that is wanted, in order. */
export function checkRecords(wanted: readonly DnsRecord[], place: RecordPlace): Promise<Finding[]> {
  return Promise.all(
    wanted.map(async (record) => {
      const what = `${record.type} ${record.name}`;
      const expected = record.value;
      const copy = formatRecord(record);
      let found: string[];
      try {
        found = await readRecords(record, place.resolve);
      } catch (error) {
        const { code } = readThrown(error);
        return { what, status: "unknown", expected, why: `No answer (${code}). Ask again later.` } as const;
      }
      const verdict: Verdict =
        found.length === 0
          ? await judgeAbsent(record, place)
          : { found: found.join(" | "), ...(await judges[record.kind](found, record, place)) };
      const isMended = verdict.status === "ok" || verdict.status === "remark";
      return { what, expected, ...(isMended ? {} : { copy }), ...verdict };
    }),
  );
}

/** A record that is not there. */
async function judgeAbsent(record: DnsRecord, place: RecordPlace): Promise<Verdict> {
  const { kind, name, isOptional, purpose } = record;
  if (kind === "alias") {
    const addresses = await addressesOf(name, place.resolve);
    if (addresses.length > 0) return judgeAddresses(addresses, place);
  }
  if (isOptional) return { status: "optional", why: `Add it: ${purpose}.` };
  const misplaced = kind === "dmarc" ? await findDmarcAtDomain(place) : undefined;
  return { status: "missing", why: misplaced ?? `Add it: ${purpose}.` };
}

/** The name has addresses of its own in place of an alias. */
function judgeAddresses(addresses: readonly string[], place: RecordPlace): Verdict {
  const found = addresses.join(" | ");
  const stray = addresses.find((address) => !place.addresses.includes(address));
  if (stray === undefined) return { ...ok, found };
  return { ...wrong(`It leads to another host, at ${stray}.`), found };
}

/** The records in the form of `DnsRecord.value`; of TXT only those of the same kind, because a name can have others too. Throws what the
 *  resolver throws, except for "there is none". */
export async function readRecords(
  { name, type, kind }: Pick<DnsRecord, "name" | "type" | "kind">,
  resolve: Resolve,
): Promise<string[]> {
  const answers = await recordsOf(resolve, name, type);
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

type Judge = (found: readonly string[], record: DnsRecord, place: RecordPlace) => Verdict | Promise<Verdict>;

const judges: Record<DnsRecordKind, Judge> = {
  mx: (found, _record, place) => judgeMx(found, place),
  spf: (found, _record, place) => judgeSpf(found, place),
  dkim: judgeDkim,
  dmarc: (found, _record, place) => judgeDmarc(found, place),
  "tls-rpt": oneAlone,
  "mta-sts"(found, { value }) {
    if (found.length !== 1 || tagOf(found[0]!, "id") === tagOf(value, "id")) return oneAlone(found);
    return remark("The id is of another policy: servers that know that one do not look for this.");
  },
  srv(found, { value }) {
    const wanted = value.toLowerCase().split(" ").slice(2).join(" ");
    if (found.some((one) => one.toLowerCase().endsWith(` ${wanted}`))) return ok;
    return wrong("Clients are sent to another port or host than this server listens at.");
  },
  alias(found, { value }) {
    if (found.some((name) => name.toLowerCase() === value.toLowerCase())) return ok;
    return wrong("It leads to another host.");
  },
  // RFC 6764 section 4; other keys may stand beside it (RFC 6763 section 6).
  "service-path"(found, { value }) {
    if (found.some((text) => text.toLowerCase().includes(value))) return ok;
    return wrong("Clients are sent to another path than this server has.");
  },
};

function oneAlone(found: readonly string[]): Verdict {
  return found.length === 1 ? ok : wrong("There are several. None of them counts.");
}

function withDot(name: string): string {
  return name.endsWith(".") ? name : `${name}.`;
}
