/** Durable deliveries to Waypost by SMTP and to Dovecot by LMTP, beside the bare package of the SMTP ports, which stores nothing. The first
 *  row is of a daemon that has just started; what it was not asked before it compiles then. */
import { dovecotNote, hasDovecotLmtp, startDovecot } from "../peers/dovecot.ts";
import { type Measuring, megabytes, percentile, rate } from "./measuring.ts";
import { newsletterMail, newsletterType } from "./newsletter.ts";
import { costOf, settled } from "./process-cost.ts";
import { signedMails } from "./signed-mail.ts";
import { runSmtpLoad, type SmtpLoad, type SmtpResult } from "./smtp-load.ts";
import { median } from "./spans.ts";
import { startSink } from "./start-sink.ts";

const kibibyte = 1024;
const letters = Array.from({ length: 20 }, (_, number) => newsletterMail(10 * kibibyte, number));
const newsletter = {
  contentType: newsletterType,
  body: (number: number) => letters[number % letters.length]!,
};

interface Load extends Pick<SmtpLoad, "connections" | "bodyBytes" | "recipientsEach" | "letter" | "mails"> {
  /** Measured once, for so many messages. */
  readonly count?: number;
}

type Row = readonly [name: string, load: Load];

async function listRows(): Promise<readonly Row[]> {
  return [
    ["4 KiB, the first 200", { connections: 1, bodyBytes: 4 * kibibyte, count: 200 }],
    ...([4, 50, 1024] as const).flatMap((size) =>
      [1, 10, 50].map(
        (connections): Row => [
          size === 1024 ? "1 MiB" : `${size} KiB`,
          { connections, bodyBytes: size * kibibyte },
        ],
      ),
    ),
    ["4 KiB, signed", { connections: 10, bodyBytes: 0, mails: await signedMails(100, 4 * kibibyte) }],
    ["4 KiB, five recipients", { connections: 10, bodyBytes: 4 * kibibyte, recipientsEach: 5 }],
    ["newsletter of 10 KiB", { connections: 10, bodyBytes: 0, letter: newsletter }],
  ];
}

/** `loop-delay.ts` takes 20. */
const idleMsMax = 50;
/** Without work: the search index rests for seconds between long texts while mail comes in, and has not ended then. */
const idleSeconds = 40;

export interface DeliveriesOptions extends Measuring {
  readonly recipients: readonly string[];
  /** How often each side of a row is measured, in turns. The median counts. */
  readonly rounds: number;
}

interface Taken extends SmtpResult {
  readonly cpuMsEach: number;
  readonly residentBytes: number;
}

interface TakenByWaypost extends Taken {
  /** Until the search index has the messages too. */
  readonly indexedCpuMsEach: number;
  readonly loopDelayMs: number;
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
    "| message | connections | bare /s | Dovecot /s | Waypost /s | × Dovecot | p50 ms | p99 ms | CPU ms | with the index | Dovecot's CPU ms | resident MB | loop delay p99 ms |",
  );
  say(`|---|${"--:|".repeat(12)}`);
  for (const [name, load] of await listRows()) {
    const { count } = load;
    const run = async (port: number, pid: number, more: Partial<SmtpLoad> = {}): Promise<Taken> => {
      const before = costOf(pid);
      const result = await runSmtpLoad({
        ...load,
        port,
        recipients,
        ...(count === undefined && { seconds }),
        ...more,
      });
      const after = costOf(pid);
      return {
        ...result,
        cpuMsEach: (after.cpuMs - before.cpuMs) / result.accepted,
        residentBytes: after.residentBytes,
      };
    };
    const runOurs = async (): Promise<TakenByWaypost> => {
      const pid = daemon.process.pid!;
      await settled(pid, idleMsMax);
      await takeLoopDelay();
      const before = costOf(pid);
      const taken = await run(daemon.smtp.port, pid);
      const loop = await takeLoopDelay();
      await settled(pid, idleMsMax, idleSeconds);
      copies += taken.accepted * (load.recipientsEach ?? 1);
      const indexedCpuMsEach = (costOf(pid).cpuMs - before.cpuMs) / taken.accepted;
      return { ...taken, indexedCpuMsEach, loopDelayMs: loop.p99 };
    };
    const [bares, theirs, ours] = [[], [], []] as [Taken[], Taken[], TakenByWaypost[]];
    for (let round = 0; round < (count === undefined ? options.rounds : 1); round++) {
      bares.push(await run(sink.port, sink.process.pid!));
      if (dovecot !== undefined)
        theirs.push(
          await run(dovecot.lmtpPort, dovecot.process.pid!, {
            protocol: "lmtp",
            recipients: dovecot.users.map(({ address }) => `${address}@example.org`),
          }),
        );
      ours.push(await runOurs());
    }
    const of = <T>(taken: readonly T[], value: (one: T) => number): number => median(taken.map(value));
    const perSecond = of(ours, (one) => one.perSecond);
    const theirPerSecond = of(theirs, (one) => one.perSecond);
    const cells = [
      name,
      load.connections,
      rate(of(bares, (one) => one.perSecond)),
      dovecot === undefined ? "" : rate(theirPerSecond),
      rate(perSecond),
      dovecot === undefined ? "" : (perSecond / theirPerSecond).toFixed(2),
      of(ours, ({ latencies }) => Number(percentile(latencies, 50))).toFixed(1),
      of(ours, ({ latencies }) => Number(percentile(latencies, 99))).toFixed(1),
      of(ours, (one) => one.cpuMsEach).toFixed(2),
      of(ours, (one) => one.indexedCpuMsEach).toFixed(2),
      dovecot === undefined ? "" : of(theirs, (one) => one.cpuMsEach).toFixed(2),
      megabytes(of(ours, (one) => one.residentBytes)),
      of(ours, (one) => one.loopDelayMs).toFixed(1),
    ];
    say(`| ${cells.join(" | ")} |`);
  }
  if (dovecot === undefined) say(`\nWithout Dovecot${dovecotNote || " (skipped: no LMTP of Dovecot)"}.`);
  return copies;
}
