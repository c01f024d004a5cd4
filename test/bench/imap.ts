/** `npm run bench:imap`: measures Waypost, started by `waypost dev`, and Dovecot where it is installed. They run one after the other
 *  on loopback with the same client and the same mail, and both answer OK only when the data is on the disk. Prints one table: times,
 *  and the processor time of each server (CPU), which other work on the machine does not change much.
 *  Options: `--messages 10000`, `--idle 1000` connections, `--rounds 5` of each command after as many rounds that are not counted,
 *  `--only waypost`. */
import os from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { dovecotNote, hasDovecot, startDovecot } from "../peers/dovecot.ts";
import { startChildDaemon } from "../support/daemon.ts";
import { type Answer, ImapConnection } from "./imap-connection.ts";
import { holds, internalDateOf, messageOf, senderOf, subjectOf, words } from "./imap-mail.ts";
import { costOf, processorMsOf, settled } from "./process-cost.ts";
import { type Measure, median, Spans } from "./spans.ts";

const { values } = parseArgs({
  options: {
    messages: { type: "string", default: "10000" },
    idle: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    only: { type: "string" },
  },
});
const count = Number(values.messages);
const idleCount = Number(values.idle);
const rounds = Number(values.rounds);
const some = Math.min(1000, count);
const ones = 1000;
const userCount = 20;
const fields = "From To Subject Date Message-ID References";
/** What mail programs ask for when they show a list, and fields of which one is on no list. */
const lists = {
  "six header fields": fields,
  "the fields of Thunderbird":
    "From To Cc Bcc Subject Date Message-ID Priority X-Priority References Newsgroups In-Reply-To Content-Type Reply-To",
  "the fields of neomutt":
    "DATE FROM SENDER SUBJECT TO CC MESSAGE-ID REFERENCES CONTENT-TYPE CONTENT-DESCRIPTION IN-REPLY-TO REPLY-TO LINES LIST-POST LIST-SUBSCRIBE LIST-UNSUBSCRIBE X-LABEL X-ORIGINAL-TO",
  "the fields of K-9":
    "date subject from content-type to cc reply-to message-id references in-reply-to list-unsubscribe sender X-K9mail-Identity Chat-Version",
  "the fields of Apple Mail":
    "date subject from to cc message-id in-reply-to references content-type x-priority x-uniform-type-identifier x-universally-unique-identifier list-id list-unsubscribe bimi-indicator bimi-location x-bimi-indicator-hash authentication-results dkim-signature",
  "the field of mbsync": "X-TUID",
  "six header fields, and X-Other": `${fields} X-Other`,
} as const;

interface Server {
  readonly host: string;
  readonly port: number;
  readonly users: readonly { readonly address: string; readonly password: string }[];
  /** The server's process. Processor time and memory are measured for it and its children. */
  readonly pid: number;
}

type Measures = Map<string, Measure>;

const results: [name: string, measures: Measures][] = [];
const load = os.loadavg()[0]!;
if (values.only !== "dovecot") {
  await using daemon = await startChildDaemon({
    agents: userCount,
    set: [
      "imap.max_connections_per_login=5000",
      "limits.connections_share_of_account=1",
      "limits.login_failures_per_network=1000000",
    ],
  });
  const server = { ...daemon.imap, users: daemon.agents, pid: daemon.process.pid! };
  results.push(["Waypost", await measure(server)]);
}
if (hasDovecot && values.only !== "waypost") {
  await using dovecot = await startDovecot({ users: userCount });
  results.push([`Dovecot ${dovecot.version}`, await measure({ ...dovecot, pid: dovecot.process.pid! })]);
}
report();

async function measure(server: Server): Promise<Measures> {
  const measures: Measures = new Map();
  // First, because later steps take memory and give only part of it back.
  const idleKibibytes = await weighIdle(server);
  await fill(server);
  // Gives the server time to index the mail.
  await settled(server.pid);
  await measureReading(server, measures);
  await measureWriting(server, measures);
  await measureLatency(server, measures);
  note(measures, `memory per idle connection, of ${idleCount}`, "KiB", idleKibibytes);
  return measures;
}

