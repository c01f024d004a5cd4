/** DNS queries to a validating name server (DNSSEC), with the AD bit of each answer, which says that the answer is signed (RFC 4035
 *  section 3.2.3, RFC 6840 section 5.7). `node:dns` does not give this bit, so `dns-packet` writes and reads the messages.
 *
 *  Somebody on the network between this host and the name server can set the bit. So it is accepted from a name server on this host,
 *  and from others only if the operator says so (`dns.trust_ad`). */
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { getServers } from "node:dns";
import { once } from "node:events";
import { createConnection, isIP, isIPv6 } from "node:net";
import type dnsPacket from "dns-packet";
import type { Settings } from "#/config/schema.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { asksNobody, createResolve, dnsError, type Resolve } from "./dns.ts";

export interface SecureAnswer {
  /** In the shapes of `dns.promises.resolve`; of TLSA as `TlsaRecord`. */
  readonly values: readonly unknown[];
  /** The name server has validated every record on the way to the values. */
  readonly isSecure: boolean;
  /** The name that has the values, behind all aliases; lower case, without a dot at the end. */
  readonly name: string;
}

export interface TlsaRecord {
  readonly usage: number;
  readonly selector: number;
  readonly matchingType: number;
  readonly certificate: Uint8Array;
}

const secureTypes = ["A", "AAAA", "MX", "TLSA"] as const;
export type SecureType = (typeof secureTypes)[number];

export interface SecureDns {
  /** Fails with the codes of `node:dns`: ENOTFOUND and ENODATA where there is nothing, others where that is not known. */
  ask(name: string, type: SecureType): Promise<SecureAnswer>;
}

type SecureDnsSettings = Settings["dns"];

/** Servers that are asked, one after the other. */
const serversMax = 3;
/** Aliases that are followed, as resolvers do. */
const aliasesMax = 8;
/** An answer that fits into any path without fragments (RFC 9715); a longer one comes over TCP. */
const udpOctetsMax = 1232;

/** Types that `node:dns` does not know, with values as `dns-packet` gives them. */
const rareTypes: ReadonlySet<string> = new Set(["TLSA", "DS", "DNSKEY", "CAA"]);

/** The same resolver, which also asks for those types, at these name servers or, if there are none, at those of the system. Whether an
 *  answer is signed is not known. */
export function withRareTypes(
  resolve: Resolve,
  settings: Pick<SecureDnsSettings, "servers" | "timeoutMs">,
): Resolve {
  const servers = (settings.servers.length > 0 ? settings.servers : getServers()).map(readServer);
  return async (name, type) => {
    if (!rareTypes.has(type) || asksNobody(settings)) return resolve(name, type);
    const { values } = await askServers(servers.slice(0, serversMax), name, type, settings.timeoutMs);
    return [...values];
  };
}

/** undefined where nobody's AD bit is believed. */
export function createSecureDns(
  settings: SecureDnsSettings,
  now: () => number = () => performance.now(),
): SecureDns | undefined {
  const servers = (settings.servers.length > 0 ? settings.servers : getServers()).map(readServer);
  const isTrusted =
    settings.trustAd === "always" || (settings.trustAd === "auto" && servers.every(({ isLocal }) => isLocal));
  if (asksNobody(settings) || servers.length === 0 || !isTrusted) return undefined;
  const remembered = createResolve(settings, now, async (name, type) => [
    await askServers(servers.slice(0, serversMax), name, type, settings.timeoutMs),
  ]);
  return {
    async ask(name, type) {
      const [answer] = await remembered(name, type);
      return answer as SecureAnswer;
    },
  };
}

interface Server {
  readonly address: string;
  readonly port: number;
  readonly isLocal: boolean;
}

/** As `dns.setServers` takes them: 192.0.2.1, 192.0.2.1:53, 2001:db8::1, [2001:db8::1]:53. */
function readServer(text: string): Server {
  const bare = isIP(text) === 0 ? /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(text) : undefined;
  const address = bare?.[1] ?? text;
  const isLocal = address === "::1" || address.startsWith("127.");
  return { address, port: Number(bare?.[2] ?? 53), isLocal };
}

async function askServers(
  servers: readonly Server[],
  name: string,
  type: string,
  timeoutMs: number,
): Promise<SecureAnswer> {
  let failure: unknown;
  for (const server of [...servers, ...servers]) {
    try {
      return await askServer(server, name, type, timeoutMs);
    } catch (error) {
      const { code } = readThrown(error);
      if (code === "ENOTFOUND" || code === "ENODATA") throw error;
      failure = error;
    }
  }
  throw failure;
}

