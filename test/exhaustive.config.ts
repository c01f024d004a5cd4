/** `npm run test:exhaustive`: the files that take samples in `npm test` (`support/samples.ts`), with all that they have, and those that are
 *  too heavy for it. */
import { globSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import base, { heavyFiles } from "./vitest.config.ts";

const folder = new URL("..", import.meta.url).pathname;

export default defineConfig({
  test: {
    ...base.test,
    include: globSync("test/**/*.test.ts", { cwd: folder }).filter(
      (file) => heavyFiles.includes(file) || readFileSync(`${folder}/${file}`, "utf8").includes("sampleOf("),
    ),
    exclude: ["node_modules/**"],
    env: { TEST_EXHAUSTIVE: "1" },
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
