/** The writer thread: the only connection that writes, and the only place where a write becomes durable. */
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import type { FromWriter, ToWriter } from "../threads/messages.ts";
import { isUntrustworthy } from "./failures.ts";
import { openWriter } from "./open-writer.ts";
import { WriterLoop } from "./writer-loop.ts";

export interface WriterData {
  readonly folder: string;
  readonly maxBytes?: number | undefined;
}

const port = parentPort!;
const data = workerData as WriterData;

function say(message: FromWriter): void {
  port.postMessage(message);
}

/** Says why and stops the thread; whoever owns the store then ends the process. */
function fail(error: unknown): void {
  const cause = error instanceof Error && error.cause !== undefined ? ` (${String(error.cause)})` : "";
  const code = error instanceof Database.SqliteError ? `${error.code}: ` : "";
  say({
    kind: "failed",
    message: `${code}${error instanceof Error ? error.message : String(error)}${cause}`,
  });
  port.close();
}

async function start(): Promise<void> {
  const database = await openWriter(data.folder, { maxBytes: data.maxBytes });
  const loop = new WriterLoop(database, {
    say,
    fail: (error) => {
      fail(error);
      if (!isUntrustworthy(error)) database.close();
    },
    drain(take) {
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
        take(next.message as ToWriter);
    },
    close() {
      database.close();
      port.close();
    },
  });
  port.on("message", (message: ToWriter) => loop.take(message));
  say({ kind: "ready" });
  loop.wake();
}

start().catch(fail);
