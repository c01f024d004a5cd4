/** Runs before each test file: no test may leave a failure of which no caller hears (`src/model/background.ts`), or another current folder,
 *  as a command does that its test did not wait for, or timers that are not the real ones: files share a process. */
import { afterEach, beforeEach } from "vitest";
import { onFailure } from "#/src/model/background.ts";
import { forgetDaemons, takeLongReadings } from "./long-readings.ts";

const failures: unknown[] = [];
onFailure((error) => failures.push(error));
forgetDaemons();
const folder = new URL("../..", import.meta.url).pathname;

/** The ones of this process, which the first file finds. */
const kept = process as { realTimers?: ReadonlyMap<string, unknown> };
kept.realTimers ??= new Map(
  ["setTimeout", "setInterval", "setImmediate", "Date"].map((name) => [name, Reflect.get(globalThis, name)]),
);
const { realTimers } = kept;

beforeEach(() => {
  for (const [name, one] of realTimers)
    if (Reflect.get(globalThis, name) !== one)
      throw new Error(`A test before this one has left another ${name}`);
});

afterEach(() => {
  process.chdir(folder);
  const [failure] = [...failures.splice(0), ...takeLongReadings()];
  if (failure !== undefined) throw failure;
});
