/** What runs on a real PostgreSQL: the suite of the store, what is the engine's own, and conversations of every protocol: some by chance, and
 *  all of them with TEST_NIGHT=1. `npm run test:postgres`. */
import { randomInt } from "node:crypto";
import { globSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { randomSource } from "../support/random.ts";
import base from "../vitest.config.ts";

/** One file in so many is run by day. */
const oneIn = 6;
// For the samples too, which print it.
process.env.TEST_SEED ??= String(randomInt(2 ** 31));
const random = randomSource(Number(process.env.TEST_SEED));
const conversations = globSync("test/{imap,dav,smtp,json,holds,feed}/**/*.test.ts", {
  cwd: new URL("../..", import.meta.url).pathname,
})
  .sort()
  .filter(() => process.env.TEST_NIGHT === "1" || random.below(oneIn) === 0);

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
/** What has to hold on each engine, each time. */
const acceptance = [
  "acceptance/author-facts",
  "acceptance/address-warnings",
  "acceptance/author-references",
  "acceptance/bounded-passwords",
  "acceptance/foreign-text",
  "acceptance/long-headers",
  "acceptance/large-folders",
  "acceptance/revoked",
  "acceptance/stays-up",
  "arrival/asked-of-the-store",
  "arrival/author-look-ups",
  "dav/push",
  "daemon/watchdog",
  "interface/access-statements",
  "interface/dry-run",
  "daemon/held-mail",
  "daemon/told-archive",
  "daemon/conditions",
  "web/likenesses",
].map((name) => `test/${name}.test.ts`);
/** Thousands of texts, to which the engine is all the same. */
const longOnes = ["test/dav/corpus.test.ts"];

export default defineConfig({
  test: {
    ...base.test,
    include: [
      "test/postgres/**/*.test.ts",
      "test/storage/**/*.test.ts",
      "test/scheduling/{arrivals,attacks,held-before,planting,told,unapproved,ways-out}.test.ts",
      "test/outbound/ways-out.test.ts",
      ...acceptance,
      ...conversations,
    ],
    exclude: ["node_modules/**", ...sqliteOnly, ...longOnes],
    env: { TEST_ENGINE: "postgres" },
    globalSetup: [...(base.test?.globalSetup ?? []), "test/postgres/server-setup.ts"],
  },
});
