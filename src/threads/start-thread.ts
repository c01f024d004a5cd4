/** The only place that starts threads: from the source file or its compiled form, or in
 *  the single binary from the asset with its bundle. */

import fs from "node:fs";
import path from "node:path";
import sea from "node:sea";
import { fileURLToPath } from "node:url";
import { setEnvironmentData, Worker } from "node:worker_threads";
import { pause } from "#/src/model/background.ts";
import { forTheHouse } from "#/src/model/caller.ts";
import { interruptionName, interruptionWords, wordOfCall, wordOfEnd } from "#/src/model/uninterrupted.ts";
import { houseThreads, processHost, type ThreadKind } from "./house-threads.ts";

/** Sources of the threads that are compiled with the program. */
const compiledSources: ReadonlySet<string> = new Set(
  [...Object.values(houseThreads), processHost].map(({ source }) => source),
);
let compiledFolder: URL | undefined;
/** Shared memory that tells a thread that it is being ended. */
const interruptions = new WeakMap<Worker, Int32Array>();

/** From now on threads start from their compiled form in this folder, also where this code runs from its
 *  source: that takes a quarter of the time. For tests. */
export function startCompiledThreads(folder: URL): void {
  compiledFolder = folder;
}

type StartOtherwise = (kind: ThreadKind, workerData: unknown) => Worker | undefined;

let startOtherwise: StartOtherwise | undefined;

/** From now on a thread is what `start` returns, where that is not undefined. For tests. */
export function startThreadsOtherwise(start: StartOtherwise): void {
  startOtherwise = start;
}

/** V8 ends the thread, or the process, if the heap reaches `heapMb` (README, decision 7). */
export function startThread(kind: ThreadKind, workerData?: unknown): Worker {
  const other = startOtherwise?.(kind, workerData);
  if (other !== undefined) return other;
  const { heapMb, isSilent = false, youngHeapMb } = kind;
  const options = {
    name: kind.name,
    workerData,
    // Flags of the process, such as `--input-type` or an inspector's port, are for its main thread. A thread without the flags of a confined
    // process would not be confined.
    ...(process.permission === undefined ? { execArgv: [] } : {}),
    resourceLimits: {
      maxOldGenerationSizeMb: heapMb,
      ...(youngHeapMb === undefined ? {} : { maxYoungGenerationSizeMb: youngHeapMb }),
    },
    stdout: isSilent,
    stderr: isSilent,
  };
  const interruption = new Int32Array(
    new SharedArrayBuffer(interruptionWords * Int32Array.BYTES_PER_ELEMENT),
  );
  setEnvironmentData(interruptionName, interruption);
  // What a thread says is for many callers, and none of them is the one that needed it first.
  const worker = forTheHouse(() =>
    sea.isSea()
      ? new Worker(sea.getAsset("run-program.cjs", "utf8"), { ...options, eval: true })
      : new Worker(fileOf(kind), options),
  );
  setEnvironmentData(interruptionName, undefined);
  interruptions.set(worker, interruption);
  if (isSilent) {
    worker.stdout.resume();
    worker.stderr.resume();
  }
  return worker;
}

/** An uninterrupted call that takes longer is ended with its thread. */
const callMsMax = 250;

/** Ends a thread, but not during a call in which that would end the process (`uninterrupted`). */
export async function endThread(worker: Worker): Promise<void> {
  const interruption = interruptions.get(worker);
  if (interruption !== undefined) {
    Atomics.store(interruption, wordOfEnd, 1);
    const until = performance.now() + callMsMax;
    while (Atomics.load(interruption, wordOfCall) !== 0 && performance.now() < until) await pause(1);
  }
  await worker.terminate();
}

/** The program of a process with only this thread (`process-host.ts`). In the single binary it is the binary itself. */
export function processFile({ source }: ThreadKind): string {
  if (sea.isSea()) return process.execPath;
  const isCompiled = !import.meta.url.endsWith(".ts") || compiledSources.has(source);
  return fileURLToPath(isCompiled ? fileOf(processHost) : new URL("./process-host.ts", import.meta.url));
}

/** Flags of Node for a process that may read its program and nothing else. */
export function confinement(kind: ThreadKind): readonly string[] {
  if (kind.isConfined !== true) return [];
  const flags = ["--permission", "--allow-worker"];
  // The binary has its program in it, and takes flags in one argument.
  if (sea.isSea()) return [`--node-options=${flags.join(" ")}`];
  const file = processFile(kind);
  return [...flags, ...placesOf(file).map((place) => `--allow-fs-read=${place}`)];
}

/** Where Node looks for a program and what it imports: its folder, and the libraries and descriptions of all folders above it. */
function placesOf(file: string): readonly string[] {
  const folders = file.endsWith(".ts") ? [path.join(path.dirname(file), "../..")] : [path.dirname(file)];
  for (let above = path.dirname(folders[0]!); above !== path.dirname(above); above = path.dirname(above))
    folders.push(path.join(above, "node_modules"), path.join(above, "package.json"));
  const there = folders.filter((place) => fs.existsSync(place));
  return [...new Set([...there, ...there.map((place) => fs.realpathSync(place))])];
}

/** The source or its compiled form, which is beside this code if no other folder was named. */
function fileOf({ name, source }: Pick<ThreadKind, "name" | "source">): URL {
  if (!import.meta.url.endsWith(".ts")) return new URL(`./${name}.cjs`, import.meta.url);
  if (compiledFolder !== undefined && compiledSources.has(source))
    return new URL(`${name}.cjs`, compiledFolder);
  return new URL(`../../${source}`, import.meta.url);
}
