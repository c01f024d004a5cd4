/** Ends the process when its main thread stands still: its connections would wait for ever, and the system does not know. Another thread
 *  counts its own seconds, so a paused machine counts none. What the main thread read is written down first, and is not read after the
 *  restart; the log gets the stack of the main thread. */
import fs from "node:fs";
import { Session } from "node:inspector";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { after, every, idleTime, noteFailure } from "#/src/model/background.ts";
import { createHand, digestOf, type Hand, showReadings } from "#/src/model/foreign-text.ts";
import { houseThreads } from "./house-threads.ts";
import { startThread } from "./start-thread.ts";

/** Names what the threads get of it among their data. */
const watchName = "waypost-watch";
const tickMs = 1000;
const ticksMax = 20;
/** The main thread may be where it cannot be stopped, and the machine busy. */
const stackMsMax = 10_000;
const linesMax = 1000;

interface Watch {
  /** Incremented by the main thread; 0 until it serves. */
  readonly beat: Int32Array;
  readonly hand: Hand;
  /** Digests of texts that are not read, one a line. */
  readonly quarantine: string;
  /** "": standard error. */
  readonly log: string;
}

/** To be called before threads start. Returns the function that begins the watch, when the main thread has begun to serve; `isAlone`: no
 *  other thread watches. */
export function prepareWatch(quarantine: string, log: string): (isAlone: boolean) => void {
  const beat = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const hand = createHand();
  setEnvironmentData(watchName, { beat, hand, quarantine, log } satisfies Watch);
  const lines = fs.existsSync(quarantine) ? fs.readFileSync(quarantine, "utf8").split("\n") : [];
  showReadings(hand, new Set(lines.slice(-linesMax).map((line) => line.slice(0, 64))));
  return (isAlone) => {
    // Without it nothing watches until the next start.
    if (isAlone) startThread(houseThreads.watchdog).on("error", noteFailure).unref();
    every(idleTime(tickMs) / 4, () => Atomics.add(beat, 0, 1)).unref();
  };
}

/** Called in a thread that lives as long as the process. Does nothing in a process that is not watched. */
export function watchMainThread(): void {
  const watch = getEnvironmentData(watchName) as Watch | undefined;
  if (watch === undefined) return;
  let seen = 0;
  let silent = 0;
  const timer = every(idleTime(tickMs), () => {
    const beat = Atomics.load(watch.beat, 0);
    silent = beat === seen && beat !== 0 ? silent + 1 : 0;
    seen = beat;
    if (silent < ticksMax) return;
    clearInterval(timer);
    endProcess(watch);
  });
  timer.unref();
}

function endProcess({ hand, quarantine, log }: Watch): void {
  const digest = Atomics.load(hand.length, 0) === 0 ? undefined : digestOf(hand);
  if (digest !== undefined)
    fs.appendFileSync(quarantine, `${digest} ${new Date().toISOString()}\n`, { mode: 0o600, flush: true });
  const end = (stack: readonly string[]): void => {
    const line = JSON.stringify({
      level: "fatal",
      time: new Date().toISOString(),
      ...(digest === undefined ? {} : { quarantined: digest }),
      stack: stack.join("\n"),
      msg: "the main thread stood still; the process ends, to be started again",
    });
    try {
      if (log === "") fs.writeSync(2, `${line}\n`);
      else fs.appendFileSync(log, `${line}\n`);
    } finally {
      process.kill(process.pid, "SIGKILL");
    }
  };
  after(stackMsMax, () => end([]));
  readStack(end);
}

/** The stack of the main thread, where it can be stopped: also in an endless loop, and in a regular expression. */
function readStack(found: (stack: readonly string[]) => void): void {
  const files = new Map<string, string>();
  const session = new Session();
  session.connectToMainThread();
  session.on("Debugger.scriptParsed", ({ params }) => files.set(params.scriptId, params.url));
  session.on("Debugger.paused", ({ params }) =>
    found(
      params.callFrames.map(
        ({ functionName, location: { scriptId, lineNumber, columnNumber } }) =>
          `at ${functionName || "<anonymous>"} (${files.get(scriptId)}:${lineNumber + 1}:${(columnNumber ?? 0) + 1})`,
      ),
    ),
  );
  session.post("Debugger.enable", () => session.post("Debugger.pause"));
}
