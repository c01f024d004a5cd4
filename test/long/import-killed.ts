/** node test/long/import-killed.ts [--count 10000] [--kills 10]
 *
 *  Mail is imported from a Dovecot, and the import is killed again and again, each time after another part of the mail is stored. The
 *  last import runs to its end. Then both servers must show the same by IMAP: mailboxes, flags, dates and octets, each message once. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { dovecotNote, hasDovecot, startDovecot } from "../peers/dovecot.ts";
import { connectRawImap, type RawImap } from "../support/clients/raw-imap.ts";
import { startChildDaemon, startScript } from "../support/daemon.ts";
import { didNotRun } from "./did-not-run.ts";

const { values } = parseArgs({
  options: { count: { type: "string", default: "10000" }, kills: { type: "string", default: "10" } },
});
const count = Number(values.count);
const kills = Number(values.kills);
if (!hasDovecot) didNotRun(`nothing can be imported${dovecotNote}`);

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-import-"));
const data = path.join(folder, "data");
const owner = "ada@ours.dev";
const boxes = ["INBOX", "Sent", "Lists/2024"];
const perAppend = 250;

function messageText(number: number): string {
  const lines = Array.from({ length: 5 + (number % 30) }, (_, line) => `Line ${line} of message ${number}.`);
  return `Message-ID: <${number}@far.example>\r\nFrom: a@far.example\r\nSubject: Number ${number}\r\n\r\n${lines.join("\r\n")}\r\n`;
}

async function fill(client: RawImap): Promise<void> {
  for (const box of boxes.slice(1)) await client.command(`CREATE ${box}`);
  for (let from = 0; from < count; from += perAppend) {
    const box = boxes[(from / perAppend) % boxes.length]!;
    let text = `APPEND ${box}`;
    for (let number = from; number < Math.min(count, from + perAppend); number++) {
      const flags = [number % 2 ? "\\Seen" : "", number % 7 ? "" : "\\Flagged", number % 5 ? "" : "$label1"];
      const message = messageText(number);
      const second = String(number % 60).padStart(2, "0");
      text += ` (${flags.filter((flag) => flag !== "").join(" ")}) "05-Jan-2020 10:00:${second} +0000" {${message.length}+}\r\n${message}`;
    }
    const { status } = await client.command(text);
    if (!status.startsWith("OK")) throw new Error(status);
  }
}

/** One line for each message that a server shows. */
async function shown(client: RawImap): Promise<string[]> {
  const lines: string[] = [];
  for (const box of boxes) {
    const { untagged } = await client.command(`EXAMINE ${box}`);
    const exists = Number(/^\* (\d+) EXISTS/m.exec(untagged.map(({ text }) => text).join("\n"))?.[1] ?? 0);
    for (let from = 1; from <= exists; from += 500) {
      const range = `${from}:${Math.min(exists, from + 499)}`;
      const { untagged: found } = await client.command(`FETCH ${range} (FLAGS INTERNALDATE BODY.PEEK[])`);
      for (const { text, literals } of found) {
        const flags = (/FLAGS \(([^)]*)\)/.exec(text)?.[1] ?? "")
          .split(" ")
          .filter((flag) => flag !== "\\Recent")
          .sort()
          .join(" ");
        // A day with one digit has a space or a zero before it (RFC 9051 section 9, date-day-fixed).
        const date = /INTERNALDATE "([^"]+)"/.exec(text)?.[1]?.replace(/^ /, "0");
        lines.push(`${box} ${flags} ${date} ${createHash("sha256").update(literals[0]!).digest("hex")}`);
      }
    }
  }
  return lines.sort();
}

function waypost(...args: readonly string[]): string {
  const [program, script] = startScript;
  return execFileSync(program!, [script!, ...args, "--data", data], { cwd: folder, encoding: "utf8" });
}

function startImport(url: string): ChildProcess {
  const [program, script] = startScript;
  const args = [script!, "import", owner, url, "--password-file", "secret", "--json", "--data", data];
  return spawn(program!, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

/** The number of stored messages. */
function storedCount(): number {
  const database = new Database(path.join(data, "waypost.db"), { readonly: true });
  try {
    return database.prepare("select count(*) from entry").pluck().get() as number;
  } finally {
    database.close();
  }
}

try {
  await using dovecot = await startDovecot();
  const [user] = dovecot.users;
  await using source = await connectRawImap(dovecot);
  await source.command(`LOGIN ${user!.address} ${user!.password}`);
  const filledAt = performance.now();
  await fill(source);
  console.log(`${count} messages in Dovecot ${dovecot.version} after ${seconds(filledAt)} s`);
  waypost("account", "create", "main");
  waypost("domain", "add", "ours.dev");
  const { password } = JSON.parse(waypost("person", "create", owner, "--json")) as { password: string };
  fs.writeFileSync(path.join(folder, "secret"), user!.password, { mode: 0o600 });
  const url = `imap://${user!.address}@127.0.0.1:${dovecot.port}`;
  const startedAt = performance.now();
  for (let kill = 1; kill <= kills; kill++) {
    const wanted = Math.floor((kill * count) / (kills + 1));
    const child = startImport(url);
    const ended = once(child, "exit");
    while (child.exitCode === null && storedCount() < wanted) await delay(20);
    if (child.exitCode !== null) throw new Error(`the import ended with ${child.exitCode}`);
    child.kill("SIGKILL");
    await ended;
    console.log(`killed with ${storedCount()} messages stored`);
  }
  const last = JSON.parse(waypost("import", owner, url, "--password-file", "secret", "--json"));
  console.log(`imported in ${seconds(startedAt)} s; the last run: ${JSON.stringify(last)}`);
  const expected = await shown(source);
  await using daemon = await startChildDaemon({ data, agents: 0, people: 0 });
  await using client = await connectRawImap(daemon.imap);
  await client.command(`LOGIN ${owner} ${password}`);
  const found = await shown(client);
  const wrong = expected.filter((line, at) => line !== found[at]);
  if (expected.length !== count || found.length !== count || wrong.length > 0)
    throw new Error(`${expected.length} there, ${found.length} here, ${wrong.length} differ: ${wrong[0]}`);
  console.log(`${count} messages are the same by IMAP after ${kills} kills: none lost, none twice`);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
