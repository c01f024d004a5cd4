/** Domains that do not exist in the public DNS (RFC 2606, RFC 6761 section 6, RFC 6762): mail to them cannot be delivered, and their
 *  owner cannot be verified. */
const reserved = /(?:^|\.)(?:test|example|invalid|localhost|local|example\.(?:com|net|org))$/;

/** The reason why such a name cannot be a mail domain. */
export const reservedDomainReason =
  "It is reserved, and no DNS has it (RFC 2606): other servers cannot find it.";

export function isReservedDomain(domain: string): boolean {
  return reserved.test(domain);
}
