/** The benchmark loads this into the daemon (`--import`). At SIGUSR2 it writes the delay of the main thread's event loop since the last
 *  report, in milliseconds, to the file that LOOP_DELAY_FILE names. */
import fs from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const resolutionMs = 1;
const file = process.env.LOOP_DELAY_FILE;

if (isMainThread && file !== undefined) {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  const ms = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  let count = 0;
  process.on("SIGUSR2", () => {
    const report = {
      count: ++count,
      p50: ms(histogram.percentile(50)),
      p99: ms(histogram.percentile(99)),
      max: ms(histogram.max),
    };
    fs.writeFileSync(`${file}.new`, JSON.stringify(report));
    fs.renameSync(`${file}.new`, file);
    histogram.reset();
  });
}
