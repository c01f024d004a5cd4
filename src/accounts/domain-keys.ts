/** The DKIM keys of a domain: RSA for all receivers, Ed25519 (RFC 8463) for those that support it. */
import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { NewDomainKey } from "#/storage/rows.ts";

const generate = promisify(generateKeyPair);
/** RFC 8301 section 3.2; longer ones do not fit into a DNS answer by UDP. */
const rsaBits = 2048;

/** The selector has the day in it, so that an earlier key can stay published beside a later one. */
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

/** Finds an unused selector: there may be more than one rotation on a day. */
function freeSelector(name: string, existing: readonly Pick<NewDomainKey, "selector">[]): string {
  const taken = existing.filter(
    ({ selector }) => selector === name || selector.startsWith(`${name}-`),
  ).length;
  return taken === 0 ? name : `${name}-${taken + 1}`;
}
