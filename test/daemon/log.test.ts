import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { openLog } from "#/src/daemon/log.ts";

describe("log", () => {
  it("writes one JSON object a line, in order, before it is flushed", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-log-"));
    const file = path.join(folder, "waypost.log");
    const { logger, flush } = openLog({ level: "info", file });
    for (let number = 0; number < 1000; number++) logger.info({ number, said: "a\nb" }, "heard");
    logger.debug("not told");
    await flush();
    const lines = fs.readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { number: number }).number)).toEqual(
      Array.from({ length: 1000 }, (_, number) => number),
    );
    fs.rmSync(folder, { recursive: true });
  });

  it("writes the first line at once, gathers those of no trouble that follow, and writes the others at once", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-log-"));
    const file = path.join(folder, "waypost.log");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const write = vi.spyOn(fs, "write");
    const { logger, flush } = openLog({ level: "info", file });
    const writes = () => write.mock.calls.length;
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const until = async (isSo: () => boolean) => {
      while (!isSo()) await turn();
    };
    // The timer is set when no write is under way and lines wait.
    const gathering = () => until(() => vi.getTimerCount() === 1);
    try {
      logger.info("first");
      expect(writes()).toBe(1);
      for (let number = 0; number < 100; number++) {
        logger.info({ number }, "heard");
        await turn();
      }
      await gathering();
      expect(writes()).toBe(1);
      vi.advanceTimersByTime(50);
      expect(writes()).toBe(2);
      logger.info("calm");
      await gathering();
      expect(writes()).toBe(2);
      logger.warn("trouble");
      expect(writes()).toBe(3);
    } finally {
      write.mockRestore();
      vi.useRealTimers();
    }
    await flush();
    expect(fs.readFileSync(file, "utf8")).toMatch(/first.*\n(.*heard.*\n){100}.*calm.*\n.*trouble/);
    fs.rmSync(folder, { recursive: true });
  });

  it("writes what is logged while it is flushed, and at once what is logged afterwards", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-log-"));
    const file = path.join(folder, "waypost.log");
    const { logger, flush } = openLog({ level: "info", file });
    const atExit = process.listenerCount("exit");
    logger.info("before");
    const flushed = flush();
    logger.info("meanwhile");
    logger.info("still meanwhile");
    await flushed;
    expect(fs.readFileSync(file, "utf8").match(/before|meanwhile|still meanwhile/g)).toHaveLength(3);
    const write = vi.spyOn(fs, "write");
    try {
      logger.info("afterwards");
      expect(write).toHaveBeenCalledOnce();
      logger.info("at the end");
      expect(process.listenerCount("exit")).toBe(atExit);
    } finally {
      write.mockRestore();
    }
    await expect.poll(() => fs.readFileSync(file, "utf8")).toMatch(/afterwards.*\n.*at the end/);
    fs.rmSync(folder, { recursive: true });
  });

  it("continues in a new file when the former one was renamed, and loses no line", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-log-"));
    const file = path.join(folder, "waypost.log");
    const { logger, reopen, flush } = openLog({ level: "info", file });
    for (let turn = 0; turn < 3; turn++) {
      for (let number = 0; number < 100; number++) logger.info({ number }, "heard");
      if (turn > 0) await new Promise((resolve) => setImmediate(resolve));
      fs.renameSync(file, `${file}.${turn}`);
      reopen();
    }
    logger.info("last");
    await flush();
    const files = fs.readdirSync(folder).sort();
    expect(files).toEqual(["waypost.log", "waypost.log.0", "waypost.log.1", "waypost.log.2"]);
    const lines = files.flatMap((name) =>
      fs.readFileSync(path.join(folder, name), "utf8").trimEnd().split("\n"),
    );
    expect(lines.filter((line) => line.includes("heard"))).toHaveLength(300);
    expect(fs.readFileSync(file, "utf8")).toContain("last");
    fs.rmSync(folder, { recursive: true });
  });

  it("escapes control and invisible characters, and stays JSON", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-log-"));
    const file = path.join(folder, "waypost.log");
    const { logger, flush } = openLog({ level: "info", file });
    const said = 'a\u001b[2J\u009b31m\u2028\u202e\u200b\u0007\r\n{"level":"warn"} é';
    logger.info({ said }, "heard");
    await flush();
    const text = fs.readFileSync(file, "utf8");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(text.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u2028\u202e]/);
    expect((JSON.parse(text) as { said: string }).said).toBe(said);
    fs.rmSync(folder, { recursive: true });
  });

  it("writes the type, message and code of an error, and no other property", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-log-"));
    const file = path.join(folder, "waypost.log");
    const { logger, flush } = openLog({ level: "info", file });
    const cause = Object.assign(new Error("the hidden cause"), { code: "ECAUSE" });
    const error = Object.assign(new TypeError("it broke", { cause }), { code: "EBROKEN", command: "hidden" });
    logger.error({ err: error }, "failed");
    await flush();
    const text = fs.readFileSync(file, "utf8");
    expect(JSON.parse(text)).toMatchObject({
      err: { type: "TypeError", code: "EBROKEN", message: "it broke", cause: { code: "ECAUSE" } },
    });
    expect(text).not.toContain("hidden");
    fs.rmSync(folder, { recursive: true });
  });

  it.runIf(fs.existsSync("/dev/full"))("drops lines on a full disk, and continues", async () => {
    const { logger, flush } = openLog({ level: "info", file: "/dev/full" });
    for (let number = 0; number < 100; number++) {
      logger.info({ number }, "heard");
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect(flush()).resolves.toBeUndefined();
  });

  it("names the setting when the file cannot be opened", () => {
    expect(() => openLog({ level: "info", file: "/dev/null/waypost.log" })).toThrow(/log\.file/);
  });
});
