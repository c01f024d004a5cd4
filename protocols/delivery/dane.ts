/** DANE for SMTP (RFC 7672): a domain whose DNS is signed says by TLSA records which certificates its servers show. Then mail goes to a
 *  server over TLS and with that certificate, or not at all. Without a name server whose AD bit is believed there is no DANE. */
import type { SecureAnswer, SecureDns, TlsaRecord } from "#/src/evidence/secure-dns.ts";
import { readThrown } from "#/src/model/thrown.ts";
import type { DaneHost } from "./dane-match.ts";

export interface DaneAnswer {
  /** The domain's name of this server is signed. */
  readonly isNameSigned: boolean;
  /** undefined: no DANE for this server. "unknown": the records may be there and could not be looked up, so that it gets no mail now
   *  (section 2.1.2). */
  readonly dane: DaneHost | "unknown" | undefined;
}

export interface DaneLookup {
  /** What each of the domain's servers has to show, in their order. */
  find(domain: string, hosts: readonly string[]): Promise<readonly DaneAnswer[]>;
}

export function createDaneLookup(dns: SecureDns, port: number): DaneLookup {
  return {
    async find(domain, hosts) {
      if (domain.startsWith("[")) return hosts.map(() => nothing);
      const secure = await findSecureHosts(dns, domain);
      return Promise.all(
        hosts.map(async (host) =>
          secure.has(host) ? { isNameSigned: true, dane: await findHost(dns, domain, host, port) } : nothing,
        ),
      );
    },
  };
}

const nothing: DaneAnswer = { isNameSigned: false, dane: undefined };

/** Servers that a signed answer names: an unsigned one could name anybody's (section 2.2.1). Without MX records the domain itself. */
async function findSecureHosts(dns: SecureDns, domain: string): Promise<ReadonlySet<string>> {
  try {
    const { values, isSecure } = await dns.ask(domain, "MX");
    const names = (values as { exchange: string }[]).map(({ exchange }) => exchange.toLowerCase());
    return new Set(isSecure ? names.map((name) => name.replace(/\.$/, "")) : []);
  } catch (error) {
    return new Set(isAbsent(error) ? [domain.toLowerCase()] : []);
  }
}

async function findHost(
  dns: SecureDns,
  domain: string,
  host: string,
  port: number,
): Promise<DaneAnswer["dane"]> {
  const answers = await Promise.all(
    (["A", "AAAA"] as const).map((type) => dns.ask(host, type).catch(() => undefined)),
  );
  const found = answers.filter((answer) => answer !== undefined);
  // Section 2.2.2: TLSA records of a name whose addresses are not signed are not looked up.
  if (found.length === 0 || !found.every(({ isSecure }) => isSecure)) return undefined;
  for (const base of new Set([found[0]!.name, host])) {
    const records = await findRecords(dns, `_${port}._tcp.${base}`);
    if (records === "unknown") return records;
    if (records !== undefined) return { base, names: [...new Set([base, host, domain])], records };
  }
  return undefined;
}

async function findRecords(
  dns: SecureDns,
  name: string,
): Promise<readonly TlsaRecord[] | "unknown" | undefined> {
  let answer: SecureAnswer;
  try {
    answer = await dns.ask(name, "TLSA");
  } catch (error) {
    return isAbsent(error) ? undefined : "unknown";
  }
  return answer.isSecure ? (answer.values as readonly TlsaRecord[]) : undefined;
}

function isAbsent(error: unknown): boolean {
  const { code } = readThrown(error);
  return code === "ENOTFOUND" || code === "ENODATA";
}
