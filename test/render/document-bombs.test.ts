/** Documents that are made to take all of a processor or of memory, each read as the daemon reads it: in a process with limits. */
import { afterAll, describe, expect, it } from "vitest";
import type { DocumentText } from "#/src/formats/documents/read-document.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { createReadingThreads } from "#/src/render/threads/reading-threads.ts";
import { docxBombs, pdfBombs } from "../support/document-bombs.ts";
import { docxOf } from "../support/documents.ts";

const threads = createReadingThreads();
afterAll(() => threads[Symbol.asyncDispose]());
const words = docxOf("<w:p><w:r><w:t>words of a friend</w:t></w:r></w:p>");
/** Of what is drawn by itself, or by others of its kind, a reader may find some words. */
const textMost = 2 * 1024 * 1024;

/** On a busy machine a document may have got too little of a processor: then it is not said that it is too large, but that it is read later. */
async function read(bytes: Buffer, kind: "pdf" | "docx"): Promise<DocumentText | "busy"> {
  try {
    return await threads.readDocument(async () => bytes, kind);
  } catch (error) {
    if (error instanceof WaypostError && error.code === "upstream_unavailable") return "busy";
    throw error;
  }
}

describe.each([
  ["pdf", pdfBombs],
  ["docx", docxBombs],
] as const)("a %s with", (kind, bombs) => {
  it.each(bombs)("%s ends, and the next document is read", async (_, make) => {
    const answer = await read(make(), kind);
    if (answer !== "busy") expect(answer.text.length).toBeLessThan(textMost);
    await expect.poll(() => read(words, "docx")).toMatchObject({ text: "words of a friend" });
  });
});
