/** A thread that runs one job at a time. A job says what it does: hang, hang and check for its caller, grow in small or in large
 *  pieces, throw, wait for ever, return the number of jobs so far or the process id. Any other job is its own result. */
import { assertCallerThere } from "#/src/model/caller.ts";
import { serveEach } from "#/src/threads/serve-each.ts";

let jobs = 0;

serveEach((job: string) => {
  jobs++;
  if (job === "last count") return `last ${jobs}`;
  if (job === "wait") return new Promise<string>(() => {});
  if (job === "throw") throw new Error("as told");
  while (job === "look") assertCallerThere();
  const held: unknown[] = [];
  // One call makes more objects than the reserve that V8 grants to a thread that reaches its heap limit.
  const text = job === "grow in large pieces" ? `[${'{"a":1},'.repeat(1_500_000)}1]` : "";
  while (text !== "") held.push(JSON.parse(text));
  if (job === "process") return String(process.pid);
  // The compiler does not know the length of these arrays: V8 cannot end a loop that makes arrays of a constant length
  // (src/threads/README.md, decision 8).
  while (job === "hang" || job === "grow")
    if (job === "grow") held.push(new Array(1000 + (held.length % 2)).fill(held.length));
  return job;
});
