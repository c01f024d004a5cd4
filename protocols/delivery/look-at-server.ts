/** Looks at one address of a server as mail to it would come: greeting, STARTTLS, certificate, TLSA records. Brings no mail. */
import type { X509Certificate } from "node:crypto";
import type { Settings } from "#/config/schema.ts";
import type { TlsSessionResult } from "#/src/model/tls-result.ts";
import { ConnectFailure } from "./connect-failure.ts";
import { clientName, openSocket } from "./connector.ts";
import { type DaneHost, findDaneMismatch } from "./dane-match.ts";
import { findSource, type SourceSettings } from "./source-address.ts";
import { openWire } from "./wire-connection.ts";

export interface LookRooms {
  readonly settings: Pick<Settings, "server"> & SourceSettings;
  readonly timeoutMs: number;
}

export interface LookedAt {
  /** Name of the server, for SNI and its certificate. */
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly dane?: DaneHost | undefined;
  /** An address of another domain that the server must not take mail for from strangers. */
  readonly stranger?: string;
}

export interface ServerSight {
  /** The first line, without its line end. */
  readonly greeting: string;
  /** Until the server was ready for a message. */
  readonly readyMs: number;
  readonly isSecure: boolean;
  /** What a verification of the certificate by authorities of the world said. */
  readonly tlsResult: TlsSessionResult;
  readonly certificates: readonly X509Certificate[];
  readonly daneMismatch: string | undefined;
  /** It takes mail from strangers for strangers. */
  readonly isRelay: boolean;
}

/** Throws what the connection throws. */
export async function lookAtServer(rooms: LookRooms, place: LookedAt): Promise<ServerSight> {
  const { settings, timeoutMs } = rooms;
  const signal = AbortSignal.timeout(timeoutMs);
  const startedAt = performance.now();
  const source = findSource(settings, place.address);
  const options = {
    host: place.host,
    clientName: clientName(settings.server.hostname),
    replyTimeoutMs: timeoutMs,
    signal,
  };
  const open = async (tls: "opportunistic" | "none") =>
    openWire({
      ...options,
      tls,
      socket: await openSocket({ address: place.address, source }, place.port, timeoutMs, signal),
    });
  let failed: TlsSessionResult | undefined;
  const wire = await open("opportunistic").catch((error: unknown) => {
    if (!(error instanceof ConnectFailure) || !error.isTls) throw error;
    failed = error.tlsResult;
    return open("none");
  });
  try {
    const readyMs = performance.now() - startedAt;
    const certificates = wire.certificates();
    return {
      greeting: wire.greeting.split(/\r?\n/, 1)[0]!,
      readyMs,
      isSecure: wire.isSecure,
      tlsResult: failed ?? wire.tlsResult,
      certificates,
      daneMismatch: place.dane && findDaneMismatch(certificates, place.dane, Date.now()),
      isRelay: place.stranger !== undefined && (await takesForStrangers(wire.ask, place.stranger)),
    };
  } finally {
    wire.quit();
  }
}

async function takesForStrangers(
  ask: (command: string) => Promise<string>,
  stranger: string,
): Promise<boolean> {
  if (!(await ask(`MAIL FROM:<${stranger}>`)).startsWith("2")) return false;
  const reply = await ask(`RCPT TO:<${stranger}>`);
  await ask("RSET");
  return reply.startsWith("2");
}