async function askServer(
  server: Server,
  name: string,
  type: string,
  timeoutMs: number,
): Promise<SecureAnswer> {
  const packet = (await import("dns-packet")).default;
  const id = randomInt(0x10000);
  const question = packet.encode({
    type: "query",
    id,
    flags: packet.RECURSION_DESIRED | packet.AUTHENTIC_DATA,
    questions: [{ type: type as dnsPacket.RecordType, name }],
    additionals: [
      { type: "OPT", name: ".", udpPayloadSize: udpOctetsMax, flags: 0, options: [] } as unknown as never,
    ],
  });
  const signal = AbortSignal.timeout(timeoutMs);
  const read = (octets: Buffer) => readResponse(packet, octets, { id, name, type });
  try {
    const response = read(await askOverUdp(server, question, signal));
    return answerOf(
      response.flag_tc ? read(await askOverTcp(server, question, signal)) : response,
      name,
      type,
    );
  } catch (error) {
    if (signal.aborted) throw dnsError("ETIMEOUT", name);
    throw error;
  }
}

async function askOverUdp(server: Server, question: Buffer, signal: AbortSignal): Promise<Buffer> {
  const socket = createSocket(isIPv6(server.address) ? "udp6" : "udp4");
  try {
    // A connected socket takes datagrams of this server alone.
    socket.connect(server.port, server.address);
    await once(socket, "connect", { signal });
    socket.send(question);
    const [octets] = (await once(socket, "message", { signal })) as [Buffer];
    return octets;
  } finally {
    socket.close();
  }
}

/** RFC 7766 section 8: each message has its length in two octets before it. */
async function askOverTcp(server: Server, question: Buffer, signal: AbortSignal): Promise<Buffer> {
  const socket = createConnection({ host: server.address, port: server.port, signal });
  try {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(question.length);
    socket.write(Buffer.concat([length, question]));
    let octets = Buffer.alloc(0);
    for await (const chunk of socket) {
      octets = Buffer.concat([octets, chunk as Buffer]);
      const end = octets.length < 2 ? Number.POSITIVE_INFINITY : 2 + octets.readUInt16BE(0);
      if (octets.length >= end) return octets.subarray(2, end);
    }
    throw new Error("The name server closed the connection.");
  } finally {
    socket.destroy();
  }
}

type Response = dnsPacket.DecodedPacket;

function readResponse(
  packet: typeof dnsPacket,
  octets: Buffer,
  asked: { readonly id: number; readonly name: string; readonly type: string },
): Response {
  const response = packet.decode(octets);
  const question = response.questions?.[0];
  const isAnswer =
    response.id === asked.id &&
    response.type === "response" &&
    question?.type === asked.type &&
    plainName(question.name) === plainName(asked.name);
  if (!isAnswer) throw new Error("The name server answered another question.");
  return response;
}

const responseCodes: Readonly<Record<string, Parameters<typeof dnsError>[0]>> = {
  NXDOMAIN: "ENOTFOUND",
  NOERROR: "ENODATA",
};

function answerOf(response: Response, asked: string, type: string): SecureAnswer {
  const records = (response.answers ?? []) as { name: string; type: string; data: unknown }[];
  let name = plainName(asked);
  for (let hops = 0; hops < aliasesMax; hops++) {
    const alias = records.find((record) => record.type === "CNAME" && plainName(record.name) === name);
    if (alias === undefined) break;
    name = plainName(String(alias.data));
  }
  const values = records
    .filter((record) => record.type === type && plainName(record.name) === name)
    .map(({ data }) => recordValue(type, data));
  const code = (response as unknown as { readonly rcode: string }).rcode;
  if (values.length > 0 && code === "NOERROR") return { values, isSecure: response.flag_ad, name };
  throw dnsError(responseCodes[code] ?? "EREFUSED", asked);
}

function recordValue(type: string, data: unknown): unknown {
  if (type !== "MX") return data;
  const { preference, exchange } = data as { preference: number; exchange: string };
  return { priority: preference, exchange };
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** Asks `dns` for the types that it knows, and `resolve` for the others. */
export function plainResolve(dns: SecureDns, resolve: Resolve): Resolve {
  const isKnown = (type: string): type is SecureType => (secureTypes as readonly string[]).includes(type);
  return async (name, type) =>
    isKnown(type) ? [...(await dns.ask(name, type)).values] : resolve(name, type);
}
