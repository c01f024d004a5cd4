/** The organization of a domain. It loads only the list of public suffixes, and no library of mail, because each delivery asks. */
import { domainToASCII } from "node:url";
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
  return (domain) =>
    nameOf(getDomain(domain, { allowIcannDomains: true, allowPrivateDomains: true }) ?? domain);
}

/** In lower case and A-labels, without the root. */
function nameOf(domain: string): string {
  return domainToASCII(domain.trim()).replace(/\.$/, "");
}
