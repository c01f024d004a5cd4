/** Runs each file with many seeds, in one process: `vitest.config.ts` of this folder. */
import { pathToFileURL } from "node:url";
import { beforeAll, describe, TestRunner } from "vitest";

/** What `inject("seed")` gives. */
function give(seed: number): void {
  const worker = Reflect.get(globalThis, "__vitest_worker__") as { providedContext: { seed: number } };
  worker.providedContext.seed = seed;
}

export default class SeedsRunner extends TestRunner {
  override importFile(file: string, source: "collect" | "setup"): unknown {
    if (source === "setup") return super.importFile(file, source);
    const first = this.injectValue("seed") as number;
    const seeds = Array.from({ length: Number(process.env.SEEDS) }, (_, at) => (first + at) % 2 ** 31);
    for (const seed of seeds)
      describe(`TEST_SEED=${seed}`, async () => {
        give(seed);
        beforeAll(() => give(seed));
        await import(`${pathToFileURL(file).href}?seed=${seed}`);
      });
    return undefined;
  }
}
