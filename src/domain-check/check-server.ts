/** The server as senders find it: at each of its addresses port 25, STARTTLS, the certificate, the reverse name, and TLSA records. */
import type { Settings } from "#/config/schema.ts";
import { findDaneMismatch } from "#/protocols/delivery/dane-match.ts";
import { lookAtServer, type ServerSight } from "#/protocols/delivery/look-at-server.ts";
import { formatRecord } from "#/src/accounts/dns-records.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import { checkReverseName, listedName, reverseNames } from "#/src/evidence/reverse-name.ts";
import type { TlsaRecord } from "#/src/evidence/secure-dns.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { recordsOf } from "./authoritative.ts";
import { type Finding, ok, remark, wrong } from "./finding.ts";
import { judgeCertificate, tlsaValueOf } from "./judge-certificate.ts";
import { plainName } from "./place.ts";
import { isZoneSigned } from "./secure-records.ts";

export interface ServerPlace {
  readonly domain: string;
  readonly settings: Settings;
  readonly addresses: readonly string[];
  readonly resolve: Resolve;
  readonly now: number;
  /** The port at which other servers deliver: 25, except in tests. */
  readonly smtpPort: number;
  /** An address of another domain, for which this server must not take mail from strangers. */
  readonly stranger: string;
  /** A server that needs longer before it takes mail is slow. */
  readonly slowMs: number;
}

const lookMs = 30_000;
/** Lists of addresses that send spam, as many receivers ask them (RFC 5782). */
const blocklists = ["zen.spamhaus.org", "bl.spamcop.net"];

/** What is at one address; a text says why nothing can be seen. */
interface Seen {
  readonly address: string;
  readonly sight: ServerSight | string;
}

export async function checkServer(place: ServerPlace): Promise<Finding[]> {
  const { settings, addresses } = place;
  const { hostname } = settings.server;
  if (addresses.length === 0) {
    const why = `Add an A record, and AAAA if there is IPv6, for ${hostname}.`;
    const copy = formatRecord({ name: hostname, type: "A", value: "<address>" });
    return [{ what: `addresses of ${hostname}`, status: "missing", why, copy }];
  }
  const seen = await Promise.all(addresses.map((address) => look(address, place)));
  const isAnyReached = seen.some(({ sight }) => typeof sight !== "string");
  const atEach = await Promise.all(
    seen.map(async (one) => [
      ...checkSight(one, isAnyReached, place),
      await checkName(one, place),
      ...(await checkBlocklists(one.address, place)),
    ]),
  );
  const found = { what: `addresses of ${hostname}`, status: "ok", found: addresses.join(" | ") } as const;
  return [...(await checkTlsa(seen, place)), found, ...atEach.flat()];
}

async function look(address: string, { settings, smtpPort, stranger }: ServerPlace): Promise<Seen> {
  const { hostname } = settings.server;
  try {
    const rooms = { settings, timeoutMs: lookMs };
    return {
      address,
      sight: await lookAtServer(rooms, { host: hostname, address, port: smtpPort, stranger }),
    };
  } catch (error) {
    const { code, message } = readThrown(error);
    return { address, sight: code ?? message };
  }
}

function greetedName(sight: ServerSight): string {
  return plainName(/^220[ -](\S+)/.exec(sight.greeting)?.[1] ?? "");
}

function isOurs({ sight }: Seen, { settings }: ServerPlace): boolean {
  return typeof sight !== "string" && greetedName(sight) === plainName(settings.server.hostname);
}

function checkSight(seen: Seen, isAnyReached: boolean, place: ServerPlace): Finding[] {
  const { address, sight } = seen;
  const { settings, smtpPort, now, slowMs } = place;
  const { hostname } = settings.server;
  const what = `port ${smtpPort} of ${address}`;
  if (typeof sight === "string") {
    if (isAnyReached)
      return [
        {
          what,
          ...wrong(
            `Nothing answers there (${sight}): senders that try ${address} first wait, and some give up. Open the port, or take the address out of the DNS of ${hostname}.`,
          ),
        },
      ];
    const why = `${address} does not answer from here (${sight}). Open the port in the firewall and forward it to port ${settings.smtp.port}; some networks reach their own address from outside alone.`;
    return [{ what, status: "unknown", why }];
  }
  const found = sight.greeting;
  if (!isOurs(seen, place))
    return [
      {
        what,
        found,
        expected: `220 ${hostname}`,
        ...wrong(
          `${greetedName(sight) || "Another server"} answers at ${address}, and not ${hostname}: the address of ${hostname} leads to another host, or server.hostname is not its name.`,
        ),
      },
    ];
  const seconds = Math.round(sight.readyMs / 1000);
  const isSlow = sight.readyMs > slowMs;
  return [
    {
      what,
      found,
      ...(isSlow ? remark(`It answers slowly, after ${seconds} s: some senders do not wait so long.`) : ok),
    },
    ...(sight.isRelay
      ? [
          {
            what: `relaying at ${address}`,
            ...wrong(
              "It takes mail from strangers for strangers (an open relay): it will be used for spam, and be on every blocklist.",
            ),
          },
        ]
      : []),
    sight.isSecure || sight.certificates.length > 0 || sight.tlsResult !== "starttls-not-supported"
      ? {
          what: `certificate at ${address} port ${smtpPort}`,
          ...judgeCertificate(sight.certificates, sight.tlsResult, hostname, now),
        }
      : {
          what: `STARTTLS at ${address}`,
          ...wrong(
            "It offers no STARTTLS: mail comes in the clear, and from senders with DANE or MTA-STS not at all.",
          ),
        },
  ];
}

