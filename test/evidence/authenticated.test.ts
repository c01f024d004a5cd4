/** Whether a message is authenticated: every combination of SPF, DKIM, DMARC, alignment and author. */
import { generateKeyPairSync } from "node:crypto";
import { dkimSign } from "mailauth/lib/dkim/sign.js";
import { describe, expect, test } from "vitest";
import type { Evidence } from "#/src/evidence/checks.ts";
import { examineMessage } from "#/src/evidence/examine.ts";
import {
  type CountingResolve,
  type Zone,
  type ZoneRecord,
  zoneResolve,
} from "../support/servers/dns-zone.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const weak = generateKeyPairSync("rsa", { modulusLength: 512 });
const ed25519 = generateKeyPairSync("ed25519");
const pem = (key: typeof rsa): string => key.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
const rsaRecord = (key: typeof rsa): string =>
  `v=DKIM1; k=rsa; p=${key.publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
const ed25519Record = `v=DKIM1; k=ed25519; p=${ed25519.publicKey
  .export({ type: "spki", format: "der" })
  .subarray(-12 - 20)
  .toString("base64")}`;

const sender = "192.0.2.10";
const stranger = "198.51.100.99";

/** bank.example wants to be rejected where it fails; loose.example says nothing; strict.example compares exactly. */
const zone: Zone = {
  "bank.example": [["TXT", "v=spf1 ip4:192.0.2.10 -all"]],
  "mail.bank.example": [["TXT", "v=spf1 ip4:192.0.2.10 -all"]],
  "_dmarc.bank.example": [["TXT", "v=DMARC1; p=reject; sp=quarantine"]],
  "s1._domainkey.bank.example": [["TXT", rsaRecord(rsa)]],
  "e1._domainkey.bank.example": [["TXT", ed25519Record]],
  "w1._domainkey.bank.example": [["TXT", rsaRecord(weak)]],
  "x1._domainkey.bank.example": [["TXT", "v=DKIM1; p="]],
  "t1._domainkey.bank.example": ["TIMEOUT"],
  "s1._domainkey.mail.bank.example": [["TXT", rsaRecord(rsa)]],
  "strict.example": [["TXT", "v=spf1 ip4:192.0.2.10 -all"]],
  "mail.strict.example": [["TXT", "v=spf1 ip4:192.0.2.10 -all"]],
  "_dmarc.strict.example": [["TXT", "v=DMARC1; p=quarantine; aspf=s; adkim=s"]],
  "s1._domainkey.mail.strict.example": [["TXT", rsaRecord(rsa)]],
  "loose.example": [["TXT", "v=spf1 ip4:192.0.2.10 ~all"]],
  "mail.loose.example": [["TXT", "v=spf1 ip4:192.0.2.10 ~all"]],
  "s1._domainkey.loose.example": [["TXT", rsaRecord(rsa)]],
  "silent.example": [["TXT", "v=spf1 ip4:192.0.2.10 -all"]],
  "mail.silent.example": [["TXT", "v=spf1 ip4:192.0.2.10 -all"]],
  "_dmarc.silent.example": ["TIMEOUT"],
  "evil.example": [["TXT", "v=spf1 ip4:192.0.2.10 -all"]],
  "s1._domainkey.evil.example": [["TXT", rsaRecord(rsa)]],
  "_dmarc.evil.example": [["TXT", "v=DMARC1; p=none"]],
  "helo.bank.example": [["TXT", "v=spf1 ip4:192.0.2.10 -all"]],
  "one.co.uk": [["TXT", "v=spf1 ip4:192.0.2.10 -all"]],
  "two.co.uk": [["TXT", "v=spf1 ip4:192.0.2.10 -all"]],
  "xn--bcher-kva.example": [["TXT", "v=spf1 ip4:192.0.2.10 -all"]],
  // "аррӏе" in Cyrillic letters, and "pаypal" with one of them.
  "xn--80ak6aa92e.example": [["TXT", "v=spf1 ip4:192.0.2.10 -all"]],
  "xn--pypal-4ve.example": [["TXT", "v=spf1 ip4:192.0.2.10 -all"]],
};

interface Case {
  readonly says: string;
  readonly from?: string;
  /** Whole lines in place of the From field. */
  readonly header?: readonly string[];
  readonly ip?: string;
  readonly mailFrom?: string;
  readonly helo?: string;
  readonly sign?: readonly {
    domain: string;
    selector: string;
    key?: string;
    limit?: number;
    headers?: string;
  }[];
  /** Done to the signed message. */
  readonly change?: (message: string) => string;
  readonly is: boolean;
  readonly failed?: Evidence["failedPolicy"];
}

async function examine(one: Case, resolve: CountingResolve = zoneResolve(zone)): Promise<Evidence> {
  const header = one.header ?? [`From: ${one.from ?? "Ann <ann@bank.example>"}`];
  let message = [
    ...header,
    "To: me@here.example",
    "Subject: money",
    "Date: Sat, 21 Nov 2026 10:00:00 +0000",
    "",
    "Pay 1.",
    "",
  ].join("\r\n");
  for (const { domain, selector, key, limit, headers } of one.sign ?? []) {
    const signed = await dkimSign(message, {
      canonicalization: "relaxed/relaxed",
      ...(headers === undefined ? {} : { headerList: headers }),
      signatureData: [
        {
          signingDomain: domain,
          selector,
          privateKey: key ?? pem(rsa),
          ...(limit === undefined ? {} : { maxBodyLength: limit, canonicalization: "relaxed/relaxed" }),
        },
      ],
    } as never);
    message = signed.signatures + message;
  }
  return examineMessage(
    Buffer.from(one.change?.(message) ?? message, "utf8"),
    {
      remoteAddress: one.ip ?? stranger,
      heloName: one.helo ?? "helo.unknown.example",
      reversePath: one.mailFrom ?? "bounce@nowhere.example",
    },
    "mx.here.example",
    resolve,
  );
}

const bySpf = { ip: sender, mailFrom: "ann@bank.example" };
const byDkim = { sign: [{ domain: "bank.example", selector: "s1" }] };

const cases: readonly Case[] = [
  { says: "nothing speaks for it", is: false, failed: "reject" },
  { says: "SPF of the same domain", ...bySpf, is: true },
  { says: "SPF of a subdomain", ip: sender, mailFrom: "b@mail.bank.example", is: true },
  { says: "SPF from another address", ...bySpf, ip: stranger, is: false, failed: "reject" },
  { says: "SPF of another domain", ip: sender, mailFrom: "x@evil.example", is: false, failed: "reject" },
  {
    says: "the greeting's SPF for a null sender",
    ip: sender,
    mailFrom: "",
    helo: "helo.bank.example",
    is: true,
  },
  { says: "an RSA signature", ...byDkim, is: true },
  {
    says: "an Ed25519 signature",
    sign: [{ domain: "bank.example", selector: "e1", key: pem(ed25519 as never) }],
    is: true,
  },
  { says: "a signature of a subdomain", sign: [{ domain: "mail.bank.example", selector: "s1" }], is: true },
  {
    says: "a signature of another domain",
    sign: [{ domain: "evil.example", selector: "s1" }],
    is: false,
    failed: "reject",
  },
  {
    says: "one of two signatures",
    sign: [
      { domain: "evil.example", selector: "s1" },
      { domain: "bank.example", selector: "s1" },
    ],
    is: true,
  },
  {
    says: "a key of 512 bits",
    sign: [{ domain: "bank.example", selector: "w1", key: pem(weak) }],
    is: false,
    failed: "reject",
  },
  { says: "a revoked key", sign: [{ domain: "bank.example", selector: "x1" }], is: false, failed: "reject" },
  {
    says: "a key that nobody has",
    sign: [{ domain: "bank.example", selector: "none" }],
    is: false,
    failed: "reject",
  },
  {
    says: "a key whose servers are silent",
    sign: [{ domain: "bank.example", selector: "t1" }],
    is: false,
    failed: "reject",
  },
  {
    says: "a changed body",
    ...byDkim,
    change: (text) => text.replace("Pay 1.", "Pay 2."),
    is: false,
    failed: "reject",
  },
  {
    says: "a changed subject",
    ...byDkim,
    change: (text) => text.replace("Subject: money", "Subject: more"),
    is: false,
    failed: "reject",
  },
  {
    says: "a second From above a signed one",
    ...byDkim,
    change: (text) => `From: ceo@other.example\r\n${text}`,
    is: false,
  },
  {
    says: "a second From below a signed one",
    ...byDkim,
    change: (text) => text.replace("To: me", "From: ceo@bank.example\r\nTo: me"),
    is: false,
    failed: "reject",
  },
  {
    says: "a signature that leaves the rest of the body open",
    sign: [{ domain: "bank.example", selector: "s1", limit: 3 }],
    is: false,
    failed: "reject",
  },
  {
    says: "the same with text behind it",
    sign: [{ domain: "bank.example", selector: "s1", limit: 3 }],
    change: (text) => `${text}Pay more.\r\n`,
    is: false,
    failed: "reject",
  },

  {
    says: "exact comparison, same domain",
    from: "a@strict.example",
    ip: sender,
    mailFrom: "a@strict.example",
    is: true,
  },
  {
    says: "exact comparison, SPF of a subdomain",
    from: "a@strict.example",
    ip: sender,
    mailFrom: "a@mail.strict.example",
    is: false,
    failed: "quarantine",
  },
  {
    says: "exact comparison, signature of a subdomain",
    from: "a@strict.example",
    sign: [{ domain: "mail.strict.example", selector: "s1" }],
    is: false,
    failed: "quarantine",
  },
  {
    says: "no DMARC, SPF of the same domain",
    from: "a@loose.example",
    ip: sender,
    mailFrom: "a@loose.example",
    is: true,
  },
  {
    says: "no DMARC, SPF of a subdomain",
    from: "a@loose.example",
    ip: sender,
    mailFrom: "a@mail.loose.example",
    is: true,
  },
  { says: "no DMARC, SPF softfail", from: "a@loose.example", mailFrom: "a@loose.example", is: false },
  {
    says: "no DMARC, a signature",
    from: "a@loose.example",
    sign: [{ domain: "loose.example", selector: "s1" }],
    is: true,
  },
  {
    says: "silent DMARC, the very same domain",
    from: "a@silent.example",
    ip: sender,
    mailFrom: "a@silent.example",
    is: true,
  },
  {
    says: "silent DMARC, a subdomain",
    from: "a@silent.example",
    ip: sender,
    mailFrom: "a@mail.silent.example",
    is: false,
  },
  {
    says: "a subdomain of a domain that wants quarantine for those",
    from: "a@sub.bank.example",
    is: false,
    failed: "quarantine",
  },
  {
    says: "two owners below one public suffix",
    from: "a@one.co.uk",
    ip: sender,
    mailFrom: "a@two.co.uk",
    is: false,
  },

  { says: "a bare address", ...bySpf, from: "ann@bank.example", is: true },
  { says: "a quoted name", ...bySpf, from: '"Ann, of the bank" <ann@bank.example>', is: true },
  { says: "an encoded name", ...bySpf, from: "=?utf-8?q?=C3=84nn?= <ann@bank.example>", is: true },
  { says: "a comment", ...bySpf, from: "ann@bank.example (Ann)", is: true },
  { says: "a folded field", ...bySpf, header: ["From: Ann\r\n <ann@bank.example>"], is: true },
  { says: "no From", ...bySpf, header: ["X-From: ann@bank.example"], is: false },
  { says: "an empty From", ...bySpf, header: ["From: "], is: false },
  { says: "a name alone", ...bySpf, from: "Ann", is: false },
  { says: "an empty address", ...bySpf, from: "<>", is: false },
  { says: "two addresses", ...bySpf, from: "ann@bank.example, bob@bank.example", is: false },
  {
    says: "two From fields",
    ...bySpf,
    header: ["From: ann@bank.example", "From: ann@bank.example"],
    is: false,
  },
  {
    says: "a From with a space before its colon beside another",
    ...bySpf,
    header: ["From: ann@bank.example", "From : x@evil.example"],
    is: false,
    failed: "none",
  },
  { says: "a group", ...bySpf, from: "Bank: ann@bank.example;", is: false },
  { says: "an empty group", ...bySpf, from: "undisclosed:;", is: false },
  { says: "a source route", ...bySpf, from: "<@evil.example:ann@bank.example>", is: false, failed: "none" },
  { says: "two addresses in brackets", ...bySpf, from: "<ceo@other.example> <ann@bank.example>", is: false },
  {
    says: "an address as an unquoted name",
    ...bySpf,
    from: "ceo@other.example <ann@bank.example>",
    is: false,
  },
  {
    says: "an address in the quoted local part",
    ip: sender,
    mailFrom: "x@evil.example",
    from: '"ceo@bank.example"@evil.example',
    is: false,
    failed: "reject",
  },
  {
    says: "two at signs",
    ip: sender,
    mailFrom: "x@evil.example",
    from: "ceo@bank.example@evil.example",
    is: false,
    failed: "reject",
  },
  { says: "a local part with a space", ...bySpf, from: '"ann bank"@bank.example', is: false },
  { says: "a comment that does not end", ...bySpf, from: "ann@bank.example (", is: false },
  { says: "an address literal", ...bySpf, from: "ann@[192.0.2.10]", is: false },
  {
    says: "an internationalized domain",
    ip: sender,
    mailFrom: "a@xn--bcher-kva.example",
    from: "a@xn--bcher-kva.example",
    is: true,
  },
  {
    says: "the same as it is read",
    ip: sender,
    mailFrom: "a@xn--bcher-kva.example",
    from: "a@bücher.example",
    is: true,
  },
  {
    says: "a domain of Cyrillic twins",
    ip: sender,
    mailFrom: "a@xn--80ak6aa92e.example",
    from: "a@xn--80ak6aa92e.example",
    is: false,
  },
  {
    says: "a Latin domain with one Cyrillic letter",
    ip: sender,
    mailFrom: "a@xn--pypal-4ve.example",
    from: "a@xn--pypal-4ve.example",
    is: false,
  },
];

describe("is authenticated", () => {
  test.each(cases)("$says: $is", async (one) => {
    const evidence = await examine(one);
    expect({ is: evidence.isAuthenticated, failed: evidence.failedPolicy }).toEqual({
      is: one.is,
      failed: one.failed,
    });
  });
});

test("has the result of each check", async () => {
  const { checks } = await examine({ says: "", ...bySpf, ...byDkim, is: true });
  expect(checks).toMatchObject({
    spf: { result: "pass", domain: "bank.example" },
    dkim: [{ result: "pass", domain: "bank.example", selector: "s1", aligned: true }],
    dmarc: { result: "pass", domain: "bank.example", policy: "reject" },
    iprev: { result: "permerror", address: sender },
  });
});

test("makes a limited number of DNS queries, whatever a message names", async () => {
  const domains = Object.fromEntries(
    Array.from({ length: 200 }, (_, n): [string, ZoneRecord[]] => [
      `s${n}._domainkey.evil.example`,
      [["TXT", rsaRecord(rsa)]],
    ]),
  );
  const resolve = zoneResolve({ ...zone, ...domains });
  const line =
    "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=evil.example; h=from; bh=AAAA; b=AAAA; s=s";
  const header = Array.from({ length: 200 }, (_, n) => `${line}${n}`);
  const evidence = await examine(
    { says: "", header: [...header, "From: a@evil.example"], is: false },
    resolve,
  );
  expect(evidence.isAuthenticated).toBe(false);
  expect(resolve.asked.length).toBeLessThanOrEqual(60);
});

test("finds the reverse name of an address whose own records name that address", async () => {
  const names: Zone = {
    "10.2.0.192.in-addr.arpa": [["PTR", "out.bank.example"]],
    "out.bank.example": [["A", sender]],
  };
  const { checks } = await examine({ says: "", ...bySpf, is: true }, zoneResolve({ ...zone, ...names }));
  expect(checks.iprev).toEqual({ result: "pass", address: sender, name: "out.bank.example" });
});
