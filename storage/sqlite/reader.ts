/** The reader thread: long reads, one at a time, each over one snapshot, so that the main thread never runs one. */
import { parentPort, workerData } from "node:worker_threads";
import { checkStore } from "../check.ts";
import { type Scan, scans } from "../scans/index.ts";
import { openReading, SqliteSql } from "./connection.ts";
import { engineFailure, errorRow } from "./failures.ts";
import type { FromReader, ReaderData, ToReader } from "./messages.ts";

const port = parentPort!;
const data = workerData as ReaderData;

function say(message: FromReader): void {
  port.postMessage(message);
}

function start(): void {
  const database = openReading(data.folder, "scanning");
  const sql = new SqliteSql(database);

  async function answer(id: number, run: () => Promise<unknown>): Promise<void> {
    try {
      database.exec("begin");
      const result = await run();
      say({ kind: "answer", answer: { id, result } });
    } catch (error) {
      say({ kind: "answer", answer: { id, error: errorRow(engineFailure(error)) } });
    } finally {
      if (database.inTransaction) database.exec("rollback");
    }
  }

  async function check(id: number): Promise<string[]> {
    const found = await sql
      .all<{ integrity_check: string }>("pragma integrity_check")
      .catch((error: unknown) => [{ integrity_check: String(error) }]);
    const damages = found
      .map((row) => row.integrity_check)
      .filter((text) => text !== "ok")
      .map((text) => `SQLite finds the file damaged: ${text}`);
    // Which messages and rows the damage concerns, as far as they can be read.
    const progress = (done: number, total: number): void => say({ kind: "progress", id, done, total });
    return [...damages, ...(await checkStore(sql, progress))];
  }

  let last = Promise.resolve();
  port.on("message", (message: ToReader) => {
    last = last.then(async () => {
      if (message.kind === "close") {
        database.close();
        port.close();
      } else if (message.kind === "check") await answer(message.id, () => check(message.id));
      else {
        const scan = scans[message.name as keyof typeof scans] as Scan;
        await answer(message.id, () => scan(sql, message.args));
      }
    });
  });
  say({ kind: "ready" });
}

try {
  start();
} catch (error) {
  say({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  port.close();
}
