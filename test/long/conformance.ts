/** Suites and programs of others against a daemon: Dovecot's imaptest (scripts, then stress), mail programs as Debian has them
 *  (curl, mbsync, offlineimap, getmail, fetchmail, neomutt, s-nail, msmtp, over Python's imaplib), Thunderbird without a display.
 *  Their drivers lie beside the repository (`../shared/conformance`). What is not there is left out and named.
 *
 *  `npm run test:conformance [-- --only REGEX] [--seconds N]`; imaptest is a checkout of dovecot/imaptest that IMAPTEST_DIR
 *  names, its scripts may be run by another program (IMAPTEST_BIN, IMAPTEST_LIBS). */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { type ChildDaemon, startChildDaemon } from "../support/daemon.ts";

const { values } = parseArgs({
  options: { only: { type: "string", default: "." }, seconds: { type: "string", default: "60" } },
});
const drivers = new URL("../../../shared/conformance/", import.meta.url).pathname;
const work = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-conformance-"));

interface Suite {
  readonly name: string;
  readonly driver: string;
  /** Why it cannot be run here, where that is so. */
  missing(): string | undefined;
  command(daemon: ChildDaemon): readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

const suites: readonly Suite[] = [
  imaptest("imaptest-scripts", "scripted"),
  imaptest("imaptest-stress", "stress"),
  imaptest("imaptest-stress-qresync", "stress", "qresync"),
  {
    name: "mail-programs",
    driver: "accept-mail-clients.py",
    missing: () => missingProgram("python3"),
    // swaks delivers from outside, which is not what a submission port is for.
    command: (daemon) => ["python3", ...placesOf(daemon), "--smtp-auth", "--only", "^(?!swaks)"],
  },
  {
    name: "thunderbird",
    driver: "accept-thunderbird.py",
    missing: () => missingProgram("python3") ?? missingProgram("thunderbird"),
    command: (daemon) => [
      "python3",
      ...placesOf(daemon),
      ...["--smtp-user", daemon.agents[0]!.address, "--headless"],
      ...["--work", path.join(work, "thunderbird")],
    ],
  },
];

function imaptest(name: string, mode: string, ...args: readonly string[]): Suite {
  return {
    name,
    driver: "run-imaptest.sh",
    missing: () => (process.env.IMAPTEST_DIR === undefined ? "IMAPTEST_DIR is not set" : undefined),
    command: ({ imap, agents }) => [
      "bash",
      ...[mode, imap.host, String(imap.port), agents[0]!.address, agents[0]!.password],
      path.join(work, name),
    ],
    env: { SECS: values.seconds, CLIENTS: "50", USERS: "1-1", STRESS_ARGS: args.join(" ") },
  };
}

function placesOf({ imap, submission, agents }: ChildDaemon): string[] {
  const { address, password } = agents[0]!;
  return [
    ...["--imap", `${imap.host}:${imap.port}`, "--smtp", `${submission.host}:${submission.port}`],
    ...["--user", address, "--password", password, "--addr", address],
  ];
}

function missingProgram(name: string): string | undefined {
  return spawnSync("which", [name]).status === 0 ? undefined : `${name} is not installed`;
}

const failed: string[] = [];
for (const suite of suites) {
  if (!new RegExp(values.only).test(suite.name)) continue;
  const driver = path.join(drivers, suite.driver);
  const missing = fs.existsSync(driver) ? suite.missing() : `there is no ${driver}`;
  if (missing !== undefined) {
    console.log(`-- ${suite.name}: skipped, ${missing}`);
    continue;
  }
  console.log(`-- ${suite.name}`);
  const daemon = await startChildDaemon({
    set: ["imap.max_connections_per_login=1000", "limits.login_failures_per_network=1000000"],
  });
  const [program, ...args] = suite.command(daemon);
  const { status } = spawnSync(program!, [driver, ...args], {
    stdio: "inherit",
    env: { ...process.env, ...suite.env },
  });
  await daemon.stop();
  if (status !== 0) failed.push(suite.name);
}
fs.rmSync(work, { recursive: true, force: true });
console.log(failed.length === 0 ? "nothing failed" : `failed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;
