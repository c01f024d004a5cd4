/** Runs once before all tests: chooses the seed of the samples (`samples.ts`) and prints it. `TEST_SEED` repeats those of an earlier run. */
import { randomInt } from "node:crypto";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    readonly seed: number;
  }
}

export default function chooseSeed({ provide }: TestProject): void {
  const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31));
  console.log(`TEST_SEED=${seed}`);
  provide("seed", seed);
}
