/** The reader thread: runs long reads one at a time, each over one snapshot, so that the main thread does not run them. */
import { parentPort, workerData } from "node:worker_threads";
import { checkStore } from "../checks/check.ts";
import { errorRow } from "../failures.ts";
import { openSnapshots } from "../open-snapshots.ts";
import { type Scan, scans } from "../scans/index.ts";
import type { Reader } from "../sql.ts";
import type { StorePlace } from "../store.ts";
import type { FromReader, ToReader } from "./messages.ts";

const port = parentPort!;
const data = workerData as StorePlace;

function say(message: FromReader): void {
  port.postMessage(message);
}

async function start(): Promise<void> {
  const snapshots = await openSnapshots(data);

  async function answer(id: number, run: (reader: Reader) => Promise<unknown>): Promise<void> {
    try {
      say({ kind: "answer", answer: { id, result: await snapshots.read(run) } });
    } catch (error) {
      say({ kind: "answer", answer: { id, error: errorRow(snapshots.failureOf(error)) } });
    }
  }

  async function check(id: number, reader: Reader): Promise<string[]> {
    const damages = await snapshots.listDamages();
    // The messages and rows that the damage affects, as far as they are readable.
    const progress = (done: number, total: number): void => say({ kind: "progress", id, done, total });
    return [...damages, ...(await checkStore(reader, progress))];
  }

  let last = Promise.resolve();
  port.on("message", (message: ToReader) => {
    last = last.then(async () => {
      if (message.kind === "close") {
        await snapshots.close();
        port.close();
      } else if (message.kind === "check") await answer(message.id, (reader) => check(message.id, reader));
      else {
        const scan = scans[message.name as keyof typeof scans] as Scan;
        await answer(message.id, (reader) => scan(reader, message.args));
      }
    });
  });
  say({ kind: "ready" });
}

start().catch((error: unknown) => {
  say({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  port.close();
});
