/** Starts a thread of the store: from its source file, or inside the one binary from the asset that holds its bundle. */
import sea from "node:sea";
import { Worker } from "node:worker_threads";

export type ThreadName = "writer" | "reader";

export function spawnThread(name: ThreadName, workerData: unknown): Worker {
  const options = { workerData, name: `store-${name}` };
  if (sea.isSea()) return new Worker(sea.getAsset(`${name}.cjs`, "utf8"), { ...options, eval: true });
  return new Worker(new URL(`./${name}.ts`, import.meta.url), options);
}
