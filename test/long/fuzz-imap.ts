/** Seeded random fuzzing of IMAP over real sockets against one daemon. Input is made for one state and sent in every state: before
 *  login, in AUTHENTICATE, logged in, in a mailbox, in IDLE, inside a literal. The process must keep running, every answer must be
 *  IMAP, no command may end in SERVERBUG, connections must end when the client ends, memory must be bounded, and `waypost check` must
 *  be clean at the end.
 *  `node test/long/fuzz-imap.ts [--minutes N] [--seed S] [--say S]`; a finding names its seed, and `--say` repeats and prints the
 *  conversation of that seed. Inputs that found a fault are kept in `imap-inputs.txt` and sent first. */
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import { type ChildDaemon, startChildDaemon } from "../support/daemon.ts";
import { checkStore } from "./daemon-load.ts";
import { type Dice, diceOf, messages, mutate, produce, readOctets } from "./imap-productions.ts";
import { readResponses } from "./imap-wellformed.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, seed: { type: "string" }, say: { type: "string" } },
});
const minutes = Number(values.minutes);
const firstSeed = Number(values.seed ?? values.say ?? Math.floor(Math.random() * 2 ** 31));
const clients = values.say === undefined ? 8 : 1;
const agents = 4;
/** More than this means that memory grows with the input. At rest the daemon takes about a third of it. */
const residentMebibytesMax = 600;
const faultsMax = 20;
const states = ["unauthenticated", "authenticate", "authenticated", "selected", "idle", "literal"] as const;
type State = (typeof states)[number];

const base = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-fuzz-imap-"));
const daemon = await startChildDaemon({
  agents,
  data: path.join(base, "data"),
  set: ["limits.login_failures_per_network=1000000", "imap.max_connections_per_login=1000"],
});
const startedAt = Date.now();
const faults = new Map<string, number>();
const answers = { OK: 0, NO: 0, BAD: 0, BYE: 0 };
let conversations = 0;
let highestMebibytes = 0;
let hasEnded = false;

daemon.process.once("exit", (code, signal) => {
  if (!hasEnded) fault(`the daemon ended with ${code ?? signal}: ${daemon.stderr().slice(-2000)}`);
  hasEnded = true;
});

for (const agent of daemon.agents.keys()) await refill(daemon, agent);
const inputs = readInputs();
if (values.say === undefined)
  for (const [, octets] of inputs) await converseInAll(diceOf(1), [octets], "kept");
const watching = watchMemory();
await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
await watching;
if (!hasEnded) {
  const errors = daemon
    .stderr()
    .split("\n")
    .filter((line) => /"level":(?:50|60)/.test(line));
  for (const line of errors.slice(0, 10)) fault(`logged: ${line.slice(0, 1000)}`);
  hasEnded = true;
  const code = await daemon.stop();
  if (code !== 0) fault(`the daemon stopped with ${code}`);
}
for (const finding of checkStore(path.join(base, "data"))) fault(finding);
for (const [what, count] of faults) console.log(`FAULT (${count} times) ${what}`);
console.log(
  `seed ${firstSeed}: ${conversations} conversations, answers ${JSON.stringify(answers)}, ${faults.size} faults, ` +
    `memory up to ${highestMebibytes.toFixed(0)} MiB, ${Math.round((Date.now() - startedAt) / 1000)} s`,
);
fs.rmSync(base, { recursive: true, force: true });
process.exitCode = faults.size === 0 && conversations > 0 ? 0 : 1;

function fault(what: string): void {
  if (!faults.has(what) && values.say === undefined) console.log(`fault: ${what}`);
  faults.set(what, (faults.get(what) ?? 0) + 1);
}

/** Runs conversations one after the other, each with its own seed. */
async function work(client: number): Promise<void> {
  const end = startedAt + minutes * 60_000;
  for (let number = 0; Date.now() < end && !hasEnded && faults.size < faultsMax; number++) {
    const seed = firstSeed + number * clients + client;
    const dice = diceOf(seed);
    const state = states[dice(states.length)]!;
    const count = 1 + dice(12);
    const said: string[] = [];
    for (let index = 0; index < count; index++) said.push(inputFor(dice, state));
    await converseInAll(dice, said, String(seed));
    if (values.say !== undefined) return;
    if (number % 40 === 39) await refill(daemon, client % agents);
  }
}

function inputFor(dice: Dice, state: State): string {
  if (dice(12) === 0) {
    const kept = inputs.filter(([its]) => its === state);
    if (kept.length > 0) return mutate(dice, kept[dice(kept.length)]![1]);
  }
  const name = state === "literal" ? "literalRest" : state;
  const isCommand = state === "unauthenticated" || state === "authenticated" || state === "selected";
  const text = produce(dice, dice(10) === 0 ? "selected" : name);
  const line = `${isCommand ? `f${dice(1000)} ` : ""}${text}\r\n`;
  return dice(4) === 0 ? mutate(dice, line) : line;
}

async function converseInAll(dice: Dice, said: readonly string[], name: string): Promise<void> {
  for (const state of states) if (!hasEnded) await converse(dice, state, said, name);
}

