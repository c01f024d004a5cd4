/** Both `/health` say why the daemon takes no mail, and are well again afterwards. Each cause is real: a writer thread that ended, a thread that
 *  cannot start, files that may not grow. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import fsPromises from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { Worker } from "node:worker_threads";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createHealth } from "#/src/daemon/health.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { startThread, startThreadsOtherwise } from "#/src/threads/start-thread.ts";
import { openStore } from "#/storage/open-store.ts";
import { httpClient } from "../support/clients/http.ts";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { type ChildDaemon, startChildDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { openTestStore } from "../support/store.ts";
import { keepWriters, useFreshWriters } from "../support/threads/kept-writers.ts";

useFreshWriters();

/** The answers of both ports. */
async function ask(daemon: Pick<ChildDaemon, "http" | "metrics">) {
  const answers = await Promise.all(
    [daemon.http.url, daemon.metrics.url].map(async (url) => {
      const response = await fetch(`${url}/health`);
      return { code: response.status, ...((await response.json()) as { problems?: string[] }) };
    }),
  );
  const [open, monitoring] = answers;
  return {
    codes: answers.map(({ code }) => code),
    problems: open!.problems ?? [],
    monitoring: monitoring!.problems,
  };
}

async function deliver({ smtp, agents }: Pick<ChildDaemon, "smtp" | "agents">): Promise<string> {
  await using client = await connectRawSmtp({ port: smtp.port });
  for (const line of ["EHLO x.test", "MAIL FROM:<a@x.test>", `RCPT TO:<${agents[0]!.address}>`, "DATA"])
    await client.command(line);
  return await client.command("Subject: x\r\n\r\nx\r\n.");
}

/** On a busy machine a part is also told as slow, for a while. */
const waiting = { timeout: 60_000 };
const well = { codes: [200, 200], problems: [], monitoring: [] };

