/** Signs outgoing mail with the keys of the author's domain, or else of the envelope sender's domain, if it is a domain of this
 *  server. A signature of another domain would prove nothing about either (RFC 7489 section 3.1.1). */
import { parseDomain } from "#/src/accounts/address.ts";
import { headerAddresses } from "#/src/formats/mime/header-values.ts";
import { readHeader } from "#/src/mail/header-reading.ts";
import { forEverybody } from "#/src/model/caller.ts";
import { leftUntil } from "#/src/model/clock.ts";
import { listDomainKeys } from "#/storage/queries/accounts/domain-keys.ts";
import type { Store } from "#/storage/store.ts";
import { readPrivateKey, type SigningKey, signingAlgorithms, signMessage } from "./sign.ts";

export interface Signer {
  /** DKIM-Signature fields for a message with CRLF line ends; "" if its domain has no keys. */
  sign(message: Uint8Array, envelopeFrom: string): Promise<string>;
}

/** Reading a key costs as much as signing with it. */
const keysMemoryMs = 60_000;
const domainsMax = 1000;

export function createSigner(store: Store): Signer {
  const known = new Map<string, { readonly keys: Promise<readonly SigningKey[]>; readonly until: number }>();

  function keysOf(domain: string): Promise<readonly SigningKey[]> {
    const now = store.clock.now();
    const found = known.get(domain);
    if (found !== undefined && leftUntil(found.until, now, keysMemoryMs) > 0) return found.keys;
    if (known.size >= domainsMax) known.clear();
    const keys = forEverybody(() => readKeys(store, domain));
    // A domain may get keys at any time, so a domain without keys is looked up each time.
    keys.then(
      ({ length }) => length === 0 && known.delete(domain),
      () => known.delete(domain),
    );
    known.set(domain, { keys, until: now + keysMemoryMs });
    return keys;
  }

  return {
    async sign(message, envelopeFrom) {
      const authors = headerAddresses(await readHeader(message), "from");
      for (const address of [authors[0]?.address ?? "", envelopeFrom]) {
        const domain = parseDomain(address.slice(address.lastIndexOf("@") + 1));
        const keys = domain === undefined ? [] : await keysOf(domain);
        if (keys.length > 0) return signMessage(message, keys, store.clock.now());
      }
      return "";
    },
  };
}

/** The newest key of each algorithm. */
async function readKeys(store: Store, domain: string): Promise<readonly SigningKey[]> {
  const rows = await listDomainKeys(store, domain);
  return signingAlgorithms.flatMap((algorithm) => {
    const row = rows.find((key) => key.state === "signing" && key.algorithm === algorithm);
    if (row === undefined) return [];
    return [{ domain, selector: row.selector, algorithm, privateKey: readPrivateKey(row.privateKey) }];
  });
}
