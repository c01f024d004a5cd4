/** A thread that converts documents to text, one at a time, and reports how much was unpacked for each. */
import { readDocument, unreadDocument } from "#/src/formats/documents/read-document.ts";
import { noteFailure } from "#/src/model/background.ts";
import { limitArrays } from "#/src/threads/array-budget.ts";
import { serveJobs } from "#/src/threads/serve-jobs.ts";
import type { DocumentAnswer, DocumentJob } from "./reading-threads.ts";

/** Arrays that are made while one document is read: four times what pages and fonts of long books unpack to. */
const arrayBytesMax = 256 * 1024 * 1024;

const arrays = limitArrays(arrayBytesMax);

serveJobs<undefined, DocumentJob, DocumentAnswer>(() => async ({ bytes, kind }) => {
  arrays.restart();
  const begun = cpuMs();
  const document = await readDocument(bytes, kind).catch(endWith);
  const result = {
    document: arrays.isOver ? unreadDocument : document,
    unpackedBytes: arrays.spent,
    cpuMs: cpuMs() - begun,
  };
  return { result, transfer: [] };
});

/** A library that has failed may be broken for the next document: its process ends, and tells why. */
function endWith(error: unknown): Promise<never> {
  noteFailure(error);
  return new Promise(() => {});
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
