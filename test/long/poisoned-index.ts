/** A message that cannot be indexed, in a mailbox of a whole daemon. Every start succeeds, search finds the mail around it and later
 *  mail, and `check` names the message that is left out. `node test/long/poisoned-index.ts [starts]`; 5 by default. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Database from "better-sqlite3";
import { createTransport } from "nodemailer";
import { startChildDaemon, startScript } from "../support/daemon.ts";

const starts = Number(process.argv[2] ?? 5);
const waitMs = 30_000;
const data = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-poison-"));
const startedAt = Date.now();
const faults: string[] = [];

const daemon = await startChildDaemon({ data, set: ["log.level=fatal"] });
const owner = daemon.agents[0]!;

async function deliver(subject: string): Promise<void> {
  const { host, port } = daemon.smtp;
  const transport = createTransport({ host, port, ignoreTLS: true });
  await transport.sendMail({ from: "a@outside.example", to: owner.address, subject, text: subject });
  transport.close();
}

async function find(word: string): Promise<number> {
  const response = await fetch(`${daemon.http.url}/v1/search`, {
    method: "POST",
    headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
    body: JSON.stringify({ q: word }),
  });
  if (response.status !== 200) return -response.status;
  const { content } = (await response.json()) as { content: { items: unknown[] } };
  return content.items.length;
}

async function isFound(word: string): Promise<boolean> {
  const until = Date.now() + waitMs;
  while (Date.now() < until) {
    if ((await find(word)) === 1) return true;
    await delay(100);
  }
  return false;
}

function damage(): void {
  const database = new Database(path.join(data, "waypost.db"));
  database.pragma("busy_timeout = 5000");
  const { changes } = database
    .prepare(
      "update blob set structure = '{' where blob_id = (select blob_id from message where subject = ?)",
    )
    .run("poisoned");
  if (changes !== 1) faults.push(`${changes} messages were damaged`);
  database.close();
}

for (const subject of ["before", "poisoned", "behind"]) await deliver(subject);
damage();
for (let start = 1; start <= starts; start++) {
  // Removes the index, so that the daemon builds it again and meets the message again.
  for (const name of fs.readdirSync(data).filter((one) => one.startsWith("search.db")))
    fs.rmSync(path.join(data, name));
  await daemon.restart(start % 2 === 0 ? "SIGKILL" : "SIGTERM");
  await deliver(`later${start}`);
  for (const word of ["before", "behind", `later${start}`])
    if (!(await isFound(word))) faults.push(`start ${start}: ${word} is not found`);
}
await daemon.stop();
const [program, script] = startScript;
const check = spawnSync(program!, [script!, "check", "--data", data, "--json"], { encoding: "utf8" });
if (!/message_[0-9a-z]{26}/.test(check.stdout))
  faults.push(`check names nothing: ${check.stdout}${check.stderr}`);

for (const fault of faults) console.log(fault);
console.log(
  `${starts} starts, ${faults.length} faults\n${faults.length === 0 ? "passed" : "failed"} in ${Math.round((Date.now() - startedAt) / 1000)} s`,
);
fs.rmSync(data, { recursive: true, force: true });
process.exit(faults.length === 0 ? 0 : 1);
