/** Opens a connection for a route: tries the servers in their order, all addresses of each, with TLS if possible. Goes to the next
 *  one if a server cannot be reached or refuses the connection (RFC 5321 section 5.1). */
import { once } from "node:events";
import { createConnection, isIP, type Socket } from "node:net";
import type { Settings } from "#/config/schema.ts";
import { readThrown } from "#/src/model/thrown.ts";
import type { TlsPolicy, TlsSession, TlsSessionResult } from "#/src/model/tls-result.ts";
import { ConnectFailure } from "./connect-failure.ts";
import { type DaneHost, isUsable } from "./dane-match.ts";
import type { HostBackoff } from "./host-backoff.ts";
import type { Reply } from "./reply.ts";
import type { Host } from "./routes.ts";
import { findSource, type Source, type SourceSettings } from "./source-address.ts";
import type { WireConnection, WireTls } from "./wire-connection.ts";

export interface ConnectorRooms {
  readonly settings: Pick<Settings, "server"> & SourceSettings;
  readonly backoff: HostBackoff;
  /** Counts a connection to an address until it is disposed; undefined when there are as many as there may be. */
  enterServer(address: string): Disposable | undefined;
  /** Aborts when no new connection is to be opened any more. */
  readonly signal: AbortSignal;
  /** Told of each session with a server of a domain, when it is known whether it has TLS. */
  onTls?(session: TlsSession): void;
}

/** What has to be known of a server before mail goes to it. */
export interface TargetHost extends Host {
  /** Instead of the target's TLS. */
  readonly dane?: DaneHost;
  /** That the domain has this server is not only said by an answer of the DNS that anybody may have written. */
  readonly isNameProven?: boolean;
}

export interface Target {
  readonly hosts: readonly TargetHost[];
  readonly port: number;
  readonly tls: WireTls;
  readonly login?: { readonly user: string; readonly password: string };
  /** Absent for a smarthost: nobody is told of its TLS. */
  readonly policy?: TlsPolicy;
  /** Only servers that offer REQUIRETLS are used (RFC 8689). */
  readonly needsRequireTls?: boolean;
  /** What the domain asks of TLS was left aside. */
  readonly isWaived?: boolean;
}

/** `proven`: name and certificate of the server were verified; `waived`: what the domain asks of TLS was left aside. */
export type Trust = "proven" | "usual" | "waived";

export interface OpenHost {
  readonly host: string;
  readonly address: string;
  readonly wire: WireConnection;
  readonly trust: Trust;
}

/** Whether mail with REQUIRETLS may be given to this server. */
export function keepsTlsRequired({ wire, trust }: OpenHost): boolean {
  return trust === "proven" && wire.isSecure && wire.hasExtension("REQUIRETLS");
}

/** Why one server could not be used. */
export interface HostFailure {
  readonly host: string;
  readonly reason: string;
  readonly reply: Reply | undefined;
  /** The server cannot be given mail with REQUIRETLS: a status of RFC 8689 section 4.2.1. */
  readonly unfit?: "5.7.10" | "5.7.30";
}

/** Opens the servers of a target one after the other, each address once, as long as the caller asks for another. */
export interface Opener {
  /** The next server that can be used; undefined when there is none left. */
  next(): Promise<OpenHost | undefined>;
  /** Why the others could not be used; empty if none was tried because all are in backoff. */
  readonly failures: readonly HostFailure[];
  /** That none of the servers can be given mail with REQUIRETLS, now or later; the status of RFC 8689 section 4.2.1. */
  readonly unfit: HostFailure | undefined;
  /** The address of a server that could not be tried, because there are as many connections to it as there may be. */
  readonly busyAddress: string | undefined;
}

/** Addresses that one attempt tries. */
const triesMax = 10;
const noSource = "Mail leaves from no address of the family of its addresses.";

interface Place {
  readonly host: string;
  readonly address: string;
  readonly source: Source;
  readonly dane?: DaneHost | undefined;
  readonly isNameProven: boolean;
}

