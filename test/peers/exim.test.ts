/** Debian's Exim sends mail to a whole daemon. It uses CHUNKING wherever a server offers it. */
import { execFile, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createMail } from "../../src/mail/mail.ts";
import { startInProcessDaemon } from "../support/daemon.ts";

const obstacle =
  process.getuid?.() !== 0
    ? "only the superuser can run it with settings of its own"
    : spawnSync("sh", ["-c", "command -v exim4"]).status === 0
      ? undefined
      : "exim4 is absent";
if (obstacle !== undefined) console.log(`no mail comes from Exim here: ${obstacle}`);

/** Gives it to the server on a port of this machine, and waits for the outcome. Answers Exim's log. */
async function sendByExim(port: number, recipient: string, message: string): Promise<string> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-exim-"));
  fs.chmodSync(folder, 0o777);
  const settings = path.join(folder, "exim.conf");
  fs.writeFileSync(
    settings,
    `primary_hostname = exim.theirs.net
spool_directory = ${folder}/spool
log_file_path = ${folder}/%slog
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
`,
  );
  try {
    await new Promise<void>((resolve, reject) => {
      const args = ["-C", settings, "-odf", "-i", "-f", "ada@theirs.net", recipient];
      const exim = execFile("exim4", args, (error) => (error === null ? resolve() : reject(error)));
      exim.stdin!.end(message);
    });
    return fs.readFileSync(path.join(folder, "mainlog"), "latin1");
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

test.runIf(obstacle === undefined).each([
  ["that fits one chunk", 1],
  ["of many chunks", 8000],
])("a message %s arrives as it was written", async (_, count) => {
  await using server = await startInProcessDaemon({
    set: ["server.domain=ours.dev", "server.hostname=mx.ours.dev"],
  });
  const body = Array.from({ length: count }, (_, line) => `${line % 7 === 0 ? "." : ""}line ${line}\n`).join(
    "",
  );
  const { address } = server.agents[0]!;
  const log = await sendByExim(
    server.smtp.port,
    address,
    `From: ada@theirs.net\nTo: ${address}\nSubject: chunks\n\n${body}`,
  );
  // K: the message was sent by BDAT.
  expect(log).toMatch(/ => \S+ .* X=TLS\S* .* K /);
  const { store } = server.daemon.house;
  const mail = createMail(store);
  const { agent } = store.ids.decode(server.agents[0]!.id)!;
  const [message] = await mail.listNewestMessages(agent, { limit: 1 });
  const bytes = (await mail.readBytes(message!)).toString("latin1");
  expect(bytes.slice(bytes.indexOf("\r\n\r\n") + 4)).toBe(body.replace(/\n/g, "\r\n"));
});
