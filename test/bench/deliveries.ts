/** Durable deliveries to Waypost by SMTP and to Dovecot by LMTP, beside the bare package of the SMTP ports, which stores nothing. */

import { dovecotNote, hasDovecotLmtp, startDovecot } from "../peers/dovecot.ts";
import { type Measuring, megabytes, percentile, rate } from "./measuring.ts";
import { newsletterMail, newsletterType } from "./newsletter.ts";
import { costOf } from "./process-cost.ts";
import { runSmtpLoad, type SmtpLoad, type SmtpResult } from "./smtp-load.ts";
import { startSink } from "./start-sink.ts";

const kibibyte = 1024;
const letters = Array.from({ length: 20 }, (_, number) => newsletterMail(10 * kibibyte, number));
const newsletter = {
  contentType: newsletterType,
  body: (number: number) => letters[number % letters.length]!,
};

type Load = Pick<SmtpLoad, "connections" | "bodyBytes" | "recipientsEach" | "letter">;

const rows: readonly (readonly [name: string, load: Load])[] = [
  ...([4, 50, 1024] as const).flatMap((size) =>
    [1, 10, 50].map(
      (connections) =>
        [size === 1024 ? "1 MiB" : `${size} KiB`, { connections, bodyBytes: size * kibibyte }] as const,
    ),
  ),
  ["4 KiB, five recipients", { connections: 10, bodyBytes: 4 * kibibyte, recipientsEach: 5 }],
  ["newsletter of 10 KiB", { connections: 10, bodyBytes: 0, letter: newsletter }],
];

export interface DeliveriesOptions extends Measuring {
  readonly recipients: readonly string[];
}

interface Taken extends SmtpResult {
  readonly cpuMsEach: number;
  readonly residentBytes: number;
}

/** Returns the number of copies that the daemon accepted. */
export async function measureDeliveries(options: DeliveriesOptions): Promise<number> {
  const { daemon, recipients, seconds, takeLoopDelay, say } = options;
  using sink = await startSink("null-sink.ts");
  await using dovecot = hasDovecotLmtp
    ? await startDovecot({ users: recipients.length, hasLmtp: true })
    : undefined;
  let copies = 0;
  say("\n## Durable deliveries\n");
  say(
    "| message | connections | null sink /s | Dovecot LMTP /s | Waypost /s | × sink | × Dovecot | p50 ms | p99 ms | CPU ms | Dovecot's CPU ms | resident MB | Dovecot's MB | loop delay p99 ms | max ms |",
  );
  say(`|---|${"--:|".repeat(14)}`);
  for (const [name, load] of rows) {
    const run = async (port: number, pid: number, more: Partial<SmtpLoad> = {}): Promise<Taken> => {
      const before = costOf(pid);
      const result = await runSmtpLoad({ ...load, port, recipients, seconds, ...more });
      const after = costOf(pid);
      return {
        ...result,
        cpuMsEach: (after.cpuMs - before.cpuMs) / result.accepted,
        residentBytes: after.residentBytes,
      };
    };
    const bare = await run(sink.port, sink.process.pid!);
    const theirs =
      dovecot &&
      (await run(dovecot.lmtpPort, dovecot.process.pid!, {
        protocol: "lmtp",
        recipients: dovecot.users.map(({ address }) => `${address}@example.org`),
      }));
    await takeLoopDelay();
    const ours = await run(daemon.smtp.port, daemon.process.pid!);
    const loop = await takeLoopDelay();
    copies += ours.accepted * (load.recipientsEach ?? 1);
    const cells = [
      name,
      load.connections,
      rate(bare.perSecond),
      theirs === undefined ? "" : rate(theirs.perSecond),
      rate(ours.perSecond),
      (ours.perSecond / bare.perSecond).toFixed(2),
      theirs === undefined ? "" : (ours.perSecond / theirs.perSecond).toFixed(2),
      percentile(ours.latencies, 50),
      percentile(ours.latencies, 99),
      ours.cpuMsEach.toFixed(2),
      theirs?.cpuMsEach.toFixed(2) ?? "",
      megabytes(ours.residentBytes),
      theirs === undefined ? "" : megabytes(theirs.residentBytes),
      loop.p99.toFixed(1),
      loop.max.toFixed(1),
    ];
    say(`| ${cells.join(" | ")} |`);
  }
  if (dovecot === undefined) say(`\nWithout Dovecot${dovecotNote || " (skipped: no LMTP of Dovecot)"}.`);
  return copies;
}