/** Fills the mailbox that all commands use. */
async function fill(server: Server): Promise<void> {
  const client = await ImapConnection.open(server, server.users[0]!);
  await client.command("CREATE Bench");
  for (let number = 1; number <= count; number += 100) {
    const parts: (string | Buffer)[] = ["APPEND Bench"];
    for (let each = number; each < number + 100 && each <= count; each++)
      parts.push(`${each % 2 === 0 ? " (\\Seen)" : " ()"} ${internalDateOf(each)} `, messageOf(each));
    await client.command(...parts);
  }
  client.close();
}

async function measureReading(server: Server, measures: Measures): Promise<void> {
  const selects = new Spans(server.pid);
  for (let round = 0; round < rounds; round++) {
    const client = await ImapConnection.open(server, server.users[0]!);
    const answer = await selects.time(() => client.command("SELECT Bench"));
    expect(
      answer.frames.some(({ text }) => text === `* ${count} EXISTS`),
      "SELECT tells EXISTS",
    );
    client.close();
  }
  measures.set("SELECT in a new session", selects.measure());
  await settled(server.pid);

  const client = await ImapConnection.open(server, server.users[0]!);
  await client.command("SELECT Bench");
  const ask = async (name: string, command: string, verify: (answer: Answer) => void): Promise<void> => {
    // The first rounds are not counted: a daemon that has run for weeks has compiled its code and filled its caches.
    for (let round = 0; round < rounds; round++) verify(await client.command(command));
    const spans = new Spans(server.pid);
    for (let round = 0; round < rounds; round++) verify(await spans.time(() => client.command(command)));
    measures.set(name, spans.measure());
  };
  const fetches = (expected: number, pattern: RegExp) => (answer: Answer) => {
    const found = answer.frames.filter(({ text }) => / FETCH /.test(text) && pattern.test(text)).length;
    expect(
      found === expected,
      `FETCH gives ${found} of ${expected}: ${answer.frames[0]?.text.slice(0, 200)}`,
    );
  };
  await ask("FETCH 1:* (UID FLAGS)", "FETCH 1:* (UID FLAGS)", fetches(count, /UID \d+ FLAGS \(/));
  await ask("FETCH 1:* ENVELOPE", "FETCH 1:* (ENVELOPE)", (answer) => {
    fetches(count, /ENVELOPE \(/)(answer);
    for (const [index, { text }] of answer.frames.entries())
      expect(text.includes(`"${subjectOf(index + 1)}"`), `the subject of ${index + 1}`);
  });
  await ask("FETCH 1:* BODYSTRUCTURE", "FETCH 1:* (BODYSTRUCTURE)", fetches(count, /BODYSTRUCTURE \(/));
  await ask(
    "FETCH 1:* of a mail program's list",
    "FETCH 1:* (UID FLAGS INTERNALDATE RFC822.SIZE ENVELOPE BODYSTRUCTURE)",
    fetches(count, /RFC822\.SIZE \d+/),
  );
  for (const [name, asked] of Object.entries(lists))
    await ask(`FETCH 1:* ${name}`, `FETCH 1:* (BODY.PEEK[HEADER.FIELDS (${asked})])`, (answer) => {
      fetches(count, /HEADER\.FIELDS/)(answer);
      for (const [index, { literals }] of answer.frames.entries())
        expect(
          literals[0]!.includes(`Subject: ${subjectOf(index + 1)}\r\n`) || !/subject/i.test(asked),
          `the fields of ${index + 1}`,
        );
    });
  await ask("FETCH 1:* BODY[HEADER]", "FETCH 1:* (BODY.PEEK[HEADER])", (answer) => {
    fetches(count, /BODY\[HEADER\]/)(answer);
    for (const [index, { literals }] of answer.frames.entries())
      expect(literals[0]!.includes(`Message-ID: <${index + 1}@`), `the header of ${index + 1}`);
  });
  await ask(`FETCH 1:${some} BODY[]`, `FETCH 1:${some} (BODY.PEEK[])`, (answer) => {
    fetches(some, /BODY\[\]/)(answer);
    for (const [index, { literals }] of answer.frames.entries())
      expect(literals[0]!.equals(messageOf(index + 1)), `the octets of ${index + 1}`);
  });
  await askOnes(server, client, measures, "FETCH n BODY[]", (number) => `FETCH ${number} (BODY.PEEK[])`);

  const search = (name: string, command: string, fits: (number: number) => boolean): Promise<void> =>
    ask(name, command, (answer) => {
      const found = answer.frames.find(({ text }) => text.startsWith("* SEARCH"))?.text.slice(9) ?? "";
      const expected = Array.from({ length: count }, (_, index) => index + 1).filter(fits);
      expect(found.trim() === expected.join(" "), `${command} finds ${found.slice(0, 100)}`);
    });
  await search("SEARCH UNSEEN", "SEARCH UNSEEN", (number) => number % 2 === 1);
  await search("SEARCH SUBJECT", `SEARCH SUBJECT ${words.subject[0]}`, (number) => holds("subject", number));
  await search("SEARCH FROM", "SEARCH FROM sender42@peer", (number) =>
    senderOf(number).startsWith("sender42@"),
  );
  await search("SEARCH BODY", `SEARCH BODY ${words.body[0]}`, (number) => holds("body", number));
  await search("SEARCH TEXT", `SEARCH TEXT ${words.text[0]}`, (number) => holds("text", number));
  client.close();
}

async function measureWriting(server: Server, measures: Measures): Promise<void> {
  const client = await ImapConnection.open(server, server.users[0]!);
  await client.command("SELECT Bench");
  await settled(server.pid);
  const stores = new Spans(server.pid);
  for (let round = 0; round < rounds; round++) {
    const sign = round % 2 === 0 ? "+" : "-";
    const { frames } = await stores.time(() => client.command(`STORE 1:* ${sign}FLAGS (\\Flagged)`));
    const changed = frames.filter(
      ({ text }) => / FETCH .*FLAGS \(/.test(text) && text.includes("Flagged") === (sign === "+"),
    );
    expect(changed.length === count, `STORE answers ${changed.length}`);
  }
  measures.set("STORE 1:* FLAGS", stores.measure());
  await askOnes(
    server,
    client,
    measures,
    "STORE n FLAGS",
    (number) => `STORE ${number} +FLAGS.SILENT (\\Answered)`,
  );

  await client.command("CREATE Copies");
  await client.command("CREATE Moved");
  const [copies, moves, expunges] = [new Spans(server.pid), new Spans(server.pid), new Spans(server.pid)];
  for (let round = 0; round < rounds; round++) {
    await client.command("SELECT Bench");
    await copies.time(() => client.command(`COPY 1:${some} Copies`));
    await client.command("SELECT Copies");
    await moves.time(() => client.command("MOVE 1:* Moved"));
    expect((await countOf(client, "Moved")) === some, "all are moved");
    await client.command("SELECT Moved");
    await client.command("STORE 1:* +FLAGS.SILENT (\\Deleted)");
    await expunges.time(() => client.command("EXPUNGE"));
    expect((await countOf(client, "Moved")) === 0, "all are expunged");
  }
  measures.set(`COPY of ${some}`, copies.measure());
  measures.set(`MOVE of ${some}`, moves.measure());
  measures.set(`EXPUNGE of ${some}`, expunges.measure());
  client.close();

  for (const connections of [1, 10])
    measures.set(`APPEND, ${connections} connections`, await appends(server, connections));
}

async function countOf(client: ImapConnection, mailbox: string): Promise<number> {
  const { frames } = await client.command(`STATUS ${mailbox} (MESSAGES)`);
  return Number(/MESSAGES (\d+)/.exec(frames.map(({ text }) => text).join("\n"))?.[1]);
}

/** Each connection appends to the INBOX of its own user. */
async function appends(server: Server, connections: number): Promise<Measure> {
  const each = Math.max(50, 400 / connections);
  const message = messageOf(1);
  const clients = await Promise.all(
    Array.from({ length: connections }, (_, index) => ImapConnection.open(server, server.users[index + 1]!)),
  );
  const before = await Promise.all(clients.map((client) => countOf(client, "INBOX")));
  const processorBefore = processorMsOf(server.pid);
  const begin = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      for (let number = 0; number < each; number++) await client.command("APPEND INBOX (\\Seen) ", message);
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  const processorMs = (processorMsOf(server.pid) - processorBefore) / (each * connections);
  for (const [index, client] of clients.entries()) {
    expect((await countOf(client, "INBOX")) === before[index]! + each, "all are appended");
    client.close();
  }
  return { unit: "/s", value: (each * connections) / seconds, processorMs };
}

async function measureLatency(server: Server, measures: Measures): Promise<void> {
  const user = server.users[15]!;
  const idler = await ImapConnection.open(server, user);
  const sender = await ImapConnection.open(server, user);
  await idler.command("SELECT INBOX");
  const end = await idler.idle();
  const latencies: number[] = [];
  for (let probe = 0; probe < 50; probe++) {
    const told = new Promise<number>((resolve) => {
      idler.onFrame = ({ text }) => {
        if (/^\* \d+ EXISTS$/.test(text)) resolve(performance.now());
      };
    });
    // Measured from the OK of the APPEND, to leave out the write itself. EXISTS may arrive before that OK.
    const [, at] = await Promise.all([
      told,
      sender.command("APPEND INBOX ", messageOf(2)).then(() => performance.now()),
    ]);
    latencies.push((await told) - at);
  }
  await end();
  idler.close();
  sender.close();
  latencies.sort((a, b) => a - b);
  note(measures, "IDLE: EXISTS behind the OK of the APPEND, median", "ms", Math.max(0, median(latencies)));
  note(measures, "IDLE: the same, the slowest of 50", "ms", Math.max(0, latencies.at(-1)!));
}

/** Memory for each connection that has selected a mailbox and waits in IDLE. The connections are spread over all users. */
async function weighIdle(server: Server): Promise<number> {
  const open = async (number: number): Promise<ImapConnection> => {
    const client = await ImapConnection.open(server, server.users[number % userCount]!);
    await client.command("SELECT INBOX");
    await client.idle();
    return client;
  };
  const clients: ImapConnection[] = [];
  for (let number = 0; number < userCount; number++) clients.push(await open(number));
  const before = costOf(server.pid).residentBytes / 1024;
  for (let number = 0; number < idleCount; number += 20)
    clients.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(20, idleCount - number) }, (_, index) => open(index)),
      )),
    );
  // Meanwhile the server gives back the memory that the logins took.
  await delay(3000);
  const taken = costOf(server.pid).residentBytes / 1024 - before;
  for (const client of clients) client.close();
  return taken / idleCount;
}

