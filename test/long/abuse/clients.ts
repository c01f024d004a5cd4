/** Clients of the attackers: connections from chosen networks that end with the attack. Their errors do not end the process. */
import { once } from "node:events";
import http from "node:http";
import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import tls from "node:tls";
import { connectRawImap, type RawImap } from "../../support/clients/raw-imap.ts";
import { addressIn } from "./networks.ts";
import type { Places, VictimAgent } from "./victim.ts";

export interface Port {
  readonly host: string;
  readonly port: number;
}

export interface Answer {
  /** 0 when there was no answer. */
  readonly status: number;
  readonly text: string;
}

/** Repeats an action in `times` loops at once until the attack ends, with a pause after each action. Errors are ignored. */
export async function overAndOver(
  times: number,
  until: AbortSignal,
  act: (at: number, round: number) => Promise<unknown>,
  pauseMs = 50,
): Promise<void> {
  await Promise.all(
    Array.from({ length: times }, async (_, at) => {
      for (let round = 0; !until.aborted; round++) {
        await Promise.race([act(at, round).catch(() => {}), aborted(until)]);
        await delay(pauseMs);
      }
    }),
  );
}

const aborts = new WeakMap<AbortSignal, Promise<unknown>>();

function aborted(signal: AbortSignal): Promise<unknown> {
  const known = aborts.get(signal) ?? once(signal, "abort");
  aborts.set(signal, known);
  return known;
}

const open = new WeakMap<AbortSignal, Set<net.Socket>>();

/** Destroys the socket when the attack ends. */
function untilAborted(socket: net.Socket, until: AbortSignal): void {
  let sockets = open.get(until);
  if (sockets === undefined) {
    const all = new Set<net.Socket>();
    until.addEventListener("abort", () => {
      for (const one of all) one.destroy();
    });
    open.set(until, all);
    sockets = all;
  }
  const all = sockets;
  all.add(socket);
  socket.on("error", () => {}).once("close", () => all.delete(socket));
}

/** A connection that drops everything it reads, unless it is paused. */
export function connect(
  { host, port }: Port,
  network: number,
  until: AbortSignal,
  { isTls = false, ALPNProtocols = [] as string[] } = {},
): net.Socket {
  const plain = net.connect({ host, port, localAddress: addressIn(network), noDelay: true });
  untilAborted(plain, until);
  if (!isTls) return plain.resume();
  const secure = tls.connect({ socket: plain, rejectUnauthorized: false, ALPNProtocols });
  untilAborted(secure, until);
  return secure.resume();
}

export async function closed(socket: net.Socket): Promise<void> {
  if (!socket.destroyed) await once(socket, "close").catch(() => {});
}

/** Writes, and waits while the other side does not read. False when the connection is closed. */
export async function write(socket: net.Socket, octets: string | Uint8Array): Promise<boolean> {
  if (socket.destroyed) return false;
  if (socket.write(octets)) return true;
  await Promise.race([once(socket, "drain").catch(() => {}), once(socket, "close").catch(() => {})]);
  return !socket.destroyed;
}

export function portOf({ url }: { readonly url: string }): Port {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

const agents = new Map<string | undefined, http.Agent>();

function agentOf(network: number): http.Agent {
  const localAddress = addressIn(network);
  const agent = agents.get(localAddress) ?? new http.Agent({ keepAlive: true, localAddress });
  agents.set(localAddress, agent);
  return agent;
}

export interface Request {
  readonly network: number;
  readonly until: AbortSignal;
  readonly method?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

export function send(
  { http: { url } }: Places,
  path: string,
  body: string | Buffer,
  { network, until, method = "POST", fields = {} }: Request,
): Promise<Answer> {
  return new Promise((resolve) => {
    const headers = { "content-length": String(Buffer.byteLength(body)), ...fields };
    const nothing = (): void => resolve({ status: 0, text: "" });
    const request = http.request(
      `${url}${path}`,
      { agent: agentOf(network), method, headers, signal: until },
      (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece)).on("error", nothing);
        response.on("end", () =>
          resolve({ status: response.statusCode!, text: Buffer.concat(pieces).toString() }),
        );
        response.on("close", nothing);
      },
    );
    request.on("error", nothing).end(body);
  });
}

export function bearer({ token }: VictimAgent): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}`, "content-type": "application/json" };
}

export async function openImap(
  { imaps }: Places,
  { address, password }: VictimAgent,
  network: number,
  until: AbortSignal,
): Promise<RawImap> {
  const imap = await connectRawImap({ ...imaps, isTls: true, localAddress: addressIn(network) });
  until.addEventListener("abort", () => void imap[Symbol.asyncDispose](), { once: true });
  const { status } = await imap.command(`LOGIN ${address} ${password}`);
  if (!status.startsWith("OK")) throw new Error(`LOGIN: ${status}`);
  return imap;
}

/** An IMAP session that is logged in and reads nothing, so that the answers stay in the network's buffers. */
export function deafImap(
  { imaps }: Places,
  { address, password }: VictimAgent,
  network: number,
  until: AbortSignal,
): net.Socket {
  const socket = connect(imaps, network, until, { isTls: true });
  socket.write(`a LOGIN ${address} ${password}\r\n`);
  return socket.pause();
}
