/** A thread that does what it is told: hang, grow, throw or answer. */
import { parentPort } from "node:worker_threads";

parentPort!.on("message", (job: string) => {
  if (job === "throw") throw new Error("as told");
  const held: unknown[] = [];
  while (job === "hang" || job === "grow") if (job === "grow") held.push(new Array(1000).fill(held.length));
  parentPort!.postMessage(job);
});
