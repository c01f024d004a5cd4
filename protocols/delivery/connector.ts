/** Opens a connection for a route: tries the servers in their order, all addresses of each, with TLS if possible. Goes to the next
 *  one if a server cannot be reached or refuses the connection (RFC 5321 section 5.1). */
import { once } from "node:events";
import { createConnection, isIP, type Socket } from "node:net";
import type { Settings } from "#/config/schema.ts";
import type { TlsPolicy, TlsSession, TlsSessionResult } from "#/src/model/tls-result.ts";
import { ConnectFailure } from "./connect-failure.ts";
import type { DaneHost } from "./dane-match.ts";
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
}

export interface Target {
  readonly hosts: readonly TargetHost[];
  readonly port: number;
  readonly tls: WireTls;
  readonly login?: { readonly user: string; readonly password: string };
  /** Absent for a smarthost: nobody is told of its TLS. */
  readonly policy?: TlsPolicy;
}

export interface OpenHost {
  readonly host: string;
  readonly address: string;
  readonly wire: WireConnection;
}

/** Why one server could not be used. */
export interface HostFailure {
  readonly host: string;
  readonly reason: string;
  readonly reply: Reply | undefined;
}

/** Opens the servers of a target one after the other, each address once, as long as the caller asks for another. */
export interface Opener {
  /** The next server that can be used; undefined when there is none left. */
  next(): Promise<OpenHost | undefined>;
  /** Why the others could not be used; empty if none was tried because all are in backoff. */
  readonly failures: readonly HostFailure[];
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
}

export function createOpener(rooms: ConnectorRooms, target: Target): Opener {
  const failures: HostFailure[] = [];
  const places = target.hosts.flatMap(({ name, addresses, dane }) =>
    addresses.map(
      (address): Place => ({ host: name, address, source: findSource(rooms.settings, address), dane }),
    ),
  );
  for (const { host, source } of places)
    if (!source.isUsable) failures.push({ host, reason: noSource, reply: undefined });
  const waiting = places
    .filter(({ source }) => source.isUsable)
    .filter(({ address }) => !rooms.backoff.isResting(placeName(address, target.port)))
    .slice(0, triesMax);
  let busy: Place | undefined;
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
          return { host: place.host, address: place.address, wire };
        } catch (error) {
          if (!rooms.signal.aborted) rooms.backoff.noteFailure(name);
          connection[Symbol.dispose]();
          const reply = error instanceof ConnectFailure ? error.reply : undefined;
          failures.push({ host: place.host, reason: reasonOf(error), reply });
        }
      }
      return undefined;
    },
    failures,
    get busyAddress() {
      return busy?.address;
    },
  };
}

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
function clientName(hostname: string): string {
  return isIP(hostname) === 0 ? hostname : isIP(hostname) === 6 ? `[IPv6:${hostname}]` : `[${hostname}]`;
}

async function openSocket(
  { address, source: { localAddress } }: Place,
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
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof ConnectFailure) return message;
  return code ?? message;
}
