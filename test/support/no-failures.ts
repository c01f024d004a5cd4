/** Runs before each test file: no test may leave a failure of which no caller hears (`src/model/background.ts`), or another current folder,
 *  as a command does that its test did not wait for. */
import { afterEach } from "vitest";
import { onFailure } from "#/src/model/background.ts";
import { forgetDaemons, takeLongReadings } from "./long-readings.ts";

const failures: unknown[] = [];
onFailure((error) => failures.push(error));
forgetDaemons();
const folder = new URL("../..", import.meta.url).pathname;

afterEach(() => {
  process.chdir(folder);
  const [failure] = [...failures.splice(0), ...takeLongReadings()];
  if (failure !== undefined) throw failure;
});
