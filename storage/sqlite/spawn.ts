/** Starts a thread of the store: from its source file, or inside the one binary from the asset that holds its bundle. */
import sea from "node:sea";
import { Worker } from "node:worker_threads";

export type ThreadName = "writer" | "reader";

export function spawnThread(name: ThreadName, workerData: unknown): Worker {
  // Flags of the process, as `--input-type` or an inspector's port, are for its main thread.
  const options = { workerData, name: `store-${name}`, execArgv: [] };
  if (sea.isSea()) return new Worker(sea.getAsset(`${name}.cjs`, "utf8"), { ...options, eval: true });
  return new Worker(new URL(`./${name}.ts`, import.meta.url), options);
}
