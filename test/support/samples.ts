/** What goes through a whole corpus or matrix does so in `npm run test:exhaustive`. In `npm test` it takes some of each by chance. */
import { inject } from "vitest";
import { randomSource } from "./random.ts";

export const isExhaustive = process.env.TEST_EXHAUSTIVE === "1";

/** Some of them, in their order; all of them in an exhaustive run. */
export function sampleOf<T>(all: readonly T[], count: number): readonly T[] {
  if (isExhaustive || all.length <= count) return all;
  const random = randomSource(inject("seed"));
  const left = all.map((_, at) => at);
  const taken = Array.from({ length: count }, () => left.splice(random.below(left.length), 1)[0]!);
  return taken.sort((one, other) => one - other).map((at) => all[at]!);
}
