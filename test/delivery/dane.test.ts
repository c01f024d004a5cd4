/** DANE (RFC 7672): a server whose domain has signed TLSA records gets mail only if its certificate matches them. The DNS is a name server
 *  on loopback, which marks signed answers with the AD bit. */
import "reflect-metadata";
import { createHash, type webcrypto, X509Certificate } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { beforeAll, describe, expect, test } from "vitest";
import { findDaneMismatch } from "#/protocols/delivery/dane-match.ts";
import { createSecureDns } from "#/src/evidence/secure-dns.ts";
import { testCertificate } from "../support/certificates/certificate.ts";
import { startDnsServer } from "../support/servers/dns-server.ts";
import type { Zone, ZoneRecord } from "../support/servers/dns-zone.ts";
import { type SinkOptions, startSink } from "../support/servers/smtp-sink.ts";
import { openDeliveryHouse } from "./delivery-house.ts";

const own = new X509Certificate(testCertificate.cert);
const spki = own.publicKey.export({ type: "spki", format: "der" });
const digest = (name: string, octets: Buffer) => createHash(name).update(octets).digest();
const wrong = Buffer.alloc(32, 7);

function tlsa(usage: number, selector: number, matchingType: number, certificate: Buffer): ZoneRecord {
  return ["TLSA", { usage, selector, matchingType, certificate }];
}

const right = tlsa(3, 1, 1, digest("sha256", spki));

const withoutTls: SinkOptions = { server: { disabledCommands: ["AUTH", "STARTTLS"] } };

async function deliver(
  records: readonly ZoneRecord[] | undefined,
  {
    sink: sinkOptions = {},
    unsigned = [],
    zone: more = {},
    at = "mx.theirs.net",
    secureServerMs,
  }: DeliverOptions = {},
) {
  await using sink = await startSink(sinkOptions);
  const zone: Zone = {
    "theirs.net": [["MX", [10, "mx.theirs.net"]]],
    "mx.theirs.net": [["A", "127.0.0.1"]],
    ...(records === undefined ? {} : { [`_${sink.port}._tcp.${at}`]: records }),
    ...more,
  };
  await using server = await startDnsServer(zone, {
    signed: Object.keys(zone).filter((name) => !unsigned.some((one) => name.endsWith(one))),
  });
  await using house = await openDeliveryHouse({
    secureServer: server.address,
    ...(secureServerMs === undefined ? {} : { secureServerMs }),
    set: [`outbound.mx_port=${sink.port}`],
  });
  const submission = await house.send({ to: ["bob@theirs.net"] });
  const [recipient] = await house.recipients(submission);
  return { state: recipient!.state, status: recipient!.status, mails: sink.mails, asked: server.asked };
}

interface DeliverOptions {
  readonly sink?: SinkOptions;
  readonly unsigned?: readonly string[];
  readonly zone?: Zone;
  readonly at?: string;
  readonly secureServerMs?: number;
}

describe("a server with TLSA records", () => {
  test.each<[string, ZoneRecord[]]>([
    ["its key", [right]],
    ["its key whole", [tlsa(3, 1, 0, spki)]],
    ["its certificate by SHA-512", [tlsa(3, 0, 2, digest("sha512", own.raw))]],
    ["another key beside its own", [tlsa(3, 1, 1, wrong), right]],
    ["only what does not count for SMTP (PKIX-EE), as any certificate will do then", [tlsa(1, 1, 1, wrong)]],
    ["only a digest of the wrong length", [tlsa(3, 1, 1, wrong.subarray(1))]],
  ])("gets the mail over TLS if they name %s", async (_, records) => {
    expect(await deliver(records)).toMatchObject({ state: "relayed", mails: [{ isSecure: true }] });
  });

  test.each<[string, ZoneRecord[], SinkOptions]>([
    ["that name another key", [tlsa(3, 1, 1, wrong)], {}],
    ["that name another authority", [tlsa(2, 1, 1, wrong)], {}],
    ["and no STARTTLS", [right], withoutTls],
    ["without a usable one, and no STARTTLS", [tlsa(0, 1, 1, wrong)], withoutTls],
  ])("%s gets nothing, and the mail waits", async (_, records, sink) => {
    expect(await deliver(records, { sink })).toMatchObject({ state: "queued", mails: [] });
  });

  test("that cannot be looked up makes the mail wait", async () => {
    expect(await deliver(["TIMEOUT"], { secureServerMs: 1000 })).toMatchObject({
      state: "queued",
      status: "4.7.5",
      mails: [],
    });
  });

  test("has them at the target of its CNAME", async () => {
    const zone: Zone = {
      "mx.theirs.net": [["CNAME", "host.theirs.net"]],
      "host.theirs.net": [["A", "127.0.0.1"]],
    };
    const found = await deliver([tlsa(3, 1, 1, wrong)], { zone, at: "host.theirs.net" });
    expect(found).toMatchObject({ state: "queued", mails: [] });
  });
});

