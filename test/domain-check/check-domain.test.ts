/** What `domain check` finds where one thing of a domain is broken, over real connections of a small internet. */
import { createHash, X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadSettings } from "#/config/load.ts";
import { rootHref } from "#/protocols/dav/hrefs.ts";
import { formatZone } from "#/src/accounts/dns-records.ts";
import { findUnpublished } from "#/src/domain-check/check-domain.ts";
import { checkZone } from "#/src/domain-check/check-zone.ts";
import type { Finding } from "#/src/domain-check/finding.ts";
import { makeCertificate } from "../support/certificates/made-certificate.ts";
import { trustCertificate } from "../support/certificates/trusted-certificate.ts";
import { type Zone, type ZoneRecord, zoneOfRecords, zoneResolve } from "../support/servers/dns-zone.ts";
import {
  type Changes,
  checkWith,
  ed25519Name,
  keys,
  other,
  own,
  records,
  rsaName,
  textOf,
  zoneKey,
} from "./domain-world.ts";

const list = fileURLToPath(new URL("../../../shared/cases/domain-breakages.md", import.meta.url));
const hasList = existsSync(list);

interface Breakage extends Changes {
  readonly title: string;
  /** The finding: status, subject, and what it says in `why` and `copy`. */
  readonly says: readonly [status: Finding["status"], what: string | RegExp, text?: RegExp];
  /** Nothing may say so. */
  readonly never?: RegExp;
}

const mx: ZoneRecord = ["MX", [10, "mail.ours.net"]];
const spf = (text: string): Zone => ({ "ours.net": [mx, ["TXT", text]] });
const txt = (name: string, ...texts: string[]): Zone => ({ [name]: texts.map((text) => ["TXT", text]) });
const mxOf = (...all: readonly (readonly [number, string])[]): Zone => ({
  "ours.net": [...all.map((one): ZoneRecord => ["MX", one]), ["TXT", "v=spf1 a:mail.ours.net -all"]],
});
const atMail = (...all: ZoneRecord[]): Zone => ({ "mail.ours.net": all });
const enforced = ["sts.mode=enforce"];
const unpoliced = ["sts.mode=none"];

const { key, delegation } = zoneKey("ours.net");
const signed: Zone = {
  "ours.net": [mx, ["TXT", "v=spf1 mx -all"], delegation, key],
};
const wrongTlsa: ZoneRecord = [
  "TLSA",
  { usage: 3, selector: 1, matchingType: 1, certificate: Buffer.alloc(32, 7) },
];

