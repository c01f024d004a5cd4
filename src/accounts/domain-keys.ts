/** The keys that mail of a domain is signed with: RSA for everybody, Ed25519 (RFC 8463) for those who can. */
import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { DomainKeyRow } from "#/storage/rows.ts";

const generate = promisify(generateKeyPair);
/** RFC 8301 section 3.2; longer ones do not fit into a DNS answer by UDP. */
const rsaBits = 2048;

/** A selector has the day in it, so that a later key stands beside the earlier one. */
export async function makeDomainKeys(domain: string, at: number): Promise<DomainKeyRow[]> {
  const [rsa, ed25519] = await Promise.all([
    generate("rsa", { modulusLength: rsaBits }),
    generate("ed25519", {}),
  ]);
  const day = new Date(at).toISOString().slice(0, 10).replaceAll("-", "");
  return Object.entries({ rsa, ed25519 }).map(([algorithm, { privateKey }]) => ({
    domain,
    selector: `${algorithm}-${day}`,
    algorithm,
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    createdAt: at,
  }));
}
