/** A thread that reads documents: one in, its text out. */
import { parentPort } from "node:worker_threads";
import { readDocument } from "#/src/formats/documents/read-document.ts";
import type { DocumentJob } from "./reading-threads.ts";

parentPort!.on("message", async ({ bytes, kind }: DocumentJob) => {
  parentPort!.postMessage(await readDocument(bytes, kind));
});