/** RFC 1912 section 2.1; large receivers refuse mail without it. */
async function checkName(seen: Seen, place: ServerPlace): Promise<Finding> {
  const { address, sight } = seen;
  const { settings, resolve } = place;
  const what = `PTR of ${address}`;
  const { hostname: expected } = settings.server;
  const { result, name } = await checkReverseName(address, resolve);
  if (result === "temperror")
    return { what, status: "unknown", expected, why: "No answer. Ask again later." };
  const found = name ?? (await reverseNames(address, resolve).catch(() => [])).map(plainName).join(" | ");
  const rented = `Whoever rents the address out sets its name. Many servers refuse mail from an address without one.`;
  if (found === "") return { what, status: "missing", expected, why: rented };
  if (result !== "pass")
    return { what, found, expected, ...wrong(`${found} does not lead back to ${address}. ${rented}`) };
  if (plainName(found) === plainName(expected)) return { what, found, ...ok };
  if (typeof sight !== "string" && !isOurs(seen, place))
    return { what, found, expected, ...wrong(`It is the address of ${found}, and not of ${expected}.`) };
  return { what, found, expected, ...ok, why: "Another name is good, too." };
}

async function checkBlocklists(address: string, { resolve }: ServerPlace): Promise<Finding[]> {
  const listed = await Promise.all(
    blocklists.map(async (list) => {
      const answers = await resolve(listedName(address, list), "A").catch(() => []);
      // Other values of 127/8 say that the list does not answer this name server.
      return answers.some((value) => String(value).startsWith("127.0.0.")) ? [list] : [];
    }),
  );
  return listed.flat().map((list) => ({
    what: `blocklist ${list}`,
    found: address,
    ...remark(
      `${address} is on the list ${list}: servers that ask it refuse mail from here. Its web page says why and how to get off.`,
    ),
  }));
}

/** RFC 7672: in a zone that is signed, senders with DANE bring mail only to the certificates that the records name. */
async function checkTlsa(seen: readonly Seen[], place: ServerPlace): Promise<Finding[]> {
  const { domain, settings, resolve, smtpPort, now } = place;
  const { hostname } = settings.server;
  const name = `_${smtpPort}._tcp.${plainName(hostname)}`;
  const what = `TLSA ${name}`;
  const sights = seen.filter((one) => isOurs(one, place)).map(({ sight }) => sight as ServerSight);
  const certificate = sights.find(({ certificates }) => certificates.length > 0)?.certificates[0];
  const expected = certificate && tlsaValueOf(certificate);
  const copy = expected && { copy: formatRecord({ name, type: "TLSA", value: expected }) };
  const isSigned = await isZoneSigned(hostname, resolve);
  const records = (await recordsOf(resolve, name, "TLSA").catch(() => undefined)) as TlsaRecord[] | undefined;
  if (records === undefined) return [];
  if (records.length === 0) {
    if (!isSigned) return [];
    const why = "The zone is signed, so senders can be told by which key they know this server (DANE).";
    return [{ what, status: "optional", ...(expected === undefined ? {} : { expected }), ...copy, why }];
  }
  const found = records.map(formatTlsa).join(" | ");
  if (sights.length === 0) return [{ what, found, status: "unknown", why: "The server was not seen." }];
  const names = [...new Set([hostname, domain])];
  const mismatch = sights
    .map(({ certificates }) => findDaneMismatch(certificates, { base: hostname, names, records }, now))
    .find((one) => one !== undefined);
  if (!isSigned)
    return [{ what, found, ...remark("The zone is not signed (DNSSEC), so nobody looks at it.") }];
  if (mismatch === undefined) return [{ what, found, ...ok }];
  const why = `Senders with DANE bring no mail: ${mismatch}`;
  return [{ what, found, ...(expected === undefined ? {} : { expected }), ...wrong(why), ...copy }];
}

function formatTlsa({ usage, selector, matchingType, certificate }: TlsaRecord): string {
  return `${usage} ${selector} ${matchingType} ${Buffer.from(certificate).toString("hex")}`;
}
