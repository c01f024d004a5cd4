import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import { expect, test } from "vitest";
import { loadSettings } from "#/config/load.ts";
import { rootHref } from "#/protocols/dav/hrefs.ts";
import { dnsRecords, formatZone, servicePorts } from "#/src/accounts/dns-records.ts";
import { makeDomainKeys } from "#/src/accounts/domain-keys.ts";
import { stsPolicyId } from "#/src/accounts/sts-policy.ts";
import { checkDomain, findUnpublished } from "#/src/domain-check/check-domain.ts";
import type { Finding } from "#/src/domain-check/finding.ts";
import { type Zone, zoneOfRecords, zoneResolve } from "../support/servers/dns-zone.ts";

const settings = loadSettings({
  set: ["server.hostname=mx.ours.dev", `storage.folder=${os.tmpdir()}`, "https.port=443", "imaps.port=1"],
});
const made = await makeDomainKeys("ours.dev", Date.now());
const keys = made.map((key) => ({ ...key, state: "signing", retiredAt: null }) as const);
const records = dnsRecords("ours.dev", "mx.ours.dev", keys, servicePorts(settings), stsPolicyId(settings));
const host: Zone = {
  "mx.ours.dev": [["A", "127.0.0.1"]],
  "1.0.0.127.in-addr.arpa": [["PTR", "mx.ours.dev"]],
};
const right: Zone = { ...zoneOfRecords(records), ...host };
const dkim = records.filter(({ kind }) => kind === "dkim").map(({ name }) => name);

/** What is found where the zone differs so from the right one; the server at port 25 is another one where `greeting` says so. */
async function check(changes: Zone = {}, greeting = "220 mx.ours.dev ready\r\n") {
  const server = net.createServer((socket) => socket.on("error", () => {}).end(greeting));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const zone = Object.fromEntries(
    Object.entries({ ...right, ...changes }).filter(([, all]) => all.length > 0),
  );
  try {
    return await checkDomain({
      domain: "ours.dev",
      keys,
      settings,
      resolve: zoneResolve(zone),
      now: Date.now(),
      otherDomain: "theirs.dev",
      smtpPort: (server.address() as AddressInfo).port,
    });
  } finally {
    server.close();
  }
}

const spf: Finding["what"] = "TXT ours.dev";

test("a domain with the printed records has no wrong or missing record", async () => {
  const { ok, findings } = await check();
  expect(ok).toBe(true);
  const status = Object.groupBy(findings, (finding) => finding.status);
  expect(status.wrong ?? status.missing).toBeUndefined();
  // The certificate needs a running server, and nobody else's server is known here.
  expect(status.unknown!.map(({ what }) => what)).toEqual(["mail to other servers", "certificate"]);
  expect(findings.map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      ...records.map(({ type, name }) => `${type} ${name}`),
      "PTR of 127.0.0.1",
      "disk",
    ]),
  );
});

