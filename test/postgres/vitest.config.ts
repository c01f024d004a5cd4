/** What runs on a real PostgreSQL: the suite of the store, and what is the engine's own. `npm run test:postgres`. */
import { defineConfig } from "vitest/config";
import base from "../vitest.config.ts";

/** Of every protocol. */
const conversations = ["imap", "dav", "smtp", "json", "holds", "feed"].map(
  (room) => `test/${room}/**/*.test.ts`,
);

/** About SQLite's file, its connections, or nothing that an engine does. */
const sqliteOnly = [
  "agent-tables",
  "damage",
  "failures",
  "grant-objects",
  "lock-order",
  "log-of-pages",
  "recent-statements",
  "upgrade",
  "writer-lanes",
].map((name) => `test/storage/${name}.test.ts`);
/** Thousands of texts, to which the engine is all the same. */
const longOnes = ["test/dav/corpus.test.ts"];

export default defineConfig({
  test: {
    ...base.test,
    include: ["test/postgres/**/*.test.ts", "test/storage/**/*.test.ts", ...conversations],
    exclude: ["node_modules/**", ...sqliteOnly, ...longOnes],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { TEST_ENGINE: "postgres" },
    globalSetup: [...(base.test?.globalSetup ?? []), "test/postgres/server-setup.ts"],
  },
});
