/** A name server on the loopback interface that answers from a zone (`dns-zone.ts`), for code that asks the network itself. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import dnsPacket from "dns-packet";
import { type Zone, zoneResolve } from "./dns-zone.ts";

export interface DnsServer extends AsyncDisposable {
  /** The value for the setting `dns.servers`. */
  readonly address: string;
  /** Every question, as "TYPE name". */
  readonly asked: readonly string[];
}

const responseCode = { ENOTFOUND: 3, ENODATA: 0, EREFUSED: 5 } as const;

export interface DnsServerOptions {
  /** Names whose answers have the AD bit when the question has it. */
  readonly signed?: readonly string[];
  /** The port; a free one by default. */
  readonly port?: number;
  /** Truncates all answers over UDP, so that clients must ask over TCP. */
  readonly cutsAnswers?: boolean;
}

/** A zone in which mail of these domains may come from this machine (SPF). */
export function sendersFromHere(...domains: readonly string[]): Zone {
  return Object.fromEntries(domains.map((name) => [name, [["TXT", "v=spf1 ip4:127.0.0.1 -all"]]]));
}

export async function startDnsServer(zone: Zone, options: DnsServerOptions = {}): Promise<DnsServer> {
  const resolve = zoneResolve(zone);
  const socket = createSocket("udp4");
  socket.on("message", (packet, peer) => {
    void respond(packet, options.cutsAnswers === true).then((response) => {
      if (response !== undefined) socket.send(response, peer.port, peer.address);
    });
  });
  const tcp = createServer((stream) => {
    stream.on("error", () => {});
    stream.once("data", (packet: Buffer) => {
      void respond(packet.subarray(2), false).then((response) => {
        if (response === undefined) return;
        const length = Buffer.alloc(2);
        length.writeUInt16BE(response.length);
        stream.end(Buffer.concat([length, response]));
      });
    });
  });
  tcp.listen(options.port ?? 0, "127.0.0.1");
  await once(tcp, "listening");
  const { port } = tcp.address() as AddressInfo;
  socket.bind(port, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${port}`,
    asked: resolve.asked,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((done) => socket.close(() => done()));
      await new Promise<void>((done) => tcp.close(() => done()));
    },
  };

  async function respond(packet: Buffer, isCut: boolean): Promise<Buffer | undefined> {
    const query = dnsPacket.decode(packet);
    const question = query.questions![0]!;
    const response = await answer(question);
    if (response === undefined) return undefined;
    const names = [question.name, ...response.answers.map(({ name }) => name)];
    const isSigned = query.flag_ad && names.every((name) => options.signed?.includes(name.toLowerCase()));
    return dnsPacket.encode({
      type: "response",
      id: query.id!,
      flags:
        dnsPacket.RECURSION_DESIRED |
        dnsPacket.RECURSION_AVAILABLE |
        (isSigned ? dnsPacket.AUTHENTIC_DATA : 0) |
        (isCut ? dnsPacket.TRUNCATED_RESPONSE : 0) |
        response.code,
      questions: [question],
      answers: isCut ? [] : response.answers,
    });
  }

  /** The answer to a question; undefined when the server must stay silent. */
  async function answer({ name, type }: dnsPacket.Question) {
    try {
      const values = await resolve(name, type);
      const aliases = aliasesOf(zone, name);
      const owner = aliases.at(-1)?.data ?? name;
      const answers = values.map((value) => recordOf(owner, type, value));
      return { code: 0, answers: [...aliases, ...answers] };
    } catch (error) {
      const { code } = error as { code: string };
      if (code === "ETIMEOUT") return undefined;
      return { code: responseCode[code as keyof typeof responseCode] ?? 2, answers: [] };
    }
  }
}

function aliasesOf(zone: Zone, name: string): { name: string; type: "CNAME"; ttl: number; data: string }[] {
  const alias = zone[name]?.find((one) => one !== "TIMEOUT" && one[0] === "CNAME");
  if (alias === undefined || alias === "TIMEOUT") return [];
  const data = String(alias[1]);
  return [{ name, type: "CNAME", ttl: 60, data }, ...aliasesOf(zone, data)];
}

function recordOf(name: string, type: string, value: unknown): dnsPacket.Answer {
  const data = type === "MX" ? withPreference(value) : type === "SRV" ? withTarget(value) : value;
  return { name, type, ttl: 60, data } as dnsPacket.Answer;
}

function withPreference(value: unknown): { preference: number; exchange: string } {
  const { priority, exchange } = value as { priority: number; exchange: string };
  return { preference: priority, exchange };
}

function withTarget(value: unknown): { target: string; [field: string]: unknown } {
  const { name, ...rest } = value as { name: string };
  return { ...rest, target: name };
}
