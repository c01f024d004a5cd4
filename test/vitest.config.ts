import { statfsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Threads and daemons start from source, in most tests anew: what was compiled once is kept, which takes two thirds off a start.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("../node_modules/.cache/compile", import.meta.url));

// Stores of tests are in memory where Linux has room for them: they are deleted with their test, and each write would wait for the disk.
const memory = "/dev/shm";
if (process.env.TMPDIR === undefined && freeBytes(memory) >= 4 * 1024 ** 3) process.env.TMPDIR = memory;

/** Files that fill a heap, stand still, take a whole installation away, are a whole matrix, or call the compiler: `npm run test:exhaustive` has
 *  them, which `.ci/run` runs each time. */
export const heavyFiles = [
  "daemon/transfer-limits",
  "daemon/watchdog",
  "acceptance/stays-up",
  "acceptance/large-folders",
  "interface/sample-property",
  "interface/small-changes",
  "interface/sample-kind",
  "outbound/ways-out",
  "render/document-bombs",
].map((name) => `test/${name}.test.ts`);

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    exclude: [
      "test/long/**",
      "test/peers/**",
      "test/postgres/**",
      "test/pages/**",
      "node_modules/**",
      ...heavyFiles,
    ],
    globalSetup: ["test/support/threads/compiled-program.ts", "test/support/seed.ts"],
    setupFiles: [
      "test/support/threads/handed-limits.ts",
      "test/support/threads/test-threads.ts",
      "test/support/no-failures.ts",
      ...(process.env.TEST_COSTS === undefined ? [] : ["test/support/costs.ts"]),
    ],
    pool: "forks",
    // Node imports the source itself, and keeps what it has compiled.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Files share a process, and what it has loaded. A test leaves nothing behind there: what it spies on is put back.
    isolate: false,
    restoreMocks: true,
    // Only what hangs takes so long: no test judges by the clock.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { requireAssertions: true, poll: { timeout: 60_000, interval: 20 } },
    maxWorkers: 3,
  },
});

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
