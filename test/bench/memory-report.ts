/** The benchmark loads this into the daemon (`--import`). At SIGUSR2 it collects garbage and writes the memory that the process then
 *  has, in bytes, to the file that MEMORY_REPORT_FILE names. */
import fs from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

const file = process.env.MEMORY_REPORT_FILE;

if (isMainThread && file !== undefined) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let count = 0;
  process.on("SIGUSR2", () => {
    collect();
    collect();
    const { rss, heapUsed, external } = process.memoryUsage();
    fs.writeFileSync(`${file}.new`, JSON.stringify({ count: ++count, rss, heapUsed, external }));
    fs.renameSync(`${file}.new`, file);
  });
}
