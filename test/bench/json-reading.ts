/** `/v1` as agents read: single newsletters and listings of them, against the bare `node:http` with answers of the same length. */
import { postJson } from "../support/clients/events.ts";
import { type HttpLoad, type HttpResult, runHttpLoad } from "./http-load.ts";
import { type Measuring, megabytes, percentile, rate } from "./measuring.ts";
import { lastWords, newsletterMail, newsletterType } from "./newsletter.ts";
import { costOf } from "./process-cost.ts";
import { runSmtpLoad } from "./smtp-load.ts";
import { startSink } from "./start-sink.ts";

const letters = 200;
const connections = 16;

export interface JsonOptions extends Measuring {
  /** The mailbox that gets the newsletters. */
  readonly mailbox: { readonly address: string; readonly token: string };
}

export async function measureJson(options: JsonOptions): Promise<void> {
  const { daemon, mailbox, seconds, takeLoopDelay, say } = options;
  const { address, token } = mailbox;
  const filled = await runSmtpLoad({
    port: daemon.smtp.port,
    connections: 10,
    bodyBytes: 0,
    letter: { contentType: newsletterType, body: (number) => newsletterMail(10 * 1024, number) },
    recipients: [address],
    count: letters,
  });
  if (filled.accepted !== letters) throw new Error(`only ${filled.accepted} letters were accepted`);
  const ids = await listIds(daemon.http.url, token);
  const port = Number(new URL(daemon.http.url).port);
  using bare = await startSink("null-http.ts");
  say("\n## Reading over `/v1`, 16 connections\n");
  say(
    "| what | node:http /s | Waypost /s | × node:http | p50 ms | p99 ms | CPU ms | resident MB | loop delay p99 ms |",
  );
  say(`|---|${"--:|".repeat(8)}`);
  const row = async (
    name: string,
    load: Pick<HttpLoad, "path" | "body" | "verify" | "count">,
  ): Promise<void> => {
    await takeLoopDelay();
    const before = costOf(daemon.process.pid!);
    const ours = await runHttpLoad({ ...load, port, connections, seconds, token });
    const after = costOf(daemon.process.pid!);
    const loop = await takeLoopDelay();
    const theirs = await runBare(ours);
    const cells = [
      name,
      rate(theirs.perSecond),
      rate(ours.perSecond),
      (ours.perSecond / theirs.perSecond).toFixed(2),
      percentile(ours.latencies, 50),
      percentile(ours.latencies, 99),
      ((after.cpuMs - before.cpuMs) / ours.count).toFixed(3),
      megabytes(after.residentBytes),
      loop.p99.toFixed(1),
    ];
    say(`| ${cells.join(" | ")} |`);
  };
  const runBare = ({ answerBytes }: HttpResult): Promise<HttpResult> =>
    runHttpLoad({
      port: bare.port,
      connections,
      seconds,
      path: "/",
      body: () => JSON.stringify({ bytes: answerBytes }),
      verify: () => {},
    });
  await row(`part.describe of ${letters} newsletters of 10 KiB, each for the first time`, {
    count: letters,
    path: "/v1/part.describe",
    body: (number) => JSON.stringify({ id: ids[number] }),
    verify: (answer) => assertHolds(answer, lastWords),
  });
  await row(`part.describe of ${letters} newsletters of 10 KiB, again`, {
    path: "/v1/part.describe",
    body: (number) => JSON.stringify({ id: ids[number % ids.length] }),
    verify: (answer) => assertHolds(answer, lastWords),
  });
  await row("search of 20", {
    path: "/v1/search",
    body: () => JSON.stringify({ limit: 20 }),
    verify: (answer) => assertHolds(answer, '"kind":"listing"'),
  });
  await row("search of 20 in the INBOX", {
    path: "/v1/search",
    body: () => JSON.stringify({ folder: "inbox", limit: 20 }),
    verify: (answer) => assertHolds(answer, '"kind":"listing"'),
  });
  await row("health", {
    path: "/v1/health",
    body: () => "{}",
    verify: (answer) => assertHolds(answer, "ok"),
  });
}

async function listIds(url: string, token: string): Promise<string[]> {
  const ids = new Set<string>();
  let cursor: string | undefined;
  do {
    const listing = (await postJson(url, "search", token, {
      limit: 100,
      ...(cursor === undefined ? {} : { cursor }),
    })) as {
      readonly cursor?: string;
      readonly content: { readonly items: readonly { readonly id: string }[] };
    };
    for (const { id } of listing.content.items) ids.add(id);
    cursor = listing.cursor;
  } while (cursor !== undefined && ids.size < letters);
  if (ids.size < letters) throw new Error(`search lists ${ids.size} messages`);
  return [...ids].slice(0, letters);
}

function assertHolds(answer: string, text: string): void {
  if (!answer.includes(text)) throw new Error(`the answer is ${answer.slice(0, 300)}`);
}