test.each<[string, Zone, string, Finding["status"], RegExp]>([
  ["no MX", { "ours.dev": [["TXT", "v=spf1 mx -all"]] }, "MX ours.dev", "missing", /mail to the domain/],
  [
    "an MX of others",
    { "ours.dev": [["MX", [10, "mx.theirs.dev"]]] },
    "MX ours.dev",
    "wrong",
    /never to mx\.ours\.dev/,
  ],
  [
    "a backup before us",
    {
      "ours.dev": [
        ["MX", [5, "mx.theirs.dev"]],
        ["MX", [10, "MX.ours.dev"]],
      ],
    },
    "MX ours.dev",
    "ok",
    /first/,
  ],
  [
    "two SPF records",
    {
      "ours.dev": [
        ["TXT", "v=spf1 mx -all"],
        ["TXT", "v=spf1 -all"],
      ],
    },
    spf,
    "wrong",
    /several/,
  ],
  [
    "an SPF record that names others",
    { "ours.dev": [["TXT", "v=spf1 ip4:192.0.2.1 -all"]] },
    spf,
    "wrong",
    /"fail"/,
  ],
  [
    "an own SPF record beside other texts",
    {
      "ours.dev": [
        ["TXT", "v=spf1 ip4:127.0.0.0/8 -all"],
        ["TXT", "site=abc"],
      ],
    },
    spf,
    "ok",
    /^$/,
  ],
  ["no SPF record", { "ours.dev": [["TXT", "site=abc"]] }, spf, "missing", /SPF/],
  ["a key that is not there", { [dkim[0]!]: [] }, `TXT ${dkim[0]}`, "missing", /DKIM/],
  [
    "the other key",
    { [dkim[1]!]: [["TXT", "v=DKIM1; k=ed25519; p=AAAA"]] },
    `TXT ${dkim[1]}`,
    "wrong",
    /another key/,
  ],
  [
    "no policy",
    { "_dmarc.ours.dev": [["TXT", "v=DMARC1; rua=mailto:a@b.c"]] },
    "TXT _dmarc.ours.dev",
    "wrong",
    /p=/,
  ],
  [
    "a policy of none",
    { "_dmarc.ours.dev": [["TXT", "v=DMARC1;p=none"]] },
    "TXT _dmarc.ours.dev",
    "ok",
    /delivered/,
  ],
  [
    "servers that are silent",
    { "_dmarc.ours.dev": ["TIMEOUT"] },
    "TXT _dmarc.ours.dev",
    "unknown",
    /ETIMEOUT/,
  ],
  [
    "a service at another port",
    { "_caldavs._tcp.ours.dev": [["SRV", [0, 1, 8443, "mx.ours.dev"]]] },
    "SRV _caldavs._tcp.ours.dev",
    "wrong",
    /port/,
  ],
  [
    "a service at another path",
    { "_carddavs._tcp.ours.dev": [["TXT", "path=/carddav/"]] },
    "TXT _carddavs._tcp.ours.dev",
    "wrong",
    /path/,
  ],
  [
    "a path beside other keys",
    { "_carddavs._tcp.ours.dev": [["TXT", ["txtvers=1", "Path=/dav/"]]] },
    "TXT _carddavs._tcp.ours.dev",
    "ok",
    /^$/,
  ],
  ["no path", { "_caldavs._tcp.ours.dev": [] }, "TXT _caldavs._tcp.ours.dev", "optional", /path/],
  ["no service", { "_caldavs._tcp.ours.dev": [] }, "SRV _caldavs._tcp.ours.dev", "optional", /calendar/],
  ["an address without a name", { "1.0.0.127.in-addr.arpa": [] }, "PTR of 127.0.0.1", "missing", /rents/],
  ["a host without address", { "mx.ours.dev": [] }, "addresses of mx.ours.dev", "missing", /A record/],
])("%s", async (_, changes, what, status, why) => {
  const { ok, findings } = await check(changes);
  const finding = findings.find((one) => one.what === what)!;
  expect(finding.status).toBe(status);
  expect(finding.why ?? "").toMatch(why);
  if (status === "wrong" || status === "missing") expect(ok).toBe(false);
});

test("another server at port 25 is reported as wrong", async () => {
  const { findings } = await check({}, "220 mx.theirs.dev ready\r\n");
  expect(findings.find(({ found }) => found?.startsWith("220"))).toMatchObject({ status: "wrong" });
});

test("the domain's own name servers are queried, not the cache of another one", async () => {
  const usual = zoneResolve({
    ...host,
    "ours.dev": [
      ["NS", "ns.ours.dev"],
      ["MX", [10, "old.ours.dev"]],
    ],
    "ns.ours.dev": [["A", "192.0.2.53"]],
  });
  const asked: (readonly string[])[] = [];
  const { nameServers, findings } = await checkDomain({
    domain: "ours.dev",
    keys,
    settings,
    resolve: usual,
    now: Date.now(),
    otherDomain: "theirs.dev",
    smtpPort: 1,
    askServers: (addresses) => {
      asked.push(addresses);
      return zoneResolve(right);
    },
  });
  expect(nameServers).toEqual(["ns.ours.dev"]);
  expect(asked).toEqual([["192.0.2.53"]]);
  expect(findings[0]).toMatchObject({ what: "MX ours.dev", status: "ok", found: "10 mx.ours.dev." });
});

test("only a few addresses of a host with very many are checked", async () => {
  const many: Zone = {
    "mx.ours.dev": Array.from({ length: 1000 }, (_, n) => ["A", `127.0.${n >> 8}.${n & 255}`] as const),
  };
  const { findings } = await check(many);
  expect(findings.filter(({ what }) => what.startsWith("PTR"))).toHaveLength(8);
});

test("a zone file has each record, its texts in strings of 255 octets", () => {
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

test("keys that are missing or different in the DNS are named", async () => {
  const [rsa, ed25519] = dkim as [string, string];
  expect(await findUnpublished("ours.dev", keys, { resolve: zoneResolve(right) })).toEqual([]);
  const { [rsa]: _, ...others } = right;
  const lacking: Zone = { ...others, [ed25519]: [["TXT", "v=DKIM1; k=ed25519; p=AAAA"]] };
  expect(await findUnpublished("ours.dev", keys, { resolve: zoneResolve(lacking) })).toEqual([rsa, ed25519]);
});
