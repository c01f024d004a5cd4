/** A whole daemon for a test: as a child process, as users start it, or in the test's own process. */
import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { loadSettings } from "#/config/load.ts";
import { listenerSections, type Settings } from "#/config/schema.ts";
import { type Credentials, type ReadyLine, readyLine } from "#/src/cli/ready.ts";
import { seedForDevelopment } from "#/src/cli/seed.ts";
import { type Daemon, startDaemon } from "#/src/daemon/daemon.ts";
import { failedInBackground } from "#/src/daemon/keep-serving.ts";
import { layEmptyStore } from "./empty-store.ts";
import { dropStorage, storageSettings } from "./engine.ts";
import { watchReadings } from "./long-readings.ts";

/** Settings that lift the limits on the rate of requests. */
export const manyRequests: readonly string[] = [
  "requests_per_second",
  "requests_burst",
  "agent_requests_per_second",
  "agent_requests_burst",
].map((name) => `limits.${name}=1000000`);

export interface DaemonOptions {
  readonly agents?: number;
  readonly people?: number;
  /** Settings, for example `smtp.max_recipients=5`. */
  readonly set?: readonly string[];
  /** A folder that is kept. Without it the daemon gets a temporary folder, which is removed with the daemon. */
  readonly data?: string;
  /** The command to run instead of `node src/start.mjs`, for example a built binary. */
  readonly command?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** The ready line of a daemon whose listeners are all open, so that every address is known; every agent has a token. */
export interface Ready extends Required<Omit<ReadyLine, "agents">> {
  readonly agents: readonly Required<Credentials>[];
}

export interface ChildDaemon extends Ready, AsyncDisposable {
  readonly process: ChildProcess;
  /** Milliseconds from the start of the process to the ready line. */
  readonly startMs: number;
  /** What the process has written to standard error since its start: the last 100,000 characters. */
  stderr(): string;
  /** Ends the process with a signal and starts it again on the same folder. Ports and process are new; credentials stay valid. */
  restart(signal?: NodeJS.Signals): Promise<void>;
  /** Ends the process with a signal. Resolves with the exit code, or null when the signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export const startScript: readonly string[] = [
  process.execPath,
  new URL("../../src/start.mjs", import.meta.url).pathname,
];

/** Starts `waypost dev --json` and waits until it is ready. It ends with the test, because it ends when its standard input closes. */
export async function startChildDaemon(options: DaemonOptions = {}): Promise<ChildDaemon> {
  const data = options.data ?? fs.mkdtempSync(path.join(os.tmpdir(), "waypost-daemon-"));
  const removeTemporary = async (): Promise<void> => {
    if (options.data !== undefined) return;
    await dropStorage(data);
    fs.rmSync(data, { recursive: true, force: true });
  };
  let run = await spawnDaemon(data, options).catch(async (error: unknown) => {
    await removeTemporary();
    throw error;
  });
  const daemon = {
    ...run.ready,
    process: run.process,
    startMs: run.startMs,
    stderr: () => run.stderr(),
    async restart(signal: NodeJS.Signals = "SIGTERM") {
      await run.end(signal);
      run = await spawnDaemon(data, options);
      Object.assign(daemon, run.ready, { process: run.process, startMs: run.startMs });
    },
    async stop(signal: NodeJS.Signals = "SIGTERM") {
      const code = await run.end(signal);
      await removeTemporary();
      return code;
    },
    async [Symbol.asyncDispose]() {
      await daemon.stop();
    },
  };
  return daemon;
}

interface DaemonRun {
  readonly ready: Ready;
  readonly process: ChildProcess;
  readonly startMs: number;
  stderr(): string;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

async function spawnDaemon(data: string, options: DaemonOptions): Promise<DaemonRun> {
  const [program, ...first] = options.command ?? startScript;
  const args = ["dev", "--json", "--stdin-lifeline", "--data", data];
  args.push("--agents", String(options.agents ?? 1), "--people", String(options.people ?? 1));
  const storage = await storageSettings(data);
  for (const setting of ["log.level=warn", ...storage, ...(options.set ?? [])]) args.push("--set", setting);
  const startedAt = performance.now();
  const child = spawn(program!, [...first, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: options.env ?? process.env,
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-100_000);
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", resolve);
    child.once("error", (error) => {
      stderr += error.message;
      resolve(null);
    });
  });
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([
    new Promise<string>((resolve) => lines.once("line", resolve)),
    ended.then((code) => {
      throw new Error(`waypost dev ended with ${code} before it was ready: ${stderr}`);
    }),
  ]);
  return {
    ready: JSON.parse(line) as Ready,
    process: child,
    startMs: performance.now() - startedAt,
    stderr: () => stderr,
    async end(signal) {
      child.kill(signal);
      const code = await ended;
      if (stderr.includes(failedInBackground)) throw new Error(stderr);
      return code;
    },
  };
}

export interface InProcessDaemon extends Ready, AsyncDisposable {
  readonly daemon: Daemon;
}

/** The same in the test's own process: faster, and the test can read its store (`daemon.house.store`). */
export async function startInProcessDaemon(options: DaemonOptions = {}): Promise<InProcessDaemon> {
  const folder = options.data ?? fs.mkdtempSync(path.join(os.tmpdir(), "waypost-daemon-"));
  if (options.data === undefined) await layEmptyStore(folder);
  const storage = await storageSettings(folder);
  const daemon = await startDaemon(testSettings(folder, [...storage, ...(options.set ?? [])]));
  const counts = { agents: options.agents ?? 1, people: options.people ?? 1 };
  const owners = await seedForDevelopment(daemon.house, counts);
  const watch = watchReadings();
  return {
    ...(readyLine(daemon, folder, owners) as Ready),
    daemon,
    async [Symbol.asyncDispose]() {
      watch[Symbol.dispose]();
      await daemon.close();
      if (options.data !== undefined) return;
      await dropStorage(folder);
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Settings of a daemon on free ports that logs only warnings and errors. */
export function testSettings(folder: string, set: readonly string[] = []): Settings {
  return loadSettings({
    set: [
      ...listenerSections.map((section) => `${section}.port=0`),
      "log.level=warn",
      ...set,
      `storage.folder=${folder}`,
    ],
  });
}
