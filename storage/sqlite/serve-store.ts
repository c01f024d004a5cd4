/** The only connection that writes, and the only place where a write becomes durable. It runs on the writer thread. */
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import Database from "better-sqlite3";
import type { FromWriter, ToWriter } from "../threads/messages.ts";
import { isUntrustworthy } from "./failures.ts";
import { openWriter } from "./open-writer.ts";
import { WriterLoop } from "./writer-loop.ts";

export interface WriterData {
  readonly folder: string;
  readonly maxBytes?: number | undefined;
}

/** Opens the store and writes what the port asks for, until the port is told to close or the store fails. */
export function serveStore(port: MessagePort, data: WriterData): void {
  start(port, data).catch((error: unknown) => fail(port, error));
}

async function start(port: MessagePort, data: WriterData): Promise<void> {
  const database = await openWriter(data.folder, { maxBytes: data.maxBytes });
  const say = (message: FromWriter): void => port.postMessage(message);
  const loop = new WriterLoop(database, {
    say,
    fail: (error) => {
      fail(port, error);
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

/** Says why and stops the thread; whoever owns the store then ends the process. */
function fail(port: MessagePort, error: unknown): void {
  const cause = error instanceof Error && error.cause !== undefined ? ` (${String(error.cause)})` : "";
  const code = error instanceof Database.SqliteError ? `${error.code}: ` : "";
  const message = `${code}${error instanceof Error ? error.message : String(error)}${cause}`;
  port.postMessage({ kind: "failed", message } satisfies FromWriter);
  port.close();
}
