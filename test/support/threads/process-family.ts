/** A process and the processes that it has started, as Linux shows them (proc(5)). */
import fs from "node:fs";

/** The process and all its descendants. A process that ends meanwhile is left out. */
export function familyOf(pid: number): number[] {
  const found = [pid];
  for (const one of found) found.push(...childrenOf(one));
  return found;
}

function childrenOf(pid: number): number[] {
  return readOrNothing(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

/** The names of the threads of a process. A thread that ends meanwhile is left out. */
export function threadNames(pid: number): string[] {
  return listOrNothing(`/proc/${pid}/task`)
    .map((task) => readOrNothing(`/proc/${pid}/task/${task}/comm`).trim())
    .filter((name) => name !== "");
}

/** Resident memory of the process and all its descendants. */
export function familyResidentMiB(pid: number): number {
  const kilobytes = familyOf(pid).map((one) =>
    Number(/VmRSS:\s+(\d+)/.exec(readOrNothing(`/proc/${one}/status`))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
}

/** Processor time of the process and all its descendants, in hundredths of a second. */
export function familyTicks(pid: number): number {
  const ticks = familyOf(pid).map((one) => {
    const fields = readOrNothing(`/proc/${one}/stat`).split(") ")[1]?.split(" ") ?? [];
    // User and system time of the process and of its children that have ended.
    return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field] ?? 0), 0);
  });
  return ticks.reduce((sum, one) => sum + one, 0);
}

/** The same in milliseconds: a clock that stands still while other programs have the processors. */
export function familyProcessorMs(pid: number): number {
  return familyTicks(pid) * 10;
}

function readOrNothing(file: string): string {
  return orIfEnded("", () => fs.readFileSync(file, "utf8"));
}

function listOrNothing(folder: string): string[] {
  return orIfEnded([], () => fs.readdirSync(folder));
}

/** What a process or a thread shows may be gone between two looks. */
function orIfEnded<T>(nothing: T, look: () => T): T {
  try {
    return look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return nothing;
    throw error;
  }
}
