/** A small internet on loopback: the server of ours.net at 127.0.0.10, another one at 127.0.0.20, a DNS that is a table. */
import { createHash } from "node:crypto";
import os from "node:os";
import { loadSettings } from "#/config/load.ts";
import type { Settings } from "#/config/schema.ts";
import { dnsRecords, servicePorts } from "#/src/accounts/dns-records.ts";
import { makeDomainKeys } from "#/src/accounts/domain-keys.ts";
import { formatStsPolicy, stsPolicyId } from "#/src/accounts/sts-policy.ts";
import { checkDomain, type DomainCheck } from "#/src/domain-check/check-domain.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import { startPolicyServer } from "../delivery/policy-server.ts";
import { type TrustedCertificate, trustCertificate } from "../support/certificates/trusted-certificate.ts";
import { freePort } from "../support/free-port.ts";
import { type Zone, type ZoneRecord, zoneOfRecords, zoneResolve } from "../support/servers/dns-zone.ts";
import { type SinkOptions, startSink } from "../support/servers/smtp-sink.ts";

export const own = "127.0.0.10";
export const other = "127.0.0.20";

export interface Changes {
  /** Names with other records than in the right zone; without any the name is not there. */
  readonly zone?: Zone;
  readonly set?: readonly string[];
  readonly sink?: SinkOptions;
  readonly certificate?: TrustedCertificate;
  /** The policy that another server has. */
  readonly otherPolicy?: string;
  readonly slowMs?: number;
  /** Name servers of ours.net, each with the names that it has otherwise. */
  readonly nameServers?: Readonly<Record<string, Zone>>;
}

const trusted = await trustCertificate(["mail.ours.net"]);
const ofPolicy = await trustCertificate(["mta-sts.ours.net"]);
const made = await makeDomainKeys("ours.net", Date.now());
export const keys = made.map((key) => ({ ...key, state: "signing", retiredAt: null }) as const);
export const [rsaName, ed25519Name] = (["rsa", "ed25519"] as const).map(
  (algorithm) => `${keys.find((key) => key.algorithm === algorithm)!.selector}._domainkey.ours.net`,
) as [string, string];

function recordsFor(settings: Settings) {
  return dnsRecords("ours.net", "mail.ours.net", keys, servicePorts(settings), stsPolicyId(settings));
}

const usual = loadSettings({
  set: ["server.hostname=mail.ours.net", "https.port=443", "imaps.port=1", "submissions.port=465"],
});
export const records = recordsFor(usual);
export const textOf = (name: string): string => records.find((one) => one.name === name)!.value;

/** What `domain check` finds with these changes. */
export async function checkWith(changes: Changes = {}): Promise<DomainCheck> {
  const port = await freePort();
  await using _sink = await startSink({
    host: own,
    port,
    onRecipient: () => ({ code: 550, text: "5.7.1 not here" }),
    ...changes.sink,
    server: { name: "mail.ours.net", ...(changes.certificate ?? trusted), ...changes.sink?.server },
  });
  await using _theirs = await startSink({ host: other, port, server: { name: "mx.theirs.net" } });
  const settings = loadSettings({
    set: [
      "server.hostname=mail.ours.net",
      "https.port=443",
      "imaps.port=1",
      "submissions.port=465",
      `storage.folder=${os.tmpdir()}`,
      "outbound.allow_private_addresses=true",
      `outbound.mx_port=${port}`,
      ...(changes.set ?? []),
    ],
  });
  const place = { host: own, port: await freePort() };
  await using _policy = await startPolicyServer(ofPolicy, formatStsPolicy(settings), "text/plain", place);
  await using _otherPolicy = await startPolicyServer(ofPolicy, changes.otherPolicy ?? "", "text/plain", {
    ...place,
    host: other,
  });
  const right: Zone = {
    ...zoneOfRecords(recordsFor(settings)),
    "mail.ours.net": [["A", own]],
    "10.0.0.127.in-addr.arpa": [["PTR", "mail.ours.net"]],
    "mx.theirs.net": [["A", other]],
    "20.0.0.127.in-addr.arpa": [["PTR", "mx.theirs.net"]],
    "theirs.net": [["MX", [10, "mx.theirs.net"]]],
  };
  const atPort = Object.entries(changes.zone ?? {}).map(([name, found]) => [
    name.replace("_25._tcp.", `_${port}._tcp.`),
    found,
  ]);
  const zone = changed(right, Object.fromEntries(atPort));
  const servers = Object.entries(changes.nameServers ?? {});
  const named: Zone = Object.fromEntries(
    servers.map(([name], at) => [name, [["A", `192.0.2.${at + 1}`]] as ZoneRecord[]]),
  );
  const withServers = changed(zone, {
    ...named,
    ...(servers.length > 0
      ? { "ours.net": [...zone["ours.net"]!, ...servers.map(([name]) => ["NS", name] as const)] }
      : {}),
  });
  const askServers = ([address]: readonly string[]): Resolve => {
    const [, differing] = servers[Number(address!.split(".").at(-1)) - 1]!;
    return zoneResolve(changed(withServers, differing));
  };
  return await checkDomain({
    domain: "ours.net",
    keys,
    settings,
    resolve: zoneResolve(withServers),
    now: Date.now(),
    otherDomain: "theirs.net",
    smtpPort: port,
    policyPort: place.port,
    askServers,
    // A busy machine is slow.
    slowMs: changes.slowMs ?? 600_000,
  });
}

function changed(zone: Zone, changes: Zone = {}): Zone {
  return Object.fromEntries(Object.entries({ ...zone, ...changes }).filter(([, found]) => found.length > 0));
}

/** A key of a zone (DNSKEY) and what the parent says of it (DS). */
export function zoneKey(zone: string): { readonly key: ZoneRecord; readonly delegation: ZoneRecord } {
  const key = { flags: 257, algorithm: 15, key: Buffer.alloc(32, 5) };
  const name = zone.split(".").map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  const data = Buffer.concat([...name, Buffer.from([0, 1, 1, 3, 15]), key.key]);
  const digest = createHash("sha256").update(data).digest();
  return {
    key: ["DNSKEY", key],
    delegation: ["DS", { keyTag: 1, algorithm: 15, digestType: 2, digest }],
  };
}