/** By the first cell of the list's table. */
const breakages: Readonly<Record<string, readonly Breakage[]>> = {
  "SPF absent; without our address; `~all` for us; two records; `mx -al`; 11 look-ups": [
    {
      title: "absent",
      zone: { "ours.net": [mx] },
      says: ["missing", "TXT ours.net", /SPF.*v=spf1 mx -all/s],
    },
    {
      title: "without us",
      zone: spf("v=spf1 ip4:44.0.0.9 -all"),
      says: ["wrong", "TXT ours.net", /"fail".*ip4:127\.0\.0\.10/],
    },
    { title: "~all for us", zone: spf("v=spf1 ~all"), says: ["wrong", "TXT ours.net", /"softfail"/] },
    {
      title: "two records",
      zone: { "ours.net": [mx, ["TXT", "v=spf1 mx -all"], ["TXT", "v=spf1 -all"]] },
      says: ["wrong", "TXT ours.net", /several/],
    },
    {
      title: "a typo",
      zone: spf("v=spf1 mx -al"),
      says: ["wrong", "TXT ours.net", /"permerror".*Unknown mechanism "al"/],
    },
    {
      title: "11 look-ups",
      zone: {
        ...spf(`v=spf1 ${Array.from({ length: 11 }, (_, n) => `include:i${n}.isp.net`).join(" ")} mx -all`),
        ...Object.assign(
          {},
          ...Array.from({ length: 11 }, (_, n) => txt(`i${n}.isp.net`, "v=spf1 ip4:44.9.9.9 -all")),
        ),
      },
      says: ["wrong", "TXT ours.net", /"permerror".*eleventh/],
    },
  ],
  "SPF `+all`": [
    {
      title: "+all",
      zone: spf("v=spf1 +all"),
      says: ["wrong", "TXT ours.net", /everybody send as this domain/],
    },
    {
      title: "all of IPv4",
      zone: spf("v=spf1 ip4:0.0.0.0/0 -all"),
      says: ["wrong", "TXT ours.net", /everybody send/],
    },
  ],
  "DKIM RSA record absent; cut after 255 characters; other key": [
    { title: "absent", zone: { [rsaName]: [] }, says: ["missing", `TXT ${rsaName}`, /RSA key.*p=MII/s] },
    {
      title: "cut",
      zone: txt(rsaName, textOf(rsaName).slice(0, 255)),
      says: ["wrong", `TXT ${rsaName}`, /cut: 237 of 392 characters.*joined/],
    },
    {
      title: "other key",
      zone: txt(rsaName, "v=DKIM1; k=rsa; p=AAAA"),
      says: ["wrong", `TXT ${rsaName}`, /another key/],
    },
  ],
  "DKIM `k=rsa` on the Ed25519 key": [
    {
      title: "k=rsa",
      zone: txt(ed25519Name, textOf(ed25519Name).replace("k=ed25519", "k=rsa")),
      says: ["wrong", `TXT ${ed25519Name}`, /k=rsa of a key that is ed25519: signatures by this key fail/],
    },
    {
      title: "a tag that only receivers read",
      zone: txt(ed25519Name, `${textOf(ed25519Name)}; h=sha1`),
      says: ["wrong", `TXT ${ed25519Name}`, /signed with this key gets "/],
    },
  ],
  "DKIM `t=y`": [
    {
      title: "t=y",
      zone: txt(rsaName, `${textOf(rsaName)}; t=y`),
      says: ["remark", `TXT ${rsaName}`, /t=y.*tests are over/],
    },
  ],
  "DMARC absent; at the root name; `v=DMARC1 p=…`": [
    {
      title: "absent",
      zone: { "_dmarc.ours.net": [] },
      says: ["missing", "TXT _dmarc.ours.net", /DMARC.*v=DMARC1; p=/s],
    },
    {
      title: "at the root",
      zone: {
        "_dmarc.ours.net": [],
        "ours.net": [mx, ["TXT", "v=spf1 mx -all"], ["TXT", "v=DMARC1; p=reject"]],
      },
      says: ["missing", "TXT _dmarc.ours.net", /It stands at ours\.net instead/],
    },
    {
      title: "no semicolon",
      zone: txt("_dmarc.ours.net", "v=DMARC1 p=reject"),
      says: ["wrong", "TXT _dmarc.ours.net", /semicolons/],
    },
  ],
  "DMARC `p=none`": [
    {
      title: "p=none",
      zone: txt("_dmarc.ours.net", "v=DMARC1; p=none"),
      says: ["remark", "TXT _dmarc.ours.net", /delivered/],
    },
  ],
  "DMARC `sp=none; pct=10`": [
    {
      title: "sp and pct",
      zone: txt("_dmarc.ours.net", "v=DMARC1; p=reject; sp=none; pct=10"),
      says: ["remark", "TXT _dmarc.ours.net", /subdomains are unprotected.*10 of 100/],
    },
  ],
  "DMARC `rua` at another domain without its `_report._dmarc` consent": [
    {
      title: "without consent",
      zone: txt("_dmarc.ours.net", "v=DMARC1; p=reject; rua=mailto:d@theirs.net"),
      says: [
        "wrong",
        "TXT _dmarc.ours.net",
        /not sent to theirs\.net.*ours\.net\._report\._dmarc\.theirs\.net\. 3600 IN TXT "v=DMARC1"/s,
      ],
    },
    {
      title: "with consent",
      zone: {
        ...txt("_dmarc.ours.net", "v=DMARC1; p=reject; rua=mailto:d@theirs.net"),
        ...txt("ours.net._report._dmarc.theirs.net", "v=DMARC1"),
      },
      says: ["ok", "TXT _dmarc.ours.net"],
    },
  ],
  "MX absent; other server; to a CNAME; to an address; null MX": [
    {
      title: "absent",
      zone: { "ours.net": [["TXT", "v=spf1 a:mail.ours.net -all"]] },
      says: ["missing", "MX ours.net", /10 mail\.ours\.net\./],
    },
    {
      title: "other server",
      zone: mxOf([10, "mx.theirs.net"]),
      says: ["wrong", "MX ours.net", /never to mail\.ours\.net/],
    },
    {
      title: "a CNAME",
      zone: { ...mxOf([10, "in.ours.net"]), "in.ours.net": [["CNAME", "mail.ours.net"]] },
      says: ["wrong", "MX ours.net", /in\.ours\.net is a CNAME.*RFC 2181/],
    },
    {
      title: "an address",
      zone: mxOf([10, own]),
      says: ["wrong", "MX ours.net", /127\.0\.0\.10 is an address/],
    },
    { title: "null MX", zone: mxOf([0, ""]), says: ["wrong", "MX ours.net", /null MX.*takes no mail/] },
  ],
  "A of the server absent": [
    {
      title: "absent",
      zone: atMail(),
      says: ["missing", "addresses of mail.ours.net", /A record.*mail\.ours\.net\. 3600 IN A/s],
    },
  ],
  "A of another host": [
    {
      title: "another host",
      zone: atMail(["A", other]),
      says: ["wrong", /^port \d+ of 127\.0\.0\.20$/, /mx\.theirs\.net answers at 127\.0\.0\.20/],
      never: /Another name is good/,
    },
  ],
  "a dead AAAA beside a good A": [
    {
      title: "dead AAAA",
      zone: atMail(["A", own], ["AAAA", "::1"]),
      says: ["wrong", /^port \d+ of ::1$/, /that try ::1 first wait/],
    },
  ],
  "PTR absent": [
    {
      title: "absent",
      zone: { "10.0.0.127.in-addr.arpa": [] },
      says: ["missing", `PTR of ${own}`, /rents the address/],
    },
  ],
  "PTR that leads to another name (`host10.isp.net`, not confirmed)": [
    {
      title: "not confirmed",
      zone: { "10.0.0.127.in-addr.arpa": [["PTR", "host10.isp.net"]] },
      says: ["wrong", `PTR of ${own}`, /^host10\.isp\.net does not lead back/],
    },
  ],
  "PTR of another confirmed name": [
    {
      title: "confirmed",
      zone: { "10.0.0.127.in-addr.arpa": [["PTR", "host10.isp.net"]], "host10.isp.net": [["A", own]] },
      says: ["ok", `PTR of ${own}`, /Another name is good/],
    },
  ],
  "MTA-STS TXT absent; `mta-sts` host absent": [
    {
      title: "TXT, none",
      zone: { "_mta-sts.ours.net": [] },
      set: unpoliced,
      says: ["optional", "TXT _mta-sts.ours.net", /Add it/],
    },
    {
      title: "TXT, enforce",
      zone: { "_mta-sts.ours.net": [] },
      set: enforced,
      says: ["missing", "TXT _mta-sts.ours.net", /Add it/],
    },
    {
      title: "host, none",
      zone: { "mta-sts.ours.net": [] },
      set: unpoliced,
      says: ["optional", "CNAME mta-sts.ours.net", /Add it/],
    },
    {
      title: "host, testing",
      zone: { "mta-sts.ours.net": [] },
      says: ["missing", "CNAME mta-sts.ours.net", /Add it/],
    },
  ],
  "`mta-sts` host at another server": [
    {
      title: "another policy",
      zone: { "mta-sts.ours.net": [["CNAME", "mx.theirs.net"]] },
      otherPolicy: "version: STSv1\r\nmode: enforce\r\nmx: mx.theirs.net\r\nmax_age: 86400\r\n",
      says: ["wrong", "policy of mta-sts.ours.net", /not the one of this server.*mail\.ours\.net/],
    },
    {
      title: "no policy",
      zone: { "mta-sts.ours.net": [["A", "127.0.0.30"]] },
      says: [
        "wrong",
        "policy of mta-sts.ours.net",
        /cannot fetch the policy from 127\.0\.0\.30 \(ECONNREFUSED\)/,
      ],
    },
  ],
  "`mta-sts` host as A with the right address": [
    { title: "as A", zone: { "mta-sts.ours.net": [["A", own]] }, says: ["ok", "CNAME mta-sts.ours.net"] },
  ],
  "MTA-STS id of another policy": [
    {
      title: "another id",
      zone: txt("_mta-sts.ours.net", "v=STSv1; id=1"),
      says: ["remark", "TXT _mta-sts.ours.net", /another policy/],
    },
  ],
  "wrong TLSA at `_25._tcp.mail` (signed zone)": [
    {
      title: "signed",
      zone: { ...signed, "_25._tcp.mail.ours.net": [wrongTlsa] },
      says: [
        "wrong",
        /^TLSA _\d+\._tcp\.mail\.ours\.net$/,
        /DANE bring no mail.* IN TLSA 3 1 1 [0-9a-f]{64}$/s,
      ],
    },
    {
      title: "not signed",
      zone: { "_25._tcp.mail.ours.net": [wrongTlsa] },
      says: ["remark", /^TLSA _\d+\._tcp\.mail\.ours\.net$/, /not signed/],
    },
    { title: "none", zone: signed, says: ["optional", /^TLSA /, / IN TLSA 3 1 1 [0-9a-f]{64}$/] },
  ],
  "autoconfig absent": [
    {
      title: "absent",
      zone: { "autoconfig.ours.net": [] },
      says: ["optional", "CNAME autoconfig.ours.net", /Add it/],
    },
  ],
  "SRV of another port; of another host": [
    {
      title: "port",
      zone: { "_submissions._tcp.ours.net": [["SRV", [0, 1, 466, "mail.ours.net"]]] },
      says: ["wrong", "SRV _submissions._tcp.ours.net", /another port or host.* 465 mail/s],
    },
    {
      title: "host",
      zone: { "_submissions._tcp.ours.net": [["SRV", [0, 1, 465, "mx.theirs.net"]]] },
      says: ["wrong", "SRV _submissions._tcp.ours.net", /another port or host/],
    },
  ],
  "certificate of the published name expired, of another name, incomplete chain; at the second address": [
    {
      title: "expired",
      certificate: await makeCertificate("ec", { from: -30, to: -2 }, "mail.ours.net"),
      says: ["wrong", /^certificate at 127\.0\.0\.10 port \d+$/, /expired on \d{4}-\d\d-\d\d/],
    },
    {
      title: "another name",
      certificate: await trustCertificate(["mx.theirs.net"]),
      says: [
        "wrong",
        /^certificate at 127\.0\.0\.10/,
        /for DNS:mx\.theirs\.net, and not for mail\.ours\.net/,
      ],
    },
    {
      title: "self-signed",
      certificate: await makeCertificate("ec", { from: -1, to: 60 }, "mail.ours.net"),
      says: ["wrong", /^certificate at 127\.0\.0\.10/, /self-signed/],
    },
    {
      title: "incomplete chain",
      certificate: await makeCertificate("ec", { from: -1, to: 60 }, "mail.ours.net", "Issuing CA"),
      says: ["wrong", /^certificate at 127\.0\.0\.10/, /certificate of Issuing CA is missing/],
    },
    {
      title: "soon",
      certificate: await trustCertificate(["mail.ours.net"], 2),
      says: ["wrong", /^certificate at 127\.0\.0\.10/, /expires soon/],
    },
  ],
  "port 25 answers slowly, without STARTTLS, as an open relay, with another host name in its greeting": [
    { title: "slowly", slowMs: 0, says: ["remark", /^port \d+ of 127\.0\.0\.10$/, /answers slowly/] },
    {
      title: "without STARTTLS",
      sink: { server: { disabledCommands: ["AUTH", "STARTTLS"] } },
      says: ["wrong", `STARTTLS at ${own}`, /in the clear/],
    },
    {
      title: "open relay",
      sink: { onRecipient: () => undefined },
      says: ["wrong", `relaying at ${own}`, /open relay/],
    },
    {
      title: "another name",
      sink: { server: { name: "box.isp.net" } },
      says: ["wrong", /^port \d+ of 127\.0\.0\.10$/, /box\.isp\.net answers at/],
    },
  ],
  "port 25 outward blocked; own address on a blocklist that `dns` may ask": [
    {
      title: "blocked",
      zone: { "mx.theirs.net": [["A", "127.0.0.30"]] },
      says: ["wrong", "mail to other servers", /ECONNREFUSED.*hosters close port 25/],
    },
    {
      title: "listed",
      zone: { "10.0.0.127.zen.spamhaus.org": [["A", "127.0.0.2"]] },
      says: ["remark", "blocklist zen.spamhaus.org", /127\.0\.0\.10 is on the list zen\.spamhaus\.org/],
    },
    {
      title: "a list that does not answer us",
      zone: { "10.0.0.127.zen.spamhaus.org": [["A", "127.255.255.254"]] },
      says: ["ok", `PTR of ${own}`],
      never: /spamhaus/,
    },
  ],
  "the name servers differ among themselves; the zone is not signed although the parent says so": [
    {
      title: "they differ",
      nameServers: { "ns1.ours.net": {}, "ns2.ours.net": txt("_dmarc.ours.net", "v=DMARC1; p=none") },
      says: [
        "wrong",
        "name servers of ours.net",
        /_dmarc\.ours\.net: ns1\.ours\.net says v=DMARC1; p=quar.*; ns2\.ours\.net says v=DMARC1; p=none/,
      ],
    },
    {
      title: "one is silent",
      nameServers: { "ns1.ours.net": {}, "ns2.ours.net": { "_dmarc.ours.net": ["TIMEOUT"] } },
      says: ["remark", "name servers of ours.net", /ns2\.ours\.net does not answer/],
    },
    {
      title: "not signed",
      zone: { "ours.net": [mx, ["TXT", "v=spf1 mx -all"], delegation] },
      says: ["wrong", "DNSSEC of ours.net", /no key.*validates loses the domain/],
    },
    {
      title: "another key",
      zone: { "ours.net": [mx, ["TXT", "v=spf1 mx -all"], zoneKey("theirs.net").delegation, key] },
      says: ["wrong", "DNSSEC of ours.net", /another key/],
    },
    { title: "signed", zone: signed, says: ["ok", "DNSSEC of ours.net"] },
  ],
};

const each = Object.entries(breakages).flatMap(([row, all]) => all.map((one) => ({ row, ...one })));

it.each(each)("$row: $title", async ({ says: [status, what, text], never, ...changes }) => {
  const { ok, findings } = await checkWith(changes);
  const shown = findings.map((one) => `${one.status} ${one.what}: ${one.why ?? ""}`).join("\n");
  const found = findings.find((one) => (typeof what === "string" ? one.what === what : what.test(one.what)));
  expect(found, shown).toBeDefined();
  expect([found!.status, shown]).toEqual([status, shown]);
  const said = [found!.why, found!.copy].filter((one) => one !== undefined).join("\n");
  if (text === undefined) expect(said).toBe("");
  else expect(said).toMatch(text);
  if (never !== undefined) expect(shown).not.toMatch(never);
  if (status === "wrong" || status === "missing") expect(ok).toBe(false);
});

it.skipIf(!hasList)(`has every breakage of the list${hasList ? "" : ` (skipped: no ${list})`}`, () => {
  const rows = readFileSync(list, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
    .map((line) => line.split(" | ")[0]!.replace(/^\| /, ""));
  expect(rows.slice(1)).toEqual(Object.keys(breakages));
});

describe("a domain with the printed records", () => {
  it("has nothing wrong, and no remark", async () => {
    const { ok, findings } = await checkWith();
    const notable = findings.filter(({ status }) => status !== "ok" && status !== "unknown");
    expect(notable).toEqual([]);
    expect(ok).toBe(true);
    // The certificate for clients needs a running server.
    expect(findings.filter(({ status }) => status === "unknown").map(({ what }) => what)).toEqual([
      "certificate",
    ]);
    expect(findings.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        ...records.map(({ type, name }) => `${type} ${name}`),
        `PTR of ${own}`,
        "policy of mta-sts.ours.net",
        "disk",
      ]),
    );
  });

  it("has nothing wrong with TLSA records of its certificate", async () => {
    const certificate = await trustCertificate(["mail.ours.net"]);
    const spki = new X509Certificate(certificate.cert).publicKey.export({ type: "spki", format: "der" });
    const digest = createHash("sha256").update(spki).digest();
    const tlsa: ZoneRecord = ["TLSA", { usage: 3, selector: 1, matchingType: 1, certificate: digest }];
    const { ok, findings } = await checkWith({
      certificate,
      zone: { ...signed, "_25._tcp.mail.ours.net": [tlsa] },
    });
    expect([ok, findings[0]]).toMatchObject([true, { status: "ok", what: expect.stringMatching(/^TLSA/) }]);
  });
});

