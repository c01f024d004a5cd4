/** Debian's Exim as the server of somebody else, with settings of its own in a folder of its own. It needs root. Debian installs it in the place of
 *  Postfix, so it may also lie unpacked in `node_modules/.cache/exim` (`.ci/night`). */
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../support/free-port.ts";

const unpacked = new URL("../../node_modules/.cache/exim/usr/sbin/exim4", import.meta.url).pathname;

function findProgram(): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return ["/usr/sbin/exim4", unpacked].find((one) => spawnSync(one, ["-C", "/dev/null", "-bV"]).status === 0);
}

const program = findProgram();
export const hasExim = program !== undefined;
/** For the title of what is left out without it. */
export const eximNote = hasExim
  ? ""
  : ` (skipped: no exim4, neither installed nor in ${unpacked}, or not root)`;

interface Folder extends AsyncDisposable {
  readonly settings: string;
  readonly top: string;
  log(): string;
}

function openFolder(settings: (top: string) => string): Folder {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-exim-"));
  fs.chmodSync(top, 0o777);
  const file = path.join(top, "exim.conf");
  fs.writeFileSync(
    file,
    `spool_directory = ${top}/spool
log_file_path = ${top}/%slog
keep_environment =
exim_path = ${program}
${settings(top)}`,
  );
  const log = path.join(top, "mainlog");
  return {
    settings: file,
    top,
    log: () => (fs.existsSync(log) ? fs.readFileSync(log, "latin1") : ""),
    async [Symbol.asyncDispose]() {
      fs.rmSync(top, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export interface SentByExim {
  readonly port: number;
  readonly recipient: string;
  readonly message: string;
  readonly isTls: boolean;
}

/** Gives a mail to the server on a port of this machine, and waits for the outcome of the first attempt. Answers Exim's log. */
export async function sendByExim({ port, recipient, message, isTls }: SentByExim): Promise<string> {
  await using folder = openFolder(
    () => `primary_hostname = exim.theirs.net
tls_advertise_hosts =
begin routers
all:
  driver = manualroute
  route_list = * 127.0.0.1
  self = send
  transport = out
begin transports
out:
  driver = smtp
  port = ${port}
  allow_localhost
  ${isTls ? "hosts_require_tls" : "hosts_avoid_tls"} = *
`,
  );
  await new Promise<void>((resolve, reject) => {
    const args = ["-C", folder.settings, "-odf", "-i", "-f", "ada@theirs.net", recipient];
    const exim = execFile(program!, args, (error) => (error === null ? resolve() : reject(error)));
    exim.stdin!.end(message);
  });
  return folder.log();
}

export interface Exim extends AsyncDisposable {
  readonly port: number;
  /** Its log, once it says of so many messages that they came. */
  arrivals(count: number): Promise<readonly string[]>;
}

/** A server that takes every mail and keeps it in its queue. */
export async function startExim(
  isTls: boolean,
  certificate: { readonly key: string; readonly cert: string },
): Promise<Exim> {
  const port = await freePort();
  const folder = openFolder((top) => {
    for (const name of ["key", "cert"] as const) {
      fs.writeFileSync(path.join(top, `${name}.pem`), certificate[name]);
      fs.chmodSync(path.join(top, `${name}.pem`), 0o644);
    }
    return `primary_hostname = mx.theirs.net
local_interfaces = 127.0.0.1
queue_only
tls_advertise_hosts = ${isTls ? "*" : ""}
tls_certificate = ${top}/cert.pem
tls_privatekey = ${top}/key.pem
acl_smtp_rcpt = all
begin acl
all:
  accept
`;
  });
  const child = spawn(program!, ["-C", folder.settings, "-bdf", "-oX", String(port)], { stdio: "ignore" });
  const exim: Exim = {
    port,
    async arrivals(count) {
      const arrived = (): string[] =>
        folder
          .log()
          .split("\n")
          .filter((line) => line.includes(" <= "));
      for (let tries = 0; arrived().length < count && tries < 200; tries++) await delay(50);
      return arrived();
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      if (child.exitCode === null && child.kill()) await ended;
      await folder[Symbol.asyncDispose]();
    },
  };
  for (let tries = 0; !(await isListening(port)); tries++) {
    if (tries > 200 || child.exitCode !== null) {
      const said = folder.log();
      await exim[Symbol.asyncDispose]();
      throw new Error(`Exim does not listen: ${said}`);
    }
    await delay(50);
  }
  return exim;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.once("data", () => {
      resolve(true);
      socket.end("QUIT\r\n");
    });
    socket.once("error", () => resolve(false));
  });
}
