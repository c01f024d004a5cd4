/** The pages in Debian's Chromium: `npm run test:pages`. Without Chromium these tests are skipped, and say so. */
import { defineConfig } from "vitest/config";
import base from "../vitest.config.ts";

export default defineConfig({
  test: {
    ...base.test,
    include: ["test/pages/**/*.test.ts"],
    exclude: ["node_modules/**"],
    maxWorkers: 1,
  },
});