describe("an operator's own variant passes", () => {
  it.each<[string, Zone, string, Finding["status"]]>([
    ["a backup before us", mxOf([5, "mx.theirs.net"], [10, "MAIL.ours.net"]), "MX ours.net", "remark"],
    [
      "an own SPF record beside other texts",
      { "ours.net": [mx, ["TXT", "v=spf1 ip4:127.0.0.0/8 -all"], ["TXT", "site=abc"]] },
      "TXT ours.net",
      "ok",
    ],
    ["servers that are silent", { "_dmarc.ours.net": ["TIMEOUT"] }, "TXT _dmarc.ours.net", "unknown"],
    [
      "a path beside other keys",
      {
        "_carddavs._tcp.ours.net": [
          ["SRV", [0, 1, 443, "mail.ours.net"]],
          ["TXT", ["txtvers=1", "Path=/dav/"]],
        ],
      },
      "TXT _carddavs._tcp.ours.net",
      "ok",
    ],
    ["no service", { "_caldavs._tcp.ours.net": [] }, "SRV _caldavs._tcp.ours.net", "optional"],
  ])("%s", async (_, zone, what, status) => {
    const { ok, findings } = await checkWith({ zone });
    expect(findings.find((one) => one.what === what)!.status).toBe(status);
    expect(ok).toBe(true);
  });

  it("and a path that this server does not have does not", async () => {
    const { findings } = await checkWith({
      zone: { "_carddavs._tcp.ours.net": [["TXT", "path=/carddav/"]] },
    });
    const found = findings.find((one) => one.what === "TXT _carddavs._tcp.ours.net");
    expect(found).toMatchObject({ status: "wrong", why: expect.stringMatching(/path/) });
  });
});

