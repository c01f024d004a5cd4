/** Debian's Dovecot on a free port of loopback, in a folder of its own: an oracle for answers and a peer for the bench. It
 *  says what it stores only when it is on the disk (`mail_fsync = always`). It needs root, as it changes users. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../support/free-port.ts";

const program = "/usr/sbin/dovecot";
const imapProgram = "/usr/lib/dovecot/imap";
const lmtpProgram = "/usr/lib/dovecot/lmtp";

export const hasDovecot = fs.existsSync(program) && fs.existsSync(imapProgram) && process.getuid?.() === 0;
/** Debian has its LMTP in a package of its own. */
export const hasDovecotLmtp = hasDovecot && fs.existsSync(lmtpProgram);
/** For the title of what is left out without it. */
export const dovecotNote = hasDovecot ? "" : ` (skipped: no ${imapProgram}, or not root)`;

export interface Dovecot extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Where it takes mail by LMTP (RFC 2033), if it was asked to. */
  readonly lmtpPort: number;
  readonly users: readonly { readonly address: string; readonly password: string }[];
  /** The process whose children all others are. */
  readonly process: ChildProcess;
  readonly version: string;
}

export interface DovecotOptions {
  readonly users?: number;
  /** maildir (Debian's default), sdbox or mdbox. */
  readonly format?: string;
  /** Whether it takes mail by LMTP. */
  readonly hasLmtp?: boolean;
}

export async function startDovecot({
  users: count = 1,
  format = "maildir",
  hasLmtp = false,
}: DovecotOptions = {}): Promise<Dovecot> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-dovecot-"));
  fs.chmodSync(folder, 0o755);
  const mail = path.join(folder, "mail");
  fs.mkdirSync(mail, { mode: 0o777 });
  fs.chmodSync(mail, 0o777);
  const users = Array.from({ length: count }, (_, index) => ({ address: `u${index}`, password: "secret" }));
  fs.writeFileSync(
    path.join(folder, "users"),
    users.map(({ address, password }) => `${address}:{PLAIN}${password}\n`).join(""),
  );
  const port = await freePort();
  const lmtpPort = hasLmtp ? await freePort() : 0;
  const configuration = path.join(folder, "dovecot.conf");
  fs.writeFileSync(configuration, configurationOf(folder, { port, lmtpPort, format }));
  const child = spawn(program, ["-F", "-c", configuration], { stdio: ["ignore", "ignore", "inherit"] });
  const dovecot: Dovecot = {
    host: "127.0.0.1",
    port,
    lmtpPort,
    users,
    process: child,
    version: spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.split(" ")[0]!.trim(),
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      if (child.exitCode === null && child.kill()) await ended;
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  for (let tries = 0; !(await isListening(port)); tries++) {
    if (tries > 100 || child.exitCode !== null) {
      const log = path.join(folder, "log");
      const said = fs.existsSync(log) ? fs.readFileSync(log, "utf8") : "";
      await dovecot[Symbol.asyncDispose]();
      throw new Error(`Dovecot does not listen: ${said}`);
    }
    await delay(50);
  }
  return dovecot;
}

interface Configured {
  readonly port: number;
  /** 0: no LMTP. */
  readonly lmtpPort: number;
  readonly format: string;
}

function configurationOf(folder: string, { port, lmtpPort, format }: Configured): string {
  return `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap${lmtpPort === 0 ? "" : " lmtp"}
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_username_format = %n
auth_cache_size = 10M
mail_location = ${format}:~/mail
mail_fsync = always
mail_uid = mail
mail_gid = mail
first_valid_uid = 1
mail_max_userip_connections = 5000
passdb {
  driver = passwd-file
  args = username_format=%n ${folder}/users
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${folder}/mail/%n
}
namespace inbox {
  inbox = yes
  separator = /
}
service imap-login {
  process_limit = 256
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service imap {
  process_limit = 3000
}
${lmtpPort === 0 ? "" : lmtpService(lmtpPort)}
service anvil {
  client_limit = 8000
}
service auth {
  client_limit = 8000
}
`;
}

function lmtpService(port: number): string {
  return `
service lmtp {
  process_limit = 256
  inet_listener lmtp {
    address = 127.0.0.1
    port = ${port}
  }
}`;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.once("data", () => {
      resolve(true);
      socket.destroy();
    });
    socket.once("error", () => resolve(false));
  });
}
