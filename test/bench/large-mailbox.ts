/** `npm run bench:mailbox -- --count 10000,1000000`: what a person does over IMAP with one mailbox of this many messages: opens it, looks
 *  at a page, searches, flags and deletes; and commands on all messages. Prints one table with a column for each count, in
 *  milliseconds, and the memory.
 *
 *  The store's own write puts the messages there before the daemon starts: a million of them would take an hour over a protocol. Each
 *  message has its own subject and is verified where it is shown. The rows are measured when the search index has all messages, or
 *  after `--patience` seconds. */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { nobody } from "#/src/model/author.ts";
import { openStore } from "#/storage/open-store.ts";
import { listAgents } from "#/storage/queries/accounts/agents.ts";
import { startChildDaemon } from "../support/daemon.ts";
import { type Answer, ImapConnection } from "./imap-connection.ts";
import { costOf } from "./process-cost.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "10000,1000000" },
    rounds: { type: "string", default: "15" },
    patience: { type: "string", default: "600" },
  },
});
const counts = values.count.split(",").map(Number);
const rounds = Number(values.rounds);
const page = 50;
const each = 500;
/** One message in this many has the word that the searches look for. */
const rare = 5000;

const columns = [];
for (const count of counts) columns.push(await measure(count));
console.log(
  `\n${os.cpus().length} × ${os.cpus()[0]?.model.trim()}, Node ${process.version}, medians of ${rounds}\n`,
);
console.log(`| messages | ${counts.join(" | ")} | |`);
console.log(`|---|${"--:|".repeat(counts.length + 1)}`);
for (const name of columns[0]!.keys()) {
  const row = columns.map((column) => column.get(name)!);
  const times = row.at(-1)! / row[0]!;
  console.log(
    `| ${name} | ${row.map((value) => value.toPrecision(3)).join(" | ")} | ${times.toFixed(2)} × |`,
  );
}

async function measure(count: number): Promise<Map<string, number>> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-mailbox-"));
  const set = ["imap.message_limit=1000000"];
  const measures = new Map<string, number>();
  const first = await startChildDaemon({ data: folder, set });
  const [owner] = first.agents;
  await first.stop();
  const filledMs = await fill(folder, count);
  const daemon = await startChildDaemon({ data: folder, set });
  try {
    const client = await ImapConnection.open(daemon.imap, owner!);
    const isIndexed = await indexed(client, count);
    console.log(
      `${count}: stored in ${(filledMs / 1000).toFixed(0)} s; the search index ${isIndexed ? "has them" : "does not have all of them"}`,
    );
    measures.set("resident MB", costOf(daemon.process.pid!).residentBytes / 1e6);
    await measurePerson(client, () => ImapConnection.open(daemon.imap, owner!), count, measures);
    measures.set("resident MB after that", costOf(daemon.process.pid!).residentBytes / 1e6);
    await measureAll(client, count, measures);
    measures.set("resident MB after all of it", costOf(daemon.process.pid!).residentBytes / 1e6);
    client.close();
  } finally {
    await daemon.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  return measures;
}

async function fill(folder: string, count: number): Promise<number> {
  const begin = performance.now();
  await using store = await openStore({ folder });
  const agent = (await listAgents(store)).find(({ kind }) => kind === "agent")!.agent;
  const { mailbox } = await store.write(nobody, "createMailbox", { agent, name: "Bench", at: 1 });
  let written: Promise<unknown> = Promise.resolve();
  for (let number = 1; number <= count; number += each) {
    const messages = [];
    for (let at = number; at < number + each && at <= count; at++)
      messages.push({
        facts: await prepareMessage(messageOf(at)),
        flags: at % 2 === 0 ? 1 : 0,
        keywords: [],
        internalDate: Date.UTC(2020, 0, 1) + at * 60_000,
        provenance: "{}",
        isAuthenticated: false,
      });
    // The next batch was prepared while this write ran.
    await written;
    written = store.write(nobody, "appendMessages", { actor: nobody, agent, mailbox, messages, at: 1 });
  }
  await written;
  return performance.now() - begin;
}

function subjectOf(number: number): string {
  return `${number % rare === 7 ? "quarterly" : "note"} ${number} of the mailbox`;
}

function messageOf(number: number): Buffer {
  return Buffer.from(
    [
      `Date: ${new Date(Date.UTC(2020, 0, 1) + number * 60_000).toUTCString().replace("GMT", "+0000")}`,
      `From: Sender ${number % 997} <sender${number % 997}@peer.test>`,
      "To: Reader <reader@example.test>",
      `Subject: ${subjectOf(number)}`,
      `Message-ID: <${number}@peer.test>`,
      "",
      `A short text, the ${number}th of them. ${"It says little. ".repeat(number % 10)}`,
      "",
    ].join("\r\n"),
  );
}