it("queries the domain's own name servers, not the cache of another one", async () => {
  const { nameServers, findings } = await checkWith({
    nameServers: { "ns1.ours.net": txt("_dmarc.ours.net", "v=DMARC1; p=reject") },
  });
  expect(nameServers).toEqual(["ns1.ours.net"]);
  const found = findings.find(({ what }) => what === "TXT _dmarc.ours.net");
  expect(found).toMatchObject({ status: "ok", found: "v=DMARC1; p=reject" });
});

it("checks only a few addresses of a host with very many", async () => {
  const many = Array.from({ length: 1000 }, (_, n): ZoneRecord => ["A", `127.0.${n >> 8}.${n & 255}`]);
  const { findings } = await checkWith({ zone: atMail(...many) });
  expect(findings.filter(({ what }) => what.startsWith("PTR"))).toHaveLength(8);
});

/** The example of RFC 4509 section 2.3. */
it("knows the key of a zone by the digest that its parent has", async () => {
  const zone = "dskey.example.com";
  const dnskey = {
    flags: 256,
    algorithm: 5,
    key: Buffer.from(
      "AQOeiiR0GOMYkDshWoSKz9XzfwJr1AYtsmx3TGkJaNXVbfi/2pHm822aJ5iI9BMzNXxeYCmZDRD99WYwYqUSdjMmmAphXdvxegXd/M5+X7OrzKBaMbCVdFLUUh6DhweJBjEVv5f2wwjM9XzcnOf+EPbtG9DMBmADjFDc2w/rljwvFw==",
      "base64",
    ),
  };
  const digest = "d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a";
  const ds = { keyTag: 60485, algorithm: 5, digestType: 2, digest: Buffer.from(digest, "hex") };
  const resolve = zoneResolve({
    [zone]: [
      ["DS", ds],
      ["DNSKEY", dnskey],
    ],
  });
  expect(await checkZone({ zone, resolve, servers: [] }, [], resolve)).toMatchObject([{ status: "ok" }]);
});

