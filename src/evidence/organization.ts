/** The organization of a domain. It loads only the list of public suffixes, and no library of mail, because each delivery asks. */
import { domainToASCII } from "node:url";
import { RecentValues } from "#/src/model/recent-values.ts";
import { libraries } from "./libraries.ts";

/** The organizational domain of one, by the list of public suffixes; "" for what is no name. */
export async function organizationOf(domain: string): Promise<string> {
  return (await loadOrganizations())(domain);
}

/** Whether a domain has the organizational domain of one of these: relaxed alignment of DMARC (RFC 9989 section 3.2.10.1). */
export async function relatedTo(domains: readonly string[]): Promise<(domain: string) => boolean> {
  const organizationOf = await loadOrganizations();
  let organizations: Set<string> | undefined;
  const known = new Map<string, boolean>();
  return (domain) => {
    organizations ??= new Set(domains.map(organizationOf).filter((one) => one !== ""));
    let isRelated = known.get(domain);
    if (isRelated === undefined) {
      isRelated = organizations.has(organizationOf(domain));
      known.set(domain, isRelated);
    }
    return isRelated;
  };
}

async function loadOrganizations(): Promise<(domain: string) => string> {
  const { getDomain } = await libraries.suffixes();
  return (domain) => {
    const kept = recent.find(domain);
    if (kept !== undefined) return kept;
    const found = nameOf(getDomain(domain, { allowIcannDomains: true, allowPrivateDomains: true }) ?? domain);
    if (domain.length <= keptLengthMax) recent.keep(domain, found);
    return found;
  };
}

/** Those of the domains that were asked for last: the list is walked through several times for each mail. */
const recent = new RecentValues<string>(1000);
const keptLengthMax = 255;

/** In lower case and A-labels, without the root. */
function nameOf(domain: string): string {
  return domainToASCII(domain.trim()).replace(/\.$/, "");
}
