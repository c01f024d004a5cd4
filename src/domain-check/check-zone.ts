/** The zone of the domain: whether its name servers say the same, and whether its signatures (DNSSEC) hold. */
import { createHash } from "node:crypto";
import type { DnsRecord } from "#/src/accounts/dns-records.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { type AuthoritativeResolve, recordsOf } from "./authoritative.ts";
import { readRecords } from "./check-records.ts";
import { type Finding, ok, remark, wrong } from "./finding.ts";
import { plainName } from "./place.ts";

export async function checkZone(
  authoritative: AuthoritativeResolve,
  wanted: readonly DnsRecord[],
  resolve: Resolve,
): Promise<Finding[]> {
  return [
    ...(await checkAgreement(authoritative, wanted)),
    ...(await checkSignatures(authoritative, resolve)),
  ];
}

async function checkAgreement(
  { servers, zone }: AuthoritativeResolve,
  wanted: readonly DnsRecord[],
): Promise<Finding[]> {
  if (servers.length === 0) return [];
  const what = `name servers of ${zone}`;
  const found = servers.map(({ name }) => name).join(" | ");
  const compared = await Promise.all(
    wanted.map(async (record) => {
      const answers = await Promise.all(
        servers.map(async ({ name, resolve }) => {
          const said = await readRecords(record, resolve).then(
            (values) => values.toSorted().join(" | ") || "nothing",
            () => undefined,
          );
          return { name, said };
        }),
      );
      return { record, answers };
    }),
  );
  for (const { record, answers } of compared) {
    const said = answers.filter((answer) => answer.said !== undefined);
    if (new Set(said.map((answer) => answer.said)).size < 2) continue;
    const all = said.map((answer) => `${answer.name} says ${answer.said}`).join("; ");
    const why = `They differ about ${record.type} ${record.name}: ${all}. Others get the one or the other.`;
    return [{ what, found, ...wrong(why) }];
  }
  const silent = new Set(
    compared.flatMap(({ answers }) =>
      answers.filter(({ said }) => said === undefined).map(({ name }) => name),
    ),
  );
  if (silent.size > 0) return [{ what, found, ...remark(`${[...silent].join(", ")} does not answer.`) }];
  return [{ what, found, ...ok }];
}

interface Delegation {
  readonly keyTag: number;
  readonly digestType: number;
  readonly digest: Uint8Array;
}

interface ZoneKey {
  readonly flags: number;
  readonly algorithm: number;
  readonly key: Uint8Array;
}

/** Digest types of RFC 4509 and RFC 6605; SHA-1 (1) too, which old zones have. */
const digests: Readonly<Record<number, string>> = { 1: "sha1", 2: "sha256", 4: "sha384" };

/** What the parent says of the keys of the zone (DS) against what its own servers have (DNSKEY). */
async function checkSignatures(
  { zone, resolve: ownResolve }: AuthoritativeResolve,
  resolve: Resolve,
): Promise<Finding[]> {
  const what = `DNSSEC of ${zone}`;
  const delegations = (await recordsOf(resolve, zone, "DS").catch(() => [])) as Delegation[];
  if (delegations.length === 0) return [];
  const consequence = "every receiver that validates loses the domain";
  try {
    const keys = (await recordsOf(ownResolve, zone, "DNSKEY")) as ZoneKey[];
    if (keys.length === 0)
      return [
        {
          what,
          ...wrong(
            `The parent says that the zone is signed (DS), and its own servers have no key (DNSKEY): ${consequence}. Sign the zone, or have the DS taken out.`,
          ),
        },
      ];
    const isKnown = delegations.some((delegation) =>
      keys.some((key) => digests[delegation.digestType] === undefined || isOf(delegation, zone, key)),
    );
    if (isKnown) return [{ what, found: `${keys.length} keys`, ...ok }];
    const tags = delegations.map(({ keyTag }) => keyTag).join(", ");
    return [
      {
        what,
        ...wrong(
          `The parent names another key (DS ${tags}) than the zone's own servers have: ${consequence}. Have the DS replaced.`,
        ),
      },
    ];
  } catch (error) {
    const { code } = readThrown(error);
    return [{ what, status: "unknown", why: `No answer (${code}). Ask again later.` }];
  }
}

/** RFC 4034 section 5.1.4: the digest is of the owner's name in wire form and the data of the key. */
function isOf({ digestType, digest }: Delegation, zone: string, key: ZoneKey): boolean {
  const labels = plainName(zone)
    .split(".")
    .flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, "latin1")]);
  const head = Buffer.from([key.flags >> 8, key.flags & 255, 3, key.algorithm]);
  const octets = Buffer.concat([...labels, Buffer.from([0]), head, key.key]);
  return createHash(digests[digestType]!).update(octets).digest().equals(digest);
}
