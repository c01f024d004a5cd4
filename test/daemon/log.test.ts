import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openLog } from "#/src/daemon/log.ts";

describe("log", () => {
  it("writes one JSON object a line, in order, before it is flushed", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-log-"));
    const file = path.join(folder, "new", "waypost.log");
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

  it.runIf(fs.existsSync("/dev/full"))("drops what a full disk does not take, and goes on", async () => {
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
