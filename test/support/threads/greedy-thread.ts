/** A thread that does what it is told, one job at a time: hang, hang and look for the caller, grow in small or in large pieces, throw, wait for ever, say how many jobs it had, or answer. */
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
  // One call makes more objects than V8 grants to a thread that is to end.
  const text = job === "grow in large pieces" ? `[${'{"a":1},'.repeat(1_500_000)}1]` : "";
  while (text !== "") held.push(JSON.parse(text));
  if (job === "process") return String(process.pid);
  // Arrays of a length that the compiler does not know: V8 cannot end the other loop (src/threads/README.md, decision 8).
  while (job === "hang" || job === "grow")
    if (job === "grow") held.push(new Array(1000 + (held.length % 2)).fill(held.length));
  return job;
});