describe("a daemon whose store may not grow", () => {
  const limitFiles = (pid: number, bytes: string): number | null =>
    spawnSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`]).status;
  const canLimit = limitFiles(process.pid, "unlimited") === 0;

  it.runIf(canLimit)("says that it cannot be written, until it may", async () => {
    await using daemon = await startChildDaemon({ set: ["metrics.enabled=true"] });
    expect(await deliver(daemon)).toMatch(/^250 /);
    await expect.poll(() => ask(daemon), waiting).toEqual(well);
    limitFiles(daemon.process.pid!, "1024");
    expect(await deliver(daemon)).toMatch(/^4/);
    const problem = "the store cannot be written: SQLITE_IOERR_WRITE";
    await expect
      .poll(() => ask(daemon), waiting)
      .toEqual({ codes: [503, 503], problems: [problem], monitoring: [problem] });
    // Nothing but the question tries it again.
    limitFiles(daemon.process.pid!, "unlimited");
    await expect.poll(() => ask(daemon), waiting).toEqual(well);
    expect(await deliver(daemon)).toMatch(/^250 /);
  });
});

describe("a daemon on a small disk", () => {
  const disk = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-small-disk-"));
  const mount = (...words: readonly string[]) => spawnSync("mount", [...words, disk]).status === 0;
  const canMount = mount("-t", "tmpfs", "-o", "size=192m", "tmpfs");

  afterAll(() => {
    if (canMount) spawnSync("umount", [disk]);
    fs.rmdirSync(disk);
  });

  it.runIf(canMount)("says that the disk is full, until it has room", async () => {
    await using daemon = await startChildDaemon({
      data: path.join(disk, "data"),
      set: ["metrics.enabled=true"],
    });
    await expect.poll(() => ask(daemon), waiting).toEqual(well);
    const ballast = path.join(disk, "ballast");
    fs.writeFileSync(ballast, Buffer.alloc(150 * 1024 * 1024));
    const full = ["the disk of the store is full"];
    await expect
      .poll(() => ask(daemon), waiting)
      .toEqual({ codes: [503, 503], problems: full, monitoring: full });
    fs.rmSync(ballast);
    await expect.poll(() => ask(daemon), waiting).toEqual(well);
  });
});

describe("a daemon whose folder is read-only", () => {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-read-only-"));
  const bind = (...words: readonly string[]) => spawnSync("mount", [...words, data]).status === 0;
  const canMount = bind("--bind", data) && spawnSync("umount", [data]).status === 0;

  afterAll(() => fs.rmSync(data, { recursive: true, force: true }));

  it.runIf(canMount)("says that nothing can be written there, until it can", async () => {
    await using daemon = await startChildDaemon({ data, set: ["metrics.enabled=true"] });
    await expect.poll(() => ask(daemon), waiting).toEqual(well);
    bind("--bind", data);
    bind("-o", "remount,bind,ro");
    try {
      const problems = ["the disk of the store cannot be written: EROFS"];
      await expect
        .poll(() => ask(daemon), waiting)
        .toEqual({ codes: [503, 503], problems, monitoring: problems });
    } finally {
      spawnSync("umount", [data]);
    }
    await expect.poll(() => ask(daemon), waiting).toEqual(well);
  });
});

describe("a daemon whose open store file becomes read-only", () => {
  /** Of an immutable file nothing is written any more, also by who has opened it before; a file system in memory writes on. */
  const change = (sign: "+" | "-", files: readonly string[]) =>
    spawnSync("chattr", [`${sign}i`, ...files]).status === 0;
  const folder = [os.tmpdir(), "/var/tmp"].find((one) => {
    const trial = path.join(one, `waypost-immutable-${process.pid}`);
    const file = fs.openSync(trial, "w");
    try {
      return change("+", [trial]) && !isWritten(file);
    } finally {
      change("-", [trial]);
      fs.closeSync(file);
      fs.rmSync(trial);
    }
  });

  function isWritten(file: number): boolean {
    try {
      return fs.writeSync(file, "x") > 0;
    } catch {
      return false;
    }
  }

  it.runIf(folder !== undefined)(
    "says so, takes no mail, loses none, and goes on when it may be written",
    async () => {
      const data = fs.mkdtempSync(path.join(folder!, "waypost-immutable-"));
      await using daemon = await startChildDaemon({ data, set: ["metrics.enabled=true"] });
      const files = fs
        .readdirSync(data)
        .filter((name) => /^waypost\.db/.test(name))
        .map((name) => path.join(data, name));
      const { token } = daemon.agents[0]!;
      const taken = async (): Promise<number> => {
        const { content } = await httpClient(daemon.http.url, token).ok("search", {
          folder: "inbox",
        });
        return (content.items as readonly unknown[]).length;
      };
      for (let at = 0; at < 3; at++) expect(await deliver(daemon)).toMatch(/^250 /);
      const before = await taken();
      expect(change("+", files)).toBe(true);
      try {
        const replies = [await deliver(daemon), await deliver(daemon)];
        for (const reply of replies) expect(reply).toMatch(/^4/);
        const problems = [expect.stringMatching(/^the store cannot be written: SQLITE_[A-Z_]+$/)];
        await expect
          .poll(() => ask(daemon), waiting)
          .toEqual({ codes: [503, 503], problems, monitoring: problems });
        expect(await taken()).toBe(before);
      } finally {
        change("-", files);
      }
      await expect.poll(() => ask(daemon), waiting).toEqual(well);
      expect(await deliver(daemon)).toMatch(/^250 /);
      expect(await taken()).toBe(before + 1);
      await daemon.restart("SIGKILL");
      expect(await taken()).toBe(before + 1);
      await daemon.stop();
      fs.rmSync(data, { recursive: true, force: true });
    },
  );
});

describe("a daemon whose preparers cannot start", () => {
  it("says that mail cannot be prepared, until one starts", async () => {
    let canStart = true;
    startThreadsOtherwise((kind, data) =>
      kind === houseThreads.preparer && !canStart
        ? startThread({ ...kind, name: "not-there", source: "src/not-there.ts" }, data)
        : undefined,
    );
    try {
      await using daemon = await startInProcessDaemon({ set: ["metrics.enabled=true", "log.level=silent"] });
      canStart = false;
      const problems = ["mail cannot be prepared: MODULE_NOT_FOUND"];
      await expect
        .poll(() => ask(daemon), waiting)
        .toEqual({ codes: [503, 503], problems, monitoring: problems });
      expect(await deliver(daemon)).toMatch(/^451 /);
      canStart = true;
      await expect.poll(() => ask(daemon), waiting).toEqual(well);
      expect(await deliver(daemon)).toMatch(/^250 /);
      // From now on mail itself shows it.
      canStart = false;
      await expect.poll(() => ask(daemon), waiting).toEqual(well);
    } finally {
      keepWriters();
    }
  });
});

it("says that the store cannot be written when its writer thread has ended", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-health-"));
  const writers: Worker[] = [];
  startThreadsOtherwise((kind, data) => {
    if (kind !== houseThreads.writer) return undefined;
    const writer = startThread({ ...kind }, data);
    writers.push(writer);
    return writer;
  });
  const preparation = { async prove() {} };
  try {
    const reasons: string[] = [];
    const store = await openStore({ folder, onFatal: (reason) => void reasons.push(reason) });
    const health = createHealth({ store, preparation });
    expect(await health.findProblems()).toEqual([]);
    await writers[0]!.terminate();
    await expect.poll(() => reasons).toHaveLength(1);
    expect(await health.findProblems()).toEqual(["the store cannot be written: upstream_unavailable"]);
  } finally {
    keepWriters();
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

it("asks the disk once a second while it is well, and each time while it is not", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const health = createHealth({ store, preparation: { async prove() {} } });
  const statfs = vi.spyOn(fsPromises, "statfs");
  const now = vi.spyOn(performance, "now");
  try {
    now.mockReturnValue(1_000_000);
    for (let asked = 0; asked < 20; asked++) expect(await health.findProblems()).toEqual([]);
    expect(statfs).toHaveBeenCalledTimes(1);
    now.mockReturnValue(1_001_001);
    statfs.mockResolvedValue({ bsize: 4096, bavail: 1 } as never);
    for (let asked = 0; asked < 3; asked++)
      expect(await health.findProblems()).toEqual(["the disk of the store is full"]);
    expect(statfs).toHaveBeenCalledTimes(4);
  } finally {
    statfs.mockRestore();
    now.mockRestore();
  }
});
