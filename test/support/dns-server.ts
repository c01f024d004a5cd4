/** A name server on the loopback interface that knows the names of a zone (`dns-zone.ts`), for what asks the network itself. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import dnsPacket from "dns-packet";
import { type Zone, zoneResolve } from "./dns-zone.ts";

export interface DnsServer extends AsyncDisposable {
  /** For the setting `dns.servers`. */
  readonly address: string;
  /** "TYPE name" of every question. */
  readonly asked: readonly string[];
}

const responseCode = { ENOTFOUND: 3, ENODATA: 0, EREFUSED: 5 } as const;

export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  const resolve = zoneResolve(zone);
  const socket = createSocket("udp4");
  socket.on("message", (packet, peer) => {
    const query = dnsPacket.decode(packet);
    const question = query.questions![0]!;
    void answer(question).then((response) => {
      if (response === undefined) return;
      const flags = dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE | response.code;
      const bytes = dnsPacket.encode({
        type: "response",
        id: query.id!,
        flags,
        questions: [question],
        answers: response.answers,
      });
      socket.send(bytes, peer.port, peer.address);
    });
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked: resolve.asked,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((done) => socket.close(() => done()));
    },
  };

  /** undefined: silence. */
  async function answer({ name, type }: dnsPacket.Question) {
    try {
      const values = await resolve(name, type);
      const answers = values.map((value) => recordOf(name, type, value));
      return { code: 0, answers };
    } catch (error) {
      const { code } = error as { code: string };
      if (code === "ETIMEOUT") return undefined;
      return { code: responseCode[code as keyof typeof responseCode] ?? 2, answers: [] };
    }
  }
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
