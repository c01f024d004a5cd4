import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/long/*.test.ts"],
    globalSetup: ["test/long/built-binary.ts"],
    pool: "forks",
    expect: { requireAssertions: true },
  },
});