it("prints a zone file with each record, its texts in strings of 255 octets", () => {
  expect(records.find(({ kind }) => kind === "service-path")?.value).toBe(`path=${rootHref}`);
  const lines = formatZone(records)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith(";"));
  expect(lines).toHaveLength(records.length);
  for (const [index, line] of lines.entries()) {
    const { name, type, value } = records[index]!;
    const [, data] = line.split(` IN ${type} `);
    expect(line.startsWith(`${name}. `)).toBe(true);
    const strings = [...data!.matchAll(/"([^"]*)"/g)].map((match) => match[1]!);
    expect(type === "TXT" ? strings.join("") : data).toBe(value);
    for (const string of strings) expect(string.length).toBeLessThanOrEqual(255);
  }
});

it("names keys that are missing or different in the DNS", async () => {
  const settings = loadSettings({ set: ["server.hostname=mail.ours.net"] });
  const right = zoneOfRecords(records);
  const unpublished = (zone: Zone) =>
    findUnpublished("ours.net", keys, { resolve: zoneResolve(zone), settings, now: Date.now() });
  expect(await unpublished(right)).toEqual([]);
  const { [rsaName]: _, ...others } = right;
  const lacking = { ...others, ...txt(ed25519Name, "v=DKIM1; k=ed25519; p=AAAA") };
  expect(await unpublished(lacking)).toEqual(expect.arrayContaining([rsaName, ed25519Name]));
});
