/** What runs on a real PostgreSQL: the suite of the store, and what is the engine's own. `npm run test:postgres`. */
import { defineConfig } from "vitest/config";
import base from "../vitest.config.ts";

export default defineConfig({
  test: {
    ...base.test,
    include: ["test/postgres/**/*.test.ts"],
    exclude: ["node_modules/**"],
    globalSetup: [...(base.test?.globalSetup ?? []), "test/postgres/server-setup.ts"],
  },
});
