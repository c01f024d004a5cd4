/** Debian's Postfix as the server of somebody else: on free ports of loopback, in a folder of its own. What it answers to RCPT
 *  is decided by the test (a policy service), what it takes lies in a maildir. It needs root, as it changes users. */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../support/free-port.ts";

const program = "/usr/sbin/postfix";
const sendmailProgram = "/usr/sbin/sendmail";
const smtpdProgram = "/usr/lib/postfix/sbin/smtpd";

export const hasPostfix = fs.existsSync(program) && fs.existsSync(smtpdProgram) && process.getuid?.() === 0;
/** For the title of what is left out without it. */
export const postfixNote = hasPostfix ? "" : ` (skipped: no ${program}, or not root)`;

export interface PostfixMail {
  /** Whom Postfix delivered this copy to. */
  readonly to: string;
  readonly text: string;
}

export interface Postfix extends AsyncDisposable {
  /** With STARTTLS, and without. */
  readonly port: number;
  readonly plainPort: number;
  /** Attributes of each RCPT that the policy service was asked about. */
  readonly asked: readonly ReadonlyMap<string, string>[];
  log(): string;
  /** Gives it a mail of one of its users to send. */
  send(recipient: string, message: string): void;
  /** What lies in its mailboxes, once `count` messages do. */
  mails(count: number): Promise<readonly PostfixMail[]>;
}

export interface PostfixOptions {
  readonly domain: string;
  readonly certificate: { readonly key: string; readonly cert: string };
  /** An action of access(5) for a recipient, as "450 4.7.1 later"; undefined: it is taken. "FILTER error:5.2.2 full" takes the
   *  message and sends a bounce about it afterwards. */
  readonly onRecipient: (address: string) => string | undefined;
  /** Where its own mail to a domain goes: bounces, and what it is given to send. */
  readonly home: { readonly domain: string; readonly port: number };
  /** Of the mail that it sends; TLS where it is offered, by default. */
  readonly sendsBy?: "may" | "none";
}

