/** A thread that does what it is told, one job at a time: hang, grow, throw or answer. */
import { serveEach } from "#/src/threads/serve-each.ts";

serveEach((job: string) => {
  if (job === "throw") throw new Error("as told");
  const held: unknown[] = [];
  while (job === "hang" || job === "grow") if (job === "grow") held.push(new Array(1000).fill(held.length));
  return job;
});
