/** Checks the host as others see it: its addresses and their names, port 25 in both directions, the certificate, the disk. */
import { statfs } from "node:fs/promises";
import net from "node:net";
import tls from "node:tls";
import type { Settings } from "#/config/schema.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import { checkReverseName } from "#/src/evidence/reverse-name.ts";
import type { Finding } from "./finding.ts";

const dayMs = 86_400_000;
/** Renewal of certificates that are issued for 90 days is due 30 days before. */
const certificateDaysMin = 14;
const freeShareMin = 0.1;
const connectTimeoutMs = 10_000;
/** The greeting of a server has a few lines (RFC 5321 section 4.5.3.1.5: 512 octets each). */
const greetingOctetsMax = 4096;

export interface HostPlace {
  readonly settings: Settings;
  readonly addresses: readonly string[];
  readonly resolve: Resolve;
  readonly now: number;
  /** A server of another domain, to which a connection must be possible. */
  readonly otherServer: { readonly host: string; readonly port: number } | undefined;
  /** The port at which other servers deliver: 25, except in tests. */
  readonly smtpPort: number;
}

export function checkHost(place: HostPlace): Promise<Finding[]> {
  return Promise.all([
    checkAddress(place),
    ...place.addresses.map((address) => checkName(address, place)),
    checkInward(place),
    checkOutward(place),
    checkCertificate(place),
    checkDisk(place),
  ]);
}

function checkAddress({ settings, addresses }: HostPlace): Finding {
  const { hostname } = settings.server;
  const what = `addresses of ${hostname}`;
  if (addresses.length > 0) return { what, status: "ok", found: addresses.join(" | ") };
  return { what, status: "missing", why: `Add an A record, and AAAA if there is IPv6, for ${hostname}.` };
}

/** RFC 1912 section 2.1; large receivers refuse mail without it. */
async function checkName(address: string, { settings, resolve }: HostPlace): Promise<Finding> {
  const what = `PTR of ${address}`;
  const { result, name } = await checkReverseName(address, resolve);
  const expected = settings.server.hostname;
  if (result === "temperror")
    return { what, status: "unknown", expected, why: "No answer. Ask again later." };
  const found = name === undefined ? {} : { found: name };
  if (result === "pass" && name === expected.toLowerCase()) return { what, status: "ok", ...found };
  const why =
    "Whoever rents the address out sets its name. Many servers refuse mail from an address without one.";
  if (result === "pass") return { what, status: "ok", ...found, expected, why: "Another name is good, too." };
  return { what, status: name === undefined ? "missing" : "wrong", ...found, expected, why };
}

async function checkInward({ settings, addresses, smtpPort }: HostPlace): Promise<Finding> {
  const { hostname } = settings.server;
  const what = `port ${smtpPort} of ${hostname}`;
  const [address] = addresses;
  if (address === undefined) return { what, status: "unknown", why: "It has no address." };
  const greeting = await readGreeting(address, smtpPort);
  if (greeting === undefined) {
    const why = `${address} does not answer from here. Open the port in the firewall and forward it to port ${settings.smtp.port}; some networks reach their own address from outside alone.`;
    return { what, status: "unknown", why };
  }
  const found = greeting.split("\r\n")[0]!;
  const [code, name = ""] = found.split(/[ -]/);
  if (code === "220" && name.toLowerCase() === hostname.toLowerCase()) return { what, status: "ok", found };
  return { what, status: "wrong", found, expected: `220 ${hostname}`, why: "Another server answers there." };
}

async function checkOutward({ settings, otherServer }: HostPlace): Promise<Finding> {
  const what = "mail to other servers";
  if (settings.outbound.smarthostHost !== "")
    return { what, status: "ok", found: `by the smarthost ${settings.outbound.smarthostHost}` };
  if (otherServer === undefined) return { what, status: "unknown", why: "No other server was found to try." };
  const { host, port } = otherServer;
  const greeting = await readGreeting(host, port);
  if (greeting?.startsWith("220")) return { what, status: "ok", found: `${host}:${port} answers` };
  const why = `${host}:${port} cannot be reached. Many hosters close port 25 until they are asked; or set outbound.smarthost_host.`;
  return { what, status: "wrong", why };
}

/** The greeting of a server; undefined when it does not answer. */
async function readGreeting(host: string, port: number): Promise<string | undefined> {
  const socket = net.connect({ host, port, signal: AbortSignal.timeout(connectTimeoutMs) });
  socket.setEncoding("latin1");
  try {
    let text = "";
    for await (const piece of socket) {
      text += piece;
      if (text.includes("\r\n") || text.length > greetingOctetsMax) return text.slice(0, greetingOctetsMax);
    }
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

/** The certificate of the listener of IMAP over TLS, or else of HTTPS, checked as a client would. */
async function checkCertificate({ settings, now }: HostPlace): Promise<Finding> {
  const what = "certificate";
  const door = [settings.imaps, settings.https, settings.submissions].find(
    (one) => one.enabled && one.port > 0,
  );
  if (door === undefined)
    return { what, status: "unknown", why: "No listener over TLS has a port of its own." };
  const host = door.host || settings.server.bind;
  const socket = tls.connect({
    host,
    port: door.port,
    servername: settings.server.hostname,
    rejectUnauthorized: false,
    timeout: connectTimeoutMs,
  });
  try {
    await new Promise<void>((done, fail) => {
      socket.once("secureConnect", done).once("error", fail);
      socket.once("timeout", () => fail(new Error("timeout")));
    });
    const shown = socket.getPeerCertificate();
    const expiresAt = Date.parse(shown.valid_to);
    const found = `of ${[shown.issuer.O ?? shown.issuer.CN].flat()[0]}, until ${new Date(expiresAt).toISOString().slice(0, 10)}`;
    if (!socket.authorized) {
      const why = `Clients do not trust it (${String(socket.authorizationError)}). Set tls.certificate_file and tls.key_file.`;
      return { what, status: "wrong", found, why };
    }
    if (expiresAt - now < certificateDaysMin * dayMs)
      return { what, status: "wrong", found, why: "It expires soon. Renew it." };
    return { what, status: "ok", found };
  } catch {
    return {
      what,
      status: "unknown",
      why: `Nothing answers at ${host}:${door.port}. Is the server running?`,
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
