/** `npm run test:seeds [-- FILE…]`: the files that draw by chance, each with as many seeds as SEEDS says. A test that fails for one seed in
 *  a hundred is seen here, and not in the run of somebody's change. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import base from "../vitest.config.ts";
import { drawsBySeed, hasProperties } from "./draws.ts";

process.env.SEEDS ??= "20";
const folder = fileURLToPath(new URL("../..", import.meta.url));

export default defineConfig({
  test: {
    ...base.test,
    include: globSync("test/**/*.test.ts", { cwd: folder }).filter((file) => {
      const source = readFileSync(`${folder}/${file}`, "utf8");
      return !/^test\/(?:postgres|lint\/chance)/.test(file) && (drawsBySeed(source) || hasProperties(source));
    }),
    exclude: ["node_modules/**"],
    runner: fileURLToPath(new URL("runner.ts", import.meta.url)),
  },
});
