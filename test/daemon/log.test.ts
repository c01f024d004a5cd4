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

  it("gathers lines that tell of no trouble into one write, and writes the others at once", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-log-"));
    const file = path.join(folder, "waypost.log");
    const { logger, flush } = openLog({ level: "info", file });
    const write = vi.spyOn(fs, "write");
    try {
      for (let number = 0; number < 100; number++) {
        logger.info({ number }, "heard");
        await new Promise((resolve) => setImmediate(resolve));
      }
      // The moment may end within the loop on a busy machine.
      expect(write.mock.calls.length).toBeLessThan(20);
      await expect.poll(() => fs.readFileSync(file, "utf8").split("\n")).toHaveLength(101);
      await flush();
      const before = write.mock.calls.length;
      logger.info("calm");
      expect(write.mock.calls.length).toBe(before);
      logger.warn("trouble");
      expect(write.mock.calls.length).toBe(before + 1);
      await expect.poll(() => fs.readFileSync(file, "utf8")).toMatch(/calm.*\n.*trouble/);
    } finally {
      write.mockRestore();
    }
    await flush();
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
