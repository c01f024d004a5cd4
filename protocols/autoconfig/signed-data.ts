/** CMS SignedData (RFC 5652 section 5) with its content inside, and with the certificate chain of the signer: SHA-256, with RSA (PKCS #1
 *  v1.5, RFC 5754 section 3.2) or ECDSA (RFC 5753 section 2.1.1). The encoding is asn1js's, the signature node's. */
import { createHash, createPrivateKey, type KeyObject, sign, X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import type { BaseBlock } from "asn1js";
import type { PemPair } from "#/protocols/connection/server-keys.ts";

const signatureOf: Readonly<Record<string, { readonly id: string; readonly hasParameters: boolean }>> = {
  rsa: { id: "1.2.840.113549.1.1.11", hasParameters: true },
  ec: { id: "1.2.840.10045.4.3.2", hasParameters: false },
};
const sha256 = "2.16.840.1.101.3.4.2.1";
const data = "1.2.840.113549.1.7.1";
const signedData = "1.2.840.113549.1.7.2";
const contentType = "1.2.840.113549.1.9.3";
const messageDigest = "1.2.840.113549.1.9.4";
const signingTime = "1.2.840.113549.1.9.5";

/** Certificates of a chain: authorities give two or three. */
const chainMax = 10;

/** Runs in Node's thread pool: an RSA signature takes a millisecond or more. */
const signOctets = promisify<string, Uint8Array, KeyObject, Buffer>(sign);

/** The result is in DER; undefined for a key that is neither RSA nor of an elliptic curve, and for a certificate that is not in DER. */
export async function signData(content: Uint8Array, pair: PemPair, at: Date): Promise<Buffer | undefined> {
  const asn = await import("asn1js");
  if (kept?.cert !== pair.cert || kept.key !== pair.key) kept = { ...pair, signer: readSigner(pair, asn) };
  if (kept.signer === undefined) return undefined;
  const { privateKey, algorithm, chain, issuer, serialNumber } = kept.signer;
  const sequence = (...value: BaseBlock[]) => new asn.Sequence({ value });
  const set = (...value: BaseBlock[]) => new asn.Set({ value });
  const tagged = (...value: BaseBlock[]) =>
    new asn.Constructed({ idBlock: { tagClass: 3, tagNumber: 0 }, value });
  const name = (value: string) => new asn.ObjectIdentifier({ value });
  const octets = (value: Uint8Array) => new asn.OctetString({ valueHex: value });
  const raw = (value: Uint8Array): BaseBlock => asn.fromBER(value).result;
  const version = () => new asn.Integer({ value: 1 });
  const attribute = (type: string, value: BaseBlock) => Buffer.from(sequence(name(type), set(value)).toBER());

  // DER has the members of a set in the order of their octets (X.690 section 11.6).
  const attributes = [
    attribute(contentType, name(data)),
    attribute(signingTime, new asn.UTCTime({ valueDate: at })),
    attribute(messageDigest, octets(createHash("sha256").update(content).digest())),
  ]
    .toSorted(Buffer.compare)
    .map(raw);
  // Section 5.4: signed as a set, sent under a tag.
  const signature = await signOctets("sha256", Buffer.from(set(...attributes).toBER()), privateKey);
  const signerInfo = sequence(
    version(),
    sequence(raw(issuer), raw(serialNumber)),
    sequence(name(sha256)),
    tagged(...attributes),
    sequence(name(algorithm.id), ...(algorithm.hasParameters ? [new asn.Null()] : [])),
    octets(signature),
  );
  const signed = sequence(
    version(),
    set(sequence(name(sha256))),
    sequence(name(data), tagged(octets(content))),
    tagged(...chain),
    set(signerInfo),
  );
  return Buffer.from(sequence(name(signedData), tagged(signed)).toBER());
}

interface Signer {
  readonly privateKey: KeyObject;
  readonly algorithm: (typeof signatureOf)[string];
  readonly chain: readonly BaseBlock[];
  readonly issuer: Uint8Array;
  readonly serialNumber: Uint8Array;
}

/** What the last certificate gave, since reading key and chain costs more than a signature, and anybody can ask for one. */
let kept: (PemPair & { readonly signer: Signer | undefined }) | undefined;

function readSigner({ key, cert }: PemPair, { fromBER }: typeof import("asn1js")): Signer | undefined {
  const privateKey = createPrivateKey(key);
  const algorithm = signatureOf[privateKey.asymmetricKeyType ?? ""];
  if (algorithm === undefined) return undefined;
  const certificates = [...cert.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)]
    .slice(0, chainMax)
    .map(([pem]) => new X509Certificate(pem).raw);
  const chain = certificates.map((certificate): BaseBlock => fromBER(certificate).result);
  // A certificate that is not in DER changes when it is encoded again, and its signature no longer fits.
  if (chain.some((block, at) => !Buffer.from(block.toBER()).equals(certificates[at]!))) return undefined;
  return { privateKey, algorithm, chain, ...readName(chain[0]!) };
}

interface Parsed {
  readonly valueBeforeDecodeView: Uint8Array;
  readonly valueBlock: { readonly value: readonly Parsed[] };
  readonly idBlock: { readonly tagClass: number };
}

/** The issuer and the serial number as the certificate has them (RFC 5280 section 4.1). An optional version stands before them. */
function readName(certificate: unknown): {
  readonly issuer: Uint8Array;
  readonly serialNumber: Uint8Array;
} {
  const fields = (certificate as Parsed).valueBlock.value[0]!.valueBlock.value;
  const [serialNumber, , issuer] = fields.slice(fields[0]!.idBlock.tagClass === 3 ? 1 : 0);
  return { issuer: issuer!.valueBeforeDecodeView, serialNumber: serialNumber!.valueBeforeDecodeView };
}