export function createOpener(rooms: ConnectorRooms, target: Target): Opener {
  const failures: HostFailure[] = [];
  const places = target.hosts.flatMap(({ name, addresses, dane, isNameProven = false }) =>
    addresses.map(
      (address): Place => ({
        host: name,
        address,
        source: findSource(rooms.settings, address),
        dane,
        isNameProven,
      }),
    ),
  );
  for (const { host, source } of places)
    if (!source.isUsable) failures.push({ host, reason: noSource, reply: undefined });
  const waiting = places
    .filter(({ source }) => source.isUsable)
    .filter(({ address }) => !rooms.backoff.isResting(placeName(address, target.port)))
    .slice(0, triesMax);
  let busy: Place | undefined;
  const names = new Set(places.filter(({ source }) => source.isUsable).map(({ host }) => host));
  return {
    async next() {
      for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
        const name = placeName(place.address, target.port);
        if (rooms.signal.aborted) break;
        // A server that has enough connections is waited for. It is not passed over for one that the domain prefers less.
        if (busy !== undefined && busy.host !== place.host) break;
        const connection = rooms.enterServer(place.address);
        if (connection === undefined) {
          busy ??= place;
          continue;
        }
        try {
          const wire = await openPlace(rooms, target, place);
          wire.onClosed(() => connection[Symbol.dispose]());
          rooms.backoff.noteSuccess(name);
          const open = {
            host: place.host,
            address: place.address,
            wire,
            trust: trustOf(target, place, wire),
          };
          if (target.needsRequireTls !== true || keepsTlsRequired(open)) return open;
          wire.quit();
          const reason = "The server does not offer REQUIRETLS (RFC 8689).";
          failures.push({ host: place.host, reason, reply: undefined, unfit: "5.7.30" });
        } catch (error) {
          connection[Symbol.dispose]();
          const failure = error instanceof ConnectFailure ? error : undefined;
          const reply = failure?.reply;
          // After a refusal of the moment (4yz) the server may be fit later.
          const isUnfit =
            target.needsRequireTls === true && failure?.isTls === true && (reply?.code ?? 500) >= 500;
          // Mail that asks for less may be welcome there.
          if (!rooms.signal.aborted && !isUnfit) rooms.backoff.noteFailure(name);
          const unfit = isUnfit ? { unfit: "5.7.10" as const } : {};
          failures.push({ host: place.host, reason: reasonOf(error), reply, ...unfit });
        }
      }
      return undefined;
    },
    failures,
    get unfit() {
      const unfit = failures.filter((one) => one.unfit !== undefined);
      if (new Set(unfit.map(({ host }) => host)).size < names.size) return undefined;
      return unfit.find((one) => one.unfit === "5.7.30") ?? unfit[0];
    },
    get busyAddress() {
      return busy?.address;
    },
  };
}

function trustOf(target: Target, place: Place, wire: WireConnection): Trust {
  if (target.isWaived === true) return "waived";
  const isVerified =
    place.dane === undefined ? isVerifying.has(target.tls) : place.dane.records.some(isUsable);
  return wire.isSecure && isVerified && place.isNameProven ? "proven" : "usual";
}

const isVerifying: ReadonlySet<WireTls> = new Set(["verified", "implicit"]);

function placeName(address: string, port: number): string {
  return `${address} ${port}`;
}

async function openPlace(rooms: ConnectorRooms, target: Target, place: Place): Promise<WireConnection> {
  const tls = place.dane === undefined ? target.tls : "dane";
  const policy = place.dane === undefined ? target.policy : danePolicy(target.policy, place.dane);
  const note = (result: TlsSessionResult, localAddress?: string): void => {
    const { host, address } = place;
    const local = localAddress === undefined ? {} : { localAddress };
    if (policy !== undefined) rooms.onTls?.({ policy, host, address, result, ...local });
  };
  try {
    const wire = await openOnce(rooms, target, place, tls);
    // What a policy asks for was verified; without one any certificate is good enough.
    const isTrusted = wire.isSecure && !(policy?.type === "sts" && tls === "opportunistic");
    note(isTrusted ? "success" : wire.tlsResult, wire.localAddress);
    return wire;
  } catch (error) {
    if (error instanceof ConnectFailure && error.tlsResult !== undefined) note(error.tlsResult);
    // A server whose TLS is broken gets its mail without TLS (opportunistic security, RFC 7435 section 4).
    const isForgiving = tls === "opportunistic" && error instanceof ConnectFailure && error.isTls;
    if (!isForgiving) throw error;
    return openOnce(rooms, target, place, "none");
  }
}

function danePolicy(policy: TlsPolicy | undefined, { base, records }: DaneHost): TlsPolicy | undefined {
  if (policy === undefined) return undefined;
  const strings = records.map(
    ({ usage, selector, matchingType, certificate }) =>
      `${usage} ${selector} ${matchingType} ${Buffer.from(certificate).toString("hex")}`,
  );
  return { domain: policy.domain, type: "tlsa", strings, hosts: [base] };
}

async function openOnce(
  { settings, signal }: ConnectorRooms,
  target: Target,
  place: Place,
  tls: WireTls,
): Promise<WireConnection> {
  const { connectTimeoutMs, replyTimeoutMs } = settings.outbound;
  // With the first mail: a start has no use for the client.
  const { openWire } = await import("./wire-connection.ts");
  const socket = await openSocket(place, target.port, connectTimeoutMs, signal);
  return openWire({
    socket,
    host: place.host,
    clientName: clientName(settings.server.hostname),
    tls,
    replyTimeoutMs,
    signal,
    ...(place.dane === undefined ? {} : { dane: place.dane }),
    ...(target.login === undefined ? {} : { login: target.login }),
  });
}

/** The name for EHLO (RFC 5321 section 4.1.4): a host name, or else an address literal. */
export function clientName(hostname: string): string {
  return isIP(hostname) === 0 ? hostname : isIP(hostname) === 6 ? `[IPv6:${hostname}]` : `[${hostname}]`;
}

export async function openSocket(
  { address, source: { localAddress } }: Pick<Place, "address" | "source">,
  port: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const socket = createConnection({
    host: address,
    port,
    noDelay: true,
    ...(localAddress === undefined ? {} : { localAddress }),
  });
  // `close` follows every error. Until whoever asked for it listens, an error would end the process.
  socket.on("error", () => {});
  try {
    await once(socket, "connect", { signal: AbortSignal.any([timeout, signal]) });
    return socket;
  } catch (error) {
    socket.destroy();
    if (timeout.aborted) throw new Error("The connection timed out.", { cause: error });
    throw error;
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = readThrown(error);
  if (error instanceof ConnectFailure) return message;
  return code ?? message;
}