async function askOnes(
  server: Server,
  client: ImapConnection,
  measures: Measures,
  name: string,
  commandOf: (number: number) => string,
): Promise<void> {
  const times: number[] = [];
  let processorBefore = 0;
  for (let one = -ones; one < ones; one++) {
    // The first half is not counted, as in `ask`.
    if (one === 0) processorBefore = processorMsOf(server.pid);
    const begin = performance.now();
    await client.command(commandOf(1 + (((one + ones) * 7919) % count)));
    if (one >= 0) times.push(performance.now() - begin);
  }
  const processorMs = (processorMsOf(server.pid) - processorBefore) / ones;
  measures.set(`${name}, one at a time`, { unit: "ms", value: median(times), processorMs });
}

function expect(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`not verified: ${what}`);
}

function note(measures: Measures, name: string, unit: Measure["unit"], value: number): void {
  measures.set(name, { unit, value });
}

function report(): void {
  const [first, second] = results;
  console.log(
    `${os.cpus().length} × ${os.cpus()[0]?.model.trim()}, Node ${process.version}, load ${load.toFixed(1)} before; ` +
      `\`npm run bench:imap -- --messages ${count} --idle ${idleCount} --rounds ${rounds}\`${dovecotNote}\n`,
  );
  const names = results.map(([name]) => name);
  const processorNames = names.map((name) => `${name}, CPU`);
  const ratios = second ? ["Dovecot takes", "CPU"] : [];
  console.log(`| ${count} messages | ${[...names, ...processorNames, ...ratios].join(" | ")} |`);
  console.log(`|---|${"--:|".repeat(2 * names.length + ratios.length)}`);
  for (const [name, one] of first![1]) {
    const other = second?.[1].get(name);
    const each = other === undefined ? [one] : [one, other];
    const cells = [
      ...each.map(({ unit, value }) => `${shown(value)} ${unit}`),
      ...each.map(({ processorMs }) => (processorMs === undefined ? "" : `${shown(processorMs)} ms`)),
    ];
    if (other !== undefined) {
      cells.push(`${shown(one.unit === "/s" ? one.value / other.value : other.value / one.value)} ×`);
      const isTold = one.processorMs !== undefined && other.processorMs !== undefined;
      cells.push(isTold ? `${shown(other.processorMs / one.processorMs)} ×` : "");
    }
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}

function shown(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(value < 10 ? 2 : 1);
}
