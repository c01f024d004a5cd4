/** Domains that no server of the world can know (RFC 2606, RFC 6761 section 6, RFC 6762): mail from them is undeliverable, and
 *  there is nothing to prove about them. */
const reserved = /(?:^|\.)(?:test|example|invalid|localhost|local|example\.(?:com|net|org))$/;

export function isReservedDomain(domain: string): boolean {
  return reserved.test(domain);
}