export async function startPostfix(options: PostfixOptions): Promise<Postfix> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-postfix-"));
  fs.chmodSync(folder, 0o755);
  const asked: Map<string, string>[] = [];
  const policy = await startPolicyService(asked, options.onRecipient);
  const [port, plainPort] = [await freePort(), await freePort()];
  const folders = { etc: path.join(folder, "etc"), mail: path.join(folder, "mail") };
  for (const name of ["etc", "spool", "data", "mail"]) fs.mkdirSync(path.join(folder, name));
  for (const name of ["data", "mail"]) execFileSync("chown", ["postfix", path.join(folder, name)]);
  fs.writeFileSync(path.join(folders.etc, "key.pem"), options.certificate.key, { mode: 0o600 });
  fs.writeFileSync(path.join(folders.etc, "cert.pem"), options.certificate.cert);
  fs.writeFileSync(path.join(folders.etc, "main.cf"), mainConfiguration(folder, options, policy.port));
  fs.writeFileSync(path.join(folders.etc, "master.cf"), masterConfiguration(port, plainPort));
  const child = spawn(program, ["-c", folders.etc, "start-fg"], { stdio: "ignore" });
  const inbox = path.join(folders.mail, "box", "new");
  const postfix: Postfix = {
    port,
    plainPort,
    asked,
    send(recipient, message) {
      const args = ["-C", folders.etc, "-i", "-f", `ada@${options.domain}`, recipient];
      execFileSync(sendmailProgram, args, { input: message });
    },
    log: () => fs.readFileSync(path.join(folder, "mail.log"), "utf8"),
    async mails(count) {
      for (let tries = 0; listFolder(inbox).length < count && tries < 200; tries++) await delay(50);
      return listFolder(inbox).map((name) => {
        const text = fs.readFileSync(path.join(inbox, name), "latin1");
        return { to: /^Delivered-To: (.*)$/m.exec(text)?.[1] ?? "", text };
      });
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      if (child.exitCode === null) {
        execFileSync(program, ["-c", folders.etc, "stop"], { stdio: "ignore" });
        await ended;
      }
      policy.close();
      fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  for (let tries = 0; !(await isListening(port)) || !(await isListening(plainPort)); tries++) {
    if (tries > 200 || child.exitCode !== null) {
      const file = path.join(folder, "mail.log");
      const said = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
      await postfix[Symbol.asyncDispose]();
      throw new Error(`Postfix does not listen: ${said}`);
    }
    await delay(50);
  }
  asked.length = 0;
  return postfix;
}

function mainConfiguration(
  folder: string,
  { domain, home, sendsBy = "may" }: PostfixOptions,
  policyPort: number,
): string {
  return `
compatibility_level = 3.6
queue_directory = ${folder}/spool
data_directory = ${folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.${domain}
mydestination =
mynetworks =
alias_maps =
alias_database =
maillog_file = ${folder}/mail.log
maillog_file_prefixes = ${folder}
virtual_mailbox_domains = ${domain}
virtual_mailbox_base = ${folder}/mail
virtual_mailbox_maps = static:box/
virtual_minimum_uid = 1
virtual_uid_maps = static:${idOf("-u")}
virtual_gid_maps = static:${idOf("-g")}
smtpd_relay_restrictions = reject_unauth_destination
smtpd_recipient_restrictions = check_policy_service inet:127.0.0.1:${policyPort}
smtpd_tls_security_level = may
smtpd_tls_cert_file = ${folder}/etc/cert.pem
smtpd_tls_key_file = ${folder}/etc/key.pem
smtpd_tls_received_header = yes
smtpd_tls_loglevel = 1
smtpd_hard_error_limit = 100
smtputf8_enable = yes
smtp_tls_security_level = ${sendsBy}
smtp_tls_loglevel = 1
transport_maps = inline:{ ${home.domain}=smtp:[127.0.0.1]:${home.port} }
notify_classes =
`;
}

function masterConfiguration(port: number, plainPort: number): string {
  return `
127.0.0.1:${port} inet n - n - - smtpd
127.0.0.1:${plainPort} inet n - n - - smtpd
  -o smtpd_tls_security_level=none
tlsmgr    unix  -       -       n       1000?   1       tlsmgr
pickup    unix  n       -       n       60      1       pickup
cleanup   unix  n       -       n       -       0       cleanup
qmgr      unix  n       -       n       300     1       qmgr
rewrite   unix  -       -       n       -       -       trivial-rewrite
bounce    unix  -       -       n       -       0       bounce
defer     unix  -       -       n       -       0       bounce
trace     unix  -       -       n       -       0       bounce
verify    unix  -       -       n       -       1       verify
flush     unix  n       -       n       1000?   0       flush
proxymap  unix  -       -       n       -       -       proxymap
proxywrite unix -       -       n       -       1       proxymap
smtp      unix  -       -       n       -       -       smtp
error     unix  -       -       n       -       -       error
retry     unix  -       -       n       -       -       error
discard   unix  -       -       n       -       -       discard
virtual   unix  -       n       n       -       -       virtual
anvil     unix  -       -       n       -       1       anvil
scache    unix  -       -       n       -       1       scache
postlog   unix-dgram n  -       n       -       1       postlogd
`;
}

/** Postfix's SMTPD_POLICY_README: attributes line by line, an empty line; an action goes back. */
async function startPolicyService(
  asked: Map<string, string>[],
  onRecipient: PostfixOptions["onRecipient"],
): Promise<{ port: number; close(): void }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const lines = text.slice(0, end).split("\n");
        text = text.slice(end + 2);
        const attributes = new Map(lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
        asked.push(attributes);
        socket.write(`action=${onRecipient(attributes.get("recipient") ?? "") ?? "OK"}\n\n`);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function idOf(flag: "-u" | "-g"): string {
  return execFileSync("id", [flag, "postfix"], { encoding: "utf8" }).trim();
}

function listFolder(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
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
