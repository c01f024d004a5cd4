/** A thread that converts documents to text, one at a time, and reports how much was unpacked for each. */
import { readDocument, unreadDocument } from "#/src/formats/documents/read-document.ts";
import { limitArrays } from "#/src/threads/array-budget.ts";
import { serveEach } from "#/src/threads/serve-each.ts";
import type { DocumentAnswer, DocumentJob } from "./reading-threads.ts";

/** Arrays that are made while one document is read: four times what pages and fonts of long books unpack to. */
const arrayBytesMax = 256 * 1024 * 1024;

const arrays = limitArrays(arrayBytesMax);

serveEach(async ({ bytes, kind }: DocumentJob): Promise<DocumentAnswer> => {
  arrays.restart();
  const begun = cpuMs();
  const document = await readDocument(bytes, kind);
  return {
    document: arrays.isOver ? unreadDocument : document,
    unpackedBytes: arrays.spent,
    cpuMs: cpuMs() - begun,
  };
});

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