/** Enters the state, sends the input in pieces of random size, and checks the answers. */
async function converse(dice: Dice, state: State, said: readonly string[], name: string): Promise<void> {
  const { address, password } = daemon.agents[dice(agents)]!;
  const socket = net.connect({ host: daemon.imap.host, port: daemon.imap.port, noDelay: true });
  let heard = "";
  let isClosed = false;
  let wake = (): void => {};
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    heard += chunk;
    wake();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
    wake();
  });
  const until = async (isDone: () => boolean, ms: number): Promise<boolean> => {
    const end = Date.now() + ms;
    while (!isDone() && !isClosed && Date.now() < end) {
      const alarm = setTimeout(() => wake(), end - Date.now());
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      clearTimeout(alarm);
    }
    return isDone();
  };
  const enter = async (text: string, expected: RegExp): Promise<boolean> => {
    socket.write(text);
    return until(() => expected.test(heard), 10_000);
  };
  const where = `seed ${name}, ${state}`;
  const isIn =
    (await until(() => heard.includes("\r\n"), 10_000)) &&
    (state === "unauthenticated" ||
      (state === "authenticate" && (await enter("e AUTHENTICATE PLAIN\r\n", /^\+ /m))) ||
      ((await enter(`e LOGIN ${address} ${password}\r\n`, /^e OK/m)) &&
        (state === "authenticated" ||
          ((await enter("e1 SELECT INBOX\r\n", /^e1 OK/m)) &&
            (state === "selected" ||
              (state === "idle" && (await enter("e2 IDLE\r\n", /^\+ /m))) ||
              (state === "literal" && (await enter("e2 SEARCH SUBJECT {3}\r\nabc", /^\+ /m))))))));
  if (!isIn && !hasEnded) fault(`${where}: could not get there: ${JSON.stringify(heard.slice(-300))}`);

  const octets = Buffer.from(said.join(""), "latin1");
  if (values.say !== undefined) console.log(`${where}\nC: ${JSON.stringify(octets.toString("latin1"))}`);
  const size = dice(3) === 0 ? 1 + dice(200) : octets.length;
  for (let at = 0; at < octets.length && !isClosed; at += size) {
    socket.write(octets.subarray(at, at + size));
    if (size < octets.length && dice(4) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  // Where no literal can be open, the server must answer whatever was begun.
  const mustAnswer =
    !/\{\d*\+?\}/.test(octets.toString("latin1")) && !/starttls|compress/i.test(said.join(""));
  if (mustAnswer) {
    socket.write("\r\nDONE\r\nprobe NOOP\r\nprobe2 NOOP\r\n");
    const hasAnswered = await until(() => /^(?:probe2 (?:OK|BAD)|\* BYE)/m.test(heard), 20_000);
    if (!hasAnswered && !isClosed && !hasEnded) fault(`${where}: no answer to the last command`);
  }
  socket.end();
  if (!(await until(() => isClosed, 20_000)) && !hasEnded) fault(`${where}: the connection does not end`);
  socket.destroy();
  conversations++;
  if (values.say !== undefined) console.log(`S: ${JSON.stringify(heard)}`);
  if (!/starttls|compress/i.test(said.join(""))) judge(heard, where);
}

function judge(heard: string, where: string): void {
  const reading = readResponses(heard);
  if (reading.fault !== undefined) fault(`${where}: ${reading.fault}`);
  for (const line of reading.statuses) {
    const [, word] = /^\S+ (OK|NO|BAD|BYE)/.exec(line) ?? [];
    if (word !== undefined) answers[word as keyof typeof answers]++;
    if (line.includes("SERVERBUG")) fault(`${where}: ${line}`);
  }
}

/** Leaves a few messages in INBOX and only the first mailboxes, so that 20 minutes do not fill the store. */
async function refill({ imap, agents: owners }: ChildDaemon, agent: number): Promise<void> {
  const { address, password } = owners[agent]!;
  let saying = "";
  try {
    await using client = await connectRawImap(imap);
    const say = (command: string, literal?: Uint8Array): ReturnType<typeof client.command> => {
      saying = command;
      return client.command(command, literal);
    };
    await say(`LOGIN ${address} ${password}`);
    const { untagged } = await say('LIST "" *');
    for (const { text, literals } of untagged) {
      const name = /^\* LIST \(([^)]*)\) "\/" (.*)$/.exec(text);
      if (name === null || /INBOX|\\(?:Sent|Drafts|Trash|Junk|Archive)/.test(text)) continue;
      await (literals[0] === undefined ? say(`DELETE ${name[2]}`) : say("DELETE", literals[0]));
    }
    for (const mailbox of ["INBOX", "Sent", "Trash"]) {
      await say(`SELECT ${mailbox}`);
      await say("STORE 1:* +FLAGS.SILENT (\\Deleted)");
      await say("CLOSE");
    }
    for (const message of [...messages, ...messages])
      await say("APPEND INBOX", Buffer.from(message, "latin1"));
  } catch (error) {
    const { message } = error as Error;
    // Another connection may delete the selected mailbox, which closes this one.
    if (!hasEnded && !message.includes("mailbox was deleted"))
      fault(`refilling ends in ${message} at ${saying.slice(0, 200)}`);
  }
}

async function watchMemory(): Promise<void> {
  const end = startedAt + minutes * 60_000;
  while (Date.now() < end && !hasEnded && faults.size < faultsMax && values.say === undefined) {
    const status = fs.readFileSync(`/proc/${daemon.process.pid}/status`, "latin1");
    const mebibytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
    highestMebibytes = Math.max(highestMebibytes, mebibytes);
    if (mebibytes > residentMebibytesMax) fault(`the daemon takes more than ${residentMebibytesMax} MiB`);
    await delay(Math.min(2000, Math.max(1, end - Date.now())));
  }
}

function readInputs(): (readonly [State, string])[] {
  const text = fs.readFileSync(new URL("imap-inputs.txt", import.meta.url), "latin1");
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [state, octets] = line.split("\t");
      return [state as State, readOctets(octets!)] as const;
    });
}
