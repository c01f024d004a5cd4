/** `TEST_COSTS=FILE npm test`: adds a line to the file for each file of tests, with its seconds of processor time: of the process, its threads
 *  and the processes that it has started. */
import { appendFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect } from "vitest";
import { familyProcessorMs } from "./threads/process-family.ts";

const begunMs = familyProcessorMs(process.pid);

afterAll(() => {
  const seconds = (familyProcessorMs(process.pid) - begunMs) / 1000;
  const file = path.relative(path.resolve(import.meta.dirname, ".."), expect.getState().testPath!);
  appendFileSync(process.env.TEST_COSTS!, `${seconds.toFixed(2)} ${file}\n`);
});