async function indexed(client: ImapConnection, count: number): Promise<boolean> {
  await client.command("SELECT Bench");
  const until = performance.now() + Number(values.patience) * 1000;
  const last = count - ((count - 7) % rare);
  for (;;) {
    const found = numbersIn(answerOf(await client.command("SEARCH SUBJECT quarterly"), /^\* SEARCH/));
    expect(found.at(-1) === last, `the last of ${count} that SEARCH finds is ${found.at(-1)}`);
    // The server reads messages that are not in the index, and that takes longer than the index.
    const begin = performance.now();
    await client.command("SEARCH TEXT zzzzzz");
    if (performance.now() - begin < 50) return true;
    if (performance.now() > until) return false;
    await delay(5000);
  }
}

async function measurePerson(
  client: ImapConnection,
  open: () => Promise<ImapConnection>,
  count: number,
  measures: Map<string, number>,
): Promise<void> {
  const timed = async (
    name: string,
    commandOf: (round: number) => string,
    verify: (answer: Answer, round: number) => void = () => {},
  ): Promise<void> => {
    const times: number[] = [];
    for (let round = 0; round < rounds + 3; round++) {
      const begin = performance.now();
      const answer = await client.command(commandOf(round));
      if (round >= 3) times.push(performance.now() - begin);
      verify(answer, round);
    }
    measures.set(name, median(times));
  };
  const opens: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const other = await open();
    const begin = performance.now();
    const { frames } = await other.command("SELECT Bench");
    opens.push(performance.now() - begin);
    expect(
      frames.some(({ text }) => text === `* ${count} EXISTS`),
      "EXISTS",
    );
    other.close();
  }
  measures.set("open: SELECT in a new session", median(opens));
  await client.command("SELECT Bench");
  const shows = (from: number) => (answer: Answer) => {
    const lines = answer.frames.filter(({ text }) => text.includes(" FETCH "));
    expect(lines.length === page, `a page has ${lines.length}`);
    for (const [index, { text }] of lines.entries())
      expect(text.includes(subjectOf(from + index)), `the page shows ${subjectOf(from + index)}`);
  };
  const items = "(UID FLAGS INTERNALDATE RFC822.SIZE ENVELOPE BODYSTRUCTURE)";
  const newest = count - page + 1;
  await timed("page: FETCH of the newest 50", () => `FETCH ${newest}:* ${items}`, shows(newest));
  const middle = Math.floor(count / 2);
  await timed(
    "page: FETCH of 50 in the middle",
    () => `FETCH ${middle}:${middle + page - 1} ${items}`,
    shows(middle),
  );
  await timed(
    "read: FETCH BODY[] of one",
    (round) => `FETCH ${middle + round} (BODY[])`,
    ({ frames }, round) =>
      expect(
        frames.some(({ literals }) => literals[0]?.equals(messageOf(middle + round))),
        "the octets of one",
      ),
  );
  await timed("search: UNSEEN, counted", () => "SEARCH RETURN (COUNT) UNSEEN");
  await timed(
    "search: a word of 1 in 5000 subjects, the newest 20",
    () => "SEARCH RETURN (PARTIAL -1:-20) SUBJECT quarterly",
  );
  await timed("search: a sender among the newest 1000", () => `SEARCH ${count - 999}:* FROM sender42@peer`);
  await timed("search: since a day", () => "SEARCH RETURN (COUNT) SINCE 1-Jan-2020 BEFORE 2-Jan-2020");
  await timed("flag: STORE of one", (round) => `STORE ${middle + round} +FLAGS (\\Flagged)`);
  await timed("STATUS", () => "STATUS Bench (MESSAGES UNSEEN)");
  await client.command("CREATE Aside");
  await timed("move: MOVE of one", (round) => `MOVE ${middle - round} Aside`);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await client.command(`STORE ${middle} +FLAGS.SILENT (\\Deleted)`);
    const begin = performance.now();
    const answer = await client.command("EXPUNGE");
    times.push(performance.now() - begin);
    expect(answerOf(answer, /EXPUNGE$/) === `* ${middle} EXPUNGE`, "one is expunged");
  }
  measures.set("delete: EXPUNGE of one", median(times));
}

/** Commands on all messages, as programs send them. Each runs once. */
async function measureAll(
  client: ImapConnection,
  count: number,
  measures: Map<string, number>,
): Promise<void> {
  const once = async (name: string, command: string): Promise<void> => {
    const begin = performance.now();
    await client.command(command);
    measures.set(`all, for each 10,000: ${name}`, ((performance.now() - begin) / count) * 10_000);
  };
  await once("FETCH 1:* (UID FLAGS)", "FETCH 1:* (UID FLAGS)");
  await once("SEARCH ALL", "SEARCH ALL");
  await once("STORE 1:* +FLAGS.SILENT", "STORE 1:* +FLAGS.SILENT (\\Answered)");
}

/** The response that was expected. While a long command runs, the server first sends other responses. */
function answerOf({ frames }: Answer, pattern: RegExp): string {
  return frames.find(({ text }) => pattern.test(text))?.text ?? "";
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

function expect(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`not verified: ${what}`);
}

function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)]!;
}