describe("without DNSSEC", () => {
  test.each([
    ["TLSA records", ["_tcp.mx.theirs.net"]],
    ["addresses of the server", ["mx.theirs.net"]],
    ["MX records", ["theirs.net"]],
  ])("%s that are not signed are ignored", async (_, unsigned) => {
    const found = await deliver([tlsa(3, 1, 1, wrong)], { unsigned });
    expect(found).toMatchObject({ state: "relayed", mails: [{ isSecure: true }] });
  });

  test("a server without TLSA records is used as without DANE", async () => {
    const found = await deliver(undefined, { sink: withoutTls });
    expect(found).toMatchObject({ state: "relayed", mails: [{ isSecure: false }] });
  });

  test("TLSA records are not looked up where the addresses are not signed", async () => {
    const { asked } = await deliver([right], { unsigned: ["mx.theirs.net"] });
    expect(asked.filter((one) => one.startsWith("TLSA"))).toEqual([]);
  });
});

describe("an answer of a name server", () => {
  const settings = { timeoutMs: 60_000, trustAd: "auto" } as const;

  test("that is truncated is requested again over TCP", async () => {
    await using server = await startDnsServer({ "a.net": [right] }, { signed: ["a.net"], cutsAnswers: true });
    const dns = createSecureDns({ ...settings, servers: [server.address] })!;
    expect(await dns.ask("a.net", "TLSA")).toMatchObject({ isSecure: true, values: [{ usage: 3 }] });
  });

  test.each([
    ["b.net", "ENOTFOUND"],
    ["a.net", "ENODATA"],
  ])("that there is nothing at %s is %s", async (name, code) => {
    await using server = await startDnsServer({ "a.net": [["TXT", "x"]] });
    const dns = createSecureDns({ ...settings, servers: [server.address] })!;
    await expect(dns.ask(name, "MX")).rejects.toMatchObject({ code });
  });

  test("is trusted from this host alone by default, and as dns.trust_ad says", () => {
    const isBelieved = (servers: string[], trustAd: "auto" | "always" | "never") =>
      createSecureDns({ servers, timeoutMs: 1, trustAd }) !== undefined;
    expect(isBelieved(["127.0.0.53"], "auto")).toBe(true);
    expect(isBelieved(["[::1]:5353"], "auto")).toBe(true);
    expect(isBelieved(["127.0.0.1", "192.0.2.1"], "auto")).toBe(false);
    expect(isBelieved(["192.0.2.1:53"], "always")).toBe(true);
    expect(isBelieved(["127.0.0.1"], "never")).toBe(false);
    expect(isBelieved(["none"], "always")).toBe(false);
  });
});

describe("an authority that a record names (DANE-TA)", () => {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const now = Date.UTC(2030, 0, 1);
  let leaf: X509Certificate;
  let authority: X509Certificate;
  let other: X509Certificate;

  async function make(
    name: string,
    isAuthority: boolean,
    issuer?: { keys: webcrypto.CryptoKeyPair; name: string },
  ) {
    const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    const made = await x509.X509CertificateGenerator.create({
      subject: `CN=${name}`,
      issuer: `CN=${issuer?.name ?? name}`,
      notBefore: new Date(now - 1000),
      notAfter: new Date(now + 1000),
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: (issuer?.keys ?? keys).privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(isAuthority, undefined, true),
        new x509.SubjectAlternativeNameExtension([{ type: "dns", value: name }]),
      ],
    });
    return { keys, certificate: new X509Certificate(Buffer.from(made.rawData)), name };
  }

  beforeAll(async () => {
    const root = await make("authority.net", true);
    authority = root.certificate;
    leaf = (await make("mx.theirs.net", false, root)).certificate;
    other = (await make("authority.net", true)).certificate;
  });

  const recordOf = (certificate: X509Certificate) => ({
    usage: 2,
    selector: 0,
    matchingType: 1,
    certificate: digest("sha256", certificate.raw),
  });

  test.each<[string, () => Parameters<typeof findDaneMismatch>, RegExp | undefined]>([
    [
      "and that has signed the certificate of the server's name is enough",
      () => [[leaf, authority], host(authority), now],
      undefined,
    ],
    [
      "counts for no other name",
      () => [[leaf, authority], host(authority, "mx.other.net"), now],
      /other names/,
    ],
    ["counts when it is valid", () => [[leaf, authority], host(authority), now + 2000], /not valid now/],
    ["counts with its signature alone", () => [[leaf, other], host(other), now], /No issuer/],
    ["is no certificate of a server", () => [[leaf, authority], host(leaf), now], /No issuer/],
    ["has to be shown", () => [[leaf], host(authority), now], /No issuer/],
  ])("%s", (_, given, mismatch) => {
    const found = findDaneMismatch(...given());
    if (mismatch === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(mismatch);
  });

  function host(certificate: X509Certificate, name = "mx.theirs.net") {
    return { base: name, names: [name], records: [recordOf(certificate)] };
  }
});
