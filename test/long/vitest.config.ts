import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/long/*.test.ts"],
    globalSetup: ["test/long/built-binary.ts"],
    pool: "forks",
    // Most of them wait for what they have started.
    maxWorkers: 5,
    // Only what hangs takes so long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { requireAssertions: true },
  },
});
