/** Runs before each test file: no test may leave a failure of which no caller hears (`src/model/background.ts`). */
import { afterEach } from "vitest";
import { onFailure } from "#/src/model/background.ts";

const failures: unknown[] = [];
onFailure((error) => failures.push(error));

afterEach(() => {
  const [failure] = failures.splice(0);
  if (failure !== undefined) throw failure;
});
