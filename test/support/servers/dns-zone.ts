/** The names of a zone and their DNS records, for tests without the network: `["TXT", "v=spf1 -all"]`, `["MX", [10, "mx.example"]]`,
 *  `["SRV", [0, 1, 993, "mx.example"]]`, `["A", "192.0.2.1"]`, or `"TIMEOUT"` for a name whose servers do not answer. */
import type { DnsRecord } from "#/src/accounts/dns-records.ts";
import { dnsError, type Resolve } from "#/src/evidence/dns.ts";

export type ZoneRecord = "TIMEOUT" | readonly [type: string, value: unknown];
export type Zone = Readonly<Record<string, readonly ZoneRecord[]>>;

export interface CountingResolve extends Resolve {
  readonly asked: string[];
}

export function zoneResolve(zone: Zone): CountingResolve {
  const names = new Map(Object.entries(zone).map(([name, records]) => [name.toLowerCase(), records]));
  const asked: string[] = [];
  const resolve = async (name: string, type: string): Promise<unknown[]> => {
    asked.push(`${type} ${name}`);
    let at = name.toLowerCase().replace(/\.$/, "");
    for (let hops = 0; hops < 5; hops++) {
      const records = names.get(at);
      if (records === undefined) throw dnsError("ENOTFOUND", name);
      const values = records.filter((one) => one !== "TIMEOUT" && one[0] === type).map((one) => one[1]);
      if (values.length > 0) return values.map((value) => answerOf(type, value));
      if (records.includes("TIMEOUT")) throw dnsError("ETIMEOUT", name);
      const alias = records.find((one) => one !== "TIMEOUT" && one[0] === "CNAME");
      if (alias === undefined || type === "CNAME") throw dnsError("ENODATA", name);
      at = String(alias[1]).toLowerCase().replace(/\.$/, "");
    }
    throw dnsError("ENODATA", name);
  };
  return Object.assign(resolve, { asked });
}

/** The value in the form in which `dns.promises.resolve` gives it. */
function answerOf(type: string, value: unknown): unknown {
  if (type === "TXT") return Array.isArray(value) ? value.map(String) : [String(value)];
  if (type === "MX") {
    const [priority, exchange] = value as [number, string];
    return { priority, exchange };
  }
  if (type === "SRV") {
    const [priority, weight, port, name] = value as [number, number, number, string];
    return { priority, weight, port, name };
  }
  return value;
}

/** A zone that has all the records that `domain show` prints. */
export function zoneOfRecords(records: readonly DnsRecord[]): Zone {
  const zone: Record<string, ZoneRecord[]> = {};
  for (const { name, type, value } of records) {
    zone[name] ??= [];
    const fields = type === "TXT" ? value.match(/.{1,255}/g) : fieldsOf(value);
    zone[name].push([type, type === "CNAME" ? fields![0] : fields]);
  }
  return zone;
}

function fieldsOf(value: string): (string | number)[] {
  return value.split(" ").map((field) => (/^\d+$/.test(field) ? Number(field) : field.replace(/\.$/, "")));
}
