/** The memory that a daemon keeps after its work has ended. */
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { watchWork } from "#/src/daemon/spare-memory.ts";

it("reports the end of work once, at the first check without work", () => {
  const isOver = watchWork(0);
  const looks: readonly (readonly [now: number, cpuMs: number])[] = [
    [10_000, 900],
    [20_000, 1000],
    [30_000, 1400],
    [40_000, 1500],
    [50_000, 1600],
    [60_000, 9000],
    [70_000, 9100],
    [80_000, 9200],
  ];
  expect(looks.map(([now, cpuMs]) => isOver(now, cpuMs, 100e6))).toEqual([
    false, // Work.
    true, // Little, after 1000 ms of it.
    false, // 400 ms are little, and too little to collect after.
    false,
    false,
    false, // Work.
    true,
    false,
  ]);
});

it("reports growth of memory with little work, once for the memory then in use", () => {
  const isOver = watchWork(0);
  const residents = [100e6, 108e6, 125e6, 122e6, 121e6, 130e6, 132e6];
  const seen = residents.map((resident, index) => isOver((index + 1) * 10_000, (index + 1) * 50, resident));
  expect(seen).toEqual([
    false,
    false, // It grows by itself.
    true,
    false, // What is left is in use.
    false,
    false,
    true, // 11 MB more than the least.
  ]);
});

it("reports growth of memory only after work has ended", () => {
  const isOver = watchWork(0);
  expect(isOver(10_000, 100, 100e6)).toBe(false);
  expect(isOver(20_000, 700, 200e6)).toBe(false); // 600 ms of 10 s.
  expect(isOver(30_000, 800, 200e6)).toBe(true);
});

it.runIf(process.platform === "linux")("returns freed memory to the system", () => {
  const script = `
    import { giveBack } from "#/src/daemon/spare-memory.ts";
    // Pieces of the allocator with pieces between them that stay, so that it can shorten nothing by itself.
    let all = Array.from({ length: 40_000 }, () => Buffer.allocUnsafeSlow(5000).fill(1));
    const some = all.filter((_, at) => at % 50 === 0);
    const before = process.memoryUsage.rss();
    all = undefined;
    // V8 frees array buffers on another thread: the second collection begins when the first has been finished.
    await giveBack();
    await giveBack();
    console.log((before - process.memoryUsage.rss()) / 1e6, some.length);`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  expect(Number(output.split(" ")[0])).toBeGreaterThan(100);
});
