/** This host: the way out for mail, the certificate that clients see, the disk. */
import { statfs } from "node:fs/promises";
import tls from "node:tls";
import type { Settings } from "#/config/schema.ts";
import { lookAtServer } from "#/protocols/delivery/look-at-server.ts";
import { shownChain } from "#/protocols/delivery/shown-chain.ts";
import { tlsResultOf } from "#/protocols/delivery/tls-results.ts";
import { readThrown } from "#/src/model/thrown.ts";
import type { Finding } from "./finding.ts";
import { judgeCertificate } from "./judge-certificate.ts";

const freeShareMin = 0.1;
const connectTimeoutMs = 10_000;

export interface HostPlace {
  readonly settings: Settings;
  readonly now: number;
  /** A server of another domain, to which a connection must be possible. */
  readonly otherServer:
    | { readonly host: string; readonly addresses: readonly string[]; readonly port: number }
    | undefined;
}

export function checkHost(place: HostPlace): Promise<Finding[]> {
  return Promise.all([checkOutward(place), checkCertificate(place), checkDisk(place)]);
}

async function checkOutward({ settings, otherServer }: HostPlace): Promise<Finding> {
  const what = "mail to other servers";
  if (settings.outbound.smarthostHost !== "")
    return { what, status: "ok", found: `by the smarthost ${settings.outbound.smarthostHost}` };
  if (otherServer === undefined) return { what, status: "unknown", why: "No other server was found to try." };
  const { host, addresses, port } = otherServer;
  let reason = "no address";
  for (const address of addresses) {
    try {
      await lookAtServer({ settings, timeoutMs: connectTimeoutMs }, { host, address, port });
      return { what, status: "ok", found: `${host}:${port} answers` };
    } catch (error) {
      const { code, message } = readThrown(error);
      reason = code ?? message;
    }
  }
  const why = `${host}:${port} cannot be reached (${reason}). Many hosters close port 25 until they are asked; or set outbound.smarthost_host.`;
  return { what, status: "wrong", why };
}

/** The certificate of the listener of IMAP over TLS, or else of HTTPS, checked as a client would. */
async function checkCertificate({ settings, now }: HostPlace): Promise<Finding> {
  const what = "certificate";
  const door = [settings.imaps, settings.https, settings.submissions].find(
    (one) => one.enabled && one.port > 0,
  );
  if (door === undefined)
    return { what, status: "unknown", why: "No listener over TLS has a port of its own." };
  const { hostname } = settings.server;
  const socket = tls.connect({
    host: door.host,
    port: door.port,
    servername: hostname,
    rejectUnauthorized: false,
    timeout: connectTimeoutMs,
  });
  try {
    await new Promise<void>((done, fail) => {
      socket.once("secureConnect", done).once("error", fail);
      socket.once("timeout", () => fail(new Error("timeout")));
    });
    const error: unknown = socket.authorizationError;
    const result = socket.authorized ? "success" : tlsResultOf(typeof error === "string" ? error : undefined);
    return { what, ...judgeCertificate(shownChain(socket), result, hostname, now) };
  } catch {
    return {
      what,
      status: "unknown",
      why: `Nothing answers at ${door.host}:${door.port}. Is the server running?`,
    };
  } finally {
    socket.destroy();
  }
}

async function checkDisk({ settings }: HostPlace): Promise<Finding> {
  const what = "disk";
  const { bsize, blocks, bavail } = await statfs(settings.storage.folder);
  const share = bavail / blocks;
  const found = `${((bsize * bavail) / 1024 ** 3).toFixed(1)} GiB free (${Math.floor(share * 100)} %)`;
  if (share >= freeShareMin) return { what, status: "ok", found };
  return { what, status: "wrong", found, why: "When it is full, mail is refused. Make room." };
}
