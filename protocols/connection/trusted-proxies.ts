/** Load balancers and reverse proxies in front of this server (`server.trusted_proxies`). Only these may state the address of a client
 *  whose connection they carry. */
import { BlockList, isIP, isIPv6, type Socket } from "node:net";
import type { Settings } from "#/config/schema.ts";
import { after } from "#/src/model/background.ts";
import { networkOf } from "#/src/model/network.ts";
import type { NameNetwork } from "./connection-door.ts";
import { readProxyHeader } from "./proxy-header.ts";
import { nameSource } from "./source-address.ts";

export interface TrustedProxies {
  /** The field of HTTP in which they name the client. */
  readonly clientHeader: ClientHeader;
  has(address: string): boolean;
}

export type ClientHeader = Settings["server"]["clientHeader"];

/** Addresses, and networks as 10.0.0.0/8. */
export function trustProxies(
  places: readonly string[],
  clientHeader: ClientHeader = "x-forwarded-for",
): TrustedProxies {
  const list = new BlockList();
  for (const place of places) {
    const [address = "", prefix] = place.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return {
    clientHeader,
    has(address) {
      if (places.length === 0) return false;
      const plain = plainAddress(address);
      return isIP(plain) !== 0 && list.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
    },
  };
}

export const noProxies: TrustedProxies = trustProxies([]);

/** The connection of a proxy that carries several clients belongs to no network, so no share of a network applies to it. */
export function networkBehind(proxies: TrustedProxies): NameNetwork {
  return ({ remoteAddress = "" }) => (proxies.has(remoteAddress) ? undefined : networkOf(remoteAddress));
}

/** A proxy sends its header at once. */
const headerMs = 5000;
/** Shorter where proxies of this host are trusted: a tool of this host sends no header and waits for the greeting. */
const loopbackMs = 300;

export interface ProxyHeaderOptions {
  /** The client sends first, so its octets show whether there is a header. Otherwise every proxy that is not on this host has to send
   *  one. */
  readonly mayBeAbsent: boolean;
}

/** Reads the header from a connection of a trusted proxy. From then on the socket has the address of the client. False if a header is
 *  required and missing. */
export async function takeProxyHeader(socket: Socket, { mayBeAbsent }: ProxyHeaderOptions): Promise<boolean> {
  const isLocal = networkOf(socket.remoteAddress ?? "") === undefined;
  const canBeAbsent = mayBeAbsent || isLocal;
  const begunAt = performance.now();
  let octets: Buffer = Buffer.alloc(0);
  for (;;) {
    const header = readProxyHeader(octets);
    if (octets.length > 0 && header.kind !== "partial") {
      if (header.kind === "malformed") return false;
      const rest = header.kind === "header" ? octets.subarray(header.length) : octets;
      if (rest.length > 0) socket.unshift(rest);
      if (header.kind === "header" && header.source !== undefined) nameSource(socket, header.source);
      return header.kind === "header" || canBeAbsent;
    }
    const isAwaited = octets.length > 0 || mayBeAbsent || !isLocal;
    const until = begunAt + (isAwaited ? headerMs : loopbackMs);
    const more = await nextOctets(socket, until - performance.now());
    // Octets that begin like a header and do not continue did not come from a client.
    if (more === undefined) return octets.length === 0 && canBeAbsent && !socket.destroyed;
    octets = Buffer.concat([octets, more]);
  }
}

/** undefined if no octets come in time, or the peer closes. */
function nextOctets(socket: Socket, waitMs: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const finish = (octets: Buffer | undefined): void => {
      clearTimeout(timer);
      socket.off("readable", look).off("end", leave).off("close", leave);
      resolve(octets);
    };
    const look = (): void => {
      const octets = socket.read() as Buffer | null;
      if (octets !== null) finish(octets);
    };
    const leave = (): void => finish(undefined);
    const timer = after(Math.max(0, waitMs), leave);
    socket.on("readable", look).on("end", leave).on("close", leave);
    if (socket.readableLength > 0) look();
    else if (socket.destroyed) leave();
  });
}

/** Proxies that a request has passed, the nearest last; further ones are not read. */
const passedMax = 20;

/** The client's address of a request: the one that the nearest trusted proxy names, or, if that is a trusted proxy too, the one that
 *  it names (RFC 7239 section 5.2, X-Forwarded-For). Only the field that the proxies write is read: the other one comes from the client. */
export function clientAddress(
  proxies: TrustedProxies,
  peer: string,
  headers: {
    readonly forwarded?: string | undefined;
    readonly "x-forwarded-for"?: string | string[] | undefined;
  },
): string {
  if (!proxies.has(peer)) return peer;
  const passed =
    proxies.clientHeader === "forwarded"
      ? forwarded(headers.forwarded ?? "")
      : forwardedFor(headers["x-forwarded-for"]);
  let client = peer;
  for (const address of passed.slice(-passedMax).reverse()) {
    if (isIP(address) === 0) break;
    client = address;
    if (!proxies.has(address)) break;
  }
  return client;
}

function forwardedFor(field: string | string[] | undefined): string[] {
  const text = Array.isArray(field) ? field.join(",") : (field ?? "");
  return text.split(",").map((one) => nodeAddress(one.trim()));
}

/** The `for` of each element; "" if it has none or hides it. */
function forwarded(field: string): string[] {
  return field.split(",").map((element) => {
    const node = /(?:^|;)\s*for=(?:"([^"]*)"|([^\s;]*))/i.exec(element);
    return nodeAddress(node?.[1] ?? node?.[2] ?? "");
  });
}

/** An address without its port and brackets. */
function nodeAddress(node: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(node)?.[1];
  return bracketed ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(node)?.[1] ?? node;
}

function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "").split("%", 1)[0]!;
}
