/** Mail that takes much work, one of each kind, to one daemon. Small mail that comes meanwhile may have its 250 at most half a second
 *  later than on a quiet daemon, by the processor time of the daemon, so that other work on the machine does not count. Every mail has an answer, the daemon keeps running, and its store is sound.
 *  `node test/long/expensive-mail.ts [--kind TEXT] [--bytes N] [--together N]` */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectRawSmtp, type RawSmtp } from "../support/clients/raw-smtp.ts";
import { startChildDaemon } from "../support/daemon.ts";
import { expensiveMails } from "../support/expensive-mail.ts";
import { familyProcessorMs } from "../support/threads/process-family.ts";
import { checkStore } from "./daemon-load.ts";

const { values } = parseArgs({
  options: {
    kind: { type: "string", default: "" },
    bytes: { type: "string", default: "200000,8000000" },
    together: { type: "string", default: "3" },
  },
});
/** Half a second of the whole machine. */
const laterMsMax = 500 * os.availableParallelism();
const quietMails = 20;
/** How long to wait for the daemon's exit after it closed a connection. A daemon that keeps running does not exit in this time. */
const closeMsMax = 5000;
const together = Number(values.together);
const small = "Subject: small\r\n\r\nsmall\r\n";

const data = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-expensive-mail-"));
const daemon = await startChildDaemon({ data, set: ["dns.servers=none"] });
const recipient = daemon.agents[0]!.address;
const faults: string[] = [];

async function connect(): Promise<RawSmtp> {
  const client = await connectRawSmtp({ port: daemon.smtp.port });
  await client.command("EHLO peer.example");
  return client;
}

/** Sends a small mail. Returns the processor time of the daemon from the last octet to the reply. */
async function sendSmall(client: RawSmtp): Promise<number> {
  await client.command("MAIL FROM:<a@peer.example>");
  await client.command(`RCPT TO:<${recipient}>`);
  await client.command("DATA");
  const sentAt = familyProcessorMs(daemon.process.pid!);
  const answer = await client.command(`${small}.`);
  if (answer === "closed") throw new Error(`the connection was closed; ${await ending()}`);
  if (!answer.startsWith("250")) faults.push(`a small mail was answered with ${answer}`);
  return familyProcessorMs(daemon.process.pid!) - sentAt;
}

/** How the daemon ended, and its output, which is complete only when its streams have ended. */
async function ending(): Promise<string> {
  const { process: child } = daemon;
  const isClosed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await Promise.race([isClosed, delay(closeMsMax)]);
  return `the daemon has code ${child.exitCode} and signal ${child.signalCode}; it said: ${daemon.stderr()}`;
}

async function sendExpensive(message: Buffer): Promise<string> {
  await using client = await connect();
  await client.command("MAIL FROM:<b@peer.example>");
  await client.command(`RCPT TO:<${recipient}>`);
  await client.command("DATA");
  const stuffed = message.toString("latin1").replaceAll("\r\n.", "\r\n..");
  return (await client.send(Buffer.from(`${stuffed}.\r\n`, "latin1")))[0]!;
}

const client = await connect();
// The first mails are not counted, because code is compiled meanwhile.
for (let count = 0; count < quietMails; count++) await sendSmall(client);
const quiet: number[] = [];
for (let count = 0; count < quietMails; count++) quiet.push(await sendSmall(client));
const quietMs = quiet.sort((a, b) => a - b)[quietMails / 2]!;
console.log(`a small mail on a quiet daemon: ${quietMs.toFixed(1)} ms of a processor\n`);
console.log("| mail | octets | answered with | after ms | small mails | slowest ms |");
console.log("|---|--:|---|--:|--:|--:|");

for (const bytes of values.bytes.split(",").map(Number))
  for (const { kind, message } of expensiveMails(bytes)) {
    if (!kind.includes(values.kind)) continue;
    const sentAt = performance.now();
    let isAnswered = false;
    const all = Promise.all(Array.from({ length: together }, () => sendExpensive(message))).then(
      (answers) => {
        isAnswered = true;
        return answers;
      },
    );
    const times: number[] = [];
    do times.push(await sendSmall(client));
    while (!isAnswered);
    const answers = new Set((await all).map((answer) => answer.slice(0, 9)));
    const slowest = Math.max(...times);
    const after = performance.now() - sentAt;
    console.log(
      `| ${kind} | ${message.length} | ${[...answers].join(", ")} | ${after.toFixed(0)} | ${times.length} | ${slowest.toFixed(0)} |`,
    );
    if (slowest > quietMs + laterMsMax)
      faults.push(`${kind} of ${message.length}: a small mail took ${slowest.toFixed(0)} ms`);
    for (const answer of answers)
      if (!/^(250|55[24])/.test(answer)) faults.push(`${kind} was answered with ${answer}`);
  }

await client.command("QUIT");
if (daemon.process.exitCode !== null) faults.push("the daemon ended");
await daemon.stop();
faults.push(...checkStore(data));
fs.rmSync(data, { recursive: true, force: true });
console.log(faults.length === 0 ? "\nno small mail waited" : `\n${faults.join("\n")}`);
process.exitCode = faults.length === 0 ? 0 : 1;
