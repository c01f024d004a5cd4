/** The keys that mail of a domain is signed with: RSA for everybody, Ed25519 (RFC 8463) for those who can. */
import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { NewDomainKey } from "#/storage/rows.ts";

const generate = promisify(generateKeyPair);
/** RFC 8301 section 3.2; longer ones do not fit into a DNS answer by UDP. */
const rsaBits = 2048;

/** A selector has the day in it, so that a later key stands beside the earlier one. */
export async function makeDomainKeys(
  domain: string,
  at: number,
  existing: readonly Pick<NewDomainKey, "selector">[] = [],
): Promise<NewDomainKey[]> {
  const [rsa, ed25519] = await Promise.all([
    generate("rsa", { modulusLength: rsaBits }),
    generate("ed25519", {}),
  ]);
  const day = new Date(at).toISOString().slice(0, 10).replaceAll("-", "");
  return Object.entries({ rsa, ed25519 }).map(([algorithm, { privateKey }]) => ({
    domain,
    selector: freeSelector(`${algorithm}-${day}`, existing),
    algorithm,
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    createdAt: at,
  }));
}

/** A day may see more than one rotation. */
function freeSelector(name: string, existing: readonly Pick<NewDomainKey, "selector">[]): string {
  const taken = existing.filter(
    ({ selector }) => selector === name || selector.startsWith(`${name}-`),
  ).length;
  return taken === 0 ? name : `${name}-${taken + 1}`;
}
