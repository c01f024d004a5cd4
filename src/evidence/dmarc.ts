/** DMARC (RFC 9989), by `mailauth`: whether a domain that passed SPF or DKIM is aligned with the author's domain, and the policy of
 *  the author's domain if none is. */
import type { Checks, DmarcPolicy } from "./checks.ts";
import type { Resolve } from "./dns.ts";
import { libraries } from "./libraries.ts";
import { relatedTo } from "./organization.ts";

/** Domains that passed SPF or DKIM. */
export interface PassedDomains {
  readonly spf: string | undefined;
  readonly dkim: readonly string[];
}

export interface DmarcFinding {
  readonly shown: NonNullable<Checks["dmarc"]>;
  readonly isSpfAligned: boolean;
  /** Domains of the signatures that align. */
  readonly aligned: ReadonlySet<string>;
  readonly failedPolicy?: DmarcPolicy;
}

/** The DMARC result of one domain of an author, in A-labels. */
export async function checkDmarc(
  domain: string,
  passed: PassedDomains,
  resolver: Resolve,
): Promise<DmarcFinding> {
  const { spf, dkim } = passed;
  const compared = (result: string, isAligned: (one: string) => boolean): DmarcFinding => ({
    shown: { result, domain },
    isSpfAligned: spf !== undefined && isAligned(spf),
    aligned: new Set(dkim.filter(isAligned)),
  });
  // How strictly the domain wants to be compared is not known: only the very same domain counts.
  const unknown = (result: string): DmarcFinding => compared(result, (one) => one === domain);
  try {
    const { evaluateDmarc } = await libraries.dmarc();
    const { response, dkimAligned } = await evaluateDmarc({
      headerFrom: [`author@${domain}`],
      fromFields: 1,
      spfDomains: spf === undefined ? [] : [spf],
      dkimDomains: dkim.map((one, id) => ({ id: String(id), domain: one })),
      resolver: resolver as never,
      strict: true,
    } as never);
    if (response === false) return compared("none", () => false);
    const { result } = response.status;
    // Nobody said how to compare: relaxed, by the public suffix list (RFC 9989 section 3.2.10.1).
    if (result === "none") return compared("none", await relatedTo([domain]));
    if (result !== "pass" && result !== "fail") return unknown(result);
    const policy = response.policy as DmarcPolicy | undefined;
    return {
      shown: { result, domain, ...(policy === undefined ? {} : { policy }) },
      isSpfAligned: response.alignment?.spf?.result !== undefined,
      aligned: new Set(result === "pass" ? [...(dkimAligned ?? [])] : []),
      ...(result === "fail" && policy !== undefined ? { failedPolicy: policy } : {}),
    };
  } catch {
    return unknown("temperror");
  }
}

/** The strictest policy that failed among the domains of authors that could not be told apart. */
export async function checkDmarcOfAll(
  domains: readonly string[],
  passed: PassedDomains,
  resolver: Resolve,
): Promise<Pick<DmarcFinding, "shown" | "failedPolicy">> {
  const findings = await Promise.all(domains.map((domain) => checkDmarc(domain, passed, resolver)));
  for (const policy of ["reject", "quarantine", "none"] as const) {
    const failed = findings.find(({ failedPolicy }) => failedPolicy === policy);
    if (failed !== undefined) return failed;
  }
  return { shown: { result: "none" } };
}
