/** The one place where a thread starts: from its source file or what was compiled of that, or inside
 *  the one binary from the asset that holds its bundle. */
import sea from "node:sea";
import { Worker } from "node:worker_threads";
import type { ThreadKind } from "./house-threads.ts";

export function startThread(kind: ThreadKind, workerData?: unknown): Worker {
  const { isSilent = false, heapMb, youngHeapMb } = kind;
  const options = {
    name: kind.name,
    workerData,
    // Flags of the process, as `--input-type` or an inspector's port, are for its main thread.
    execArgv: [],
    resourceLimits: {
      maxOldGenerationSizeMb: heapMb,
      ...(youngHeapMb === undefined ? {} : { maxYoungGenerationSizeMb: youngHeapMb }),
    },
    stdout: isSilent,
    stderr: isSilent,
  };
  const worker = sea.isSea()
    ? new Worker(sea.getAsset(`${kind.name}.cjs`, "utf8"), { ...options, eval: true })
    : new Worker(fileOf(kind), options);
  if (isSilent) {
    worker.stdout.resume();
    worker.stderr.resume();
  }
  return worker;
}

/** The source, or what was compiled of it, which lies beside this code. */
function fileOf({ name, source }: ThreadKind): URL {
  const isSource = import.meta.url.endsWith(".ts");
  return new URL(isSource ? `../../${source}` : `./${name}.js`, import.meta.url);
}
