/** With the flags of a start, V8 ends a thread in any loop (src/threads/README.md, decision 8). */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { expect, test } from "vitest";

const start = fs.readFileSync(new URL("../../src/start.mjs", import.meta.url), "utf8");
const flags = [...start.matchAll(/^ {2}"(--[^"]+)",$/gm)].map(([, flag]) => flag!);

test.each(["let a; for (;;) a = new Array(100)", "let a; for (;;) a = new Array(32)"])(
  "ends a thread in %s",
  (loop) => {
    const program = `
      const { Worker } = require("node:worker_threads");
      const worker = new Worker(${JSON.stringify(`require("node:worker_threads").parentPort.postMessage(0); ${loop}`)}, { eval: true });
      worker.on("error", () => {});
      worker.on("exit", () => { console.log("ended"); process.exit(); });
      worker.on("message", () => setTimeout(() => worker.terminate(), 1000));`;
    expect(
      execFileSync(process.execPath, [...flags, "-e", program], { timeout: 100_000, encoding: "utf8" }),
    ).toBe("ended\n");
  },
);
