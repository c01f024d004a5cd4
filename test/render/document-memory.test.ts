import { expect, it } from "vitest";
import { unreadDocument } from "#/src/formats/documents/read-document.ts";
import { rememberedDocumentCharactersMax, rememberedDocumentsMax } from "#/src/model/limits.ts";
import { createDocumentMemory } from "#/src/render/threads/document-memory.ts";

const words = { text: "words", removed: [] };

it("keeps documents that could not be read or took long, and no others", () => {
  const memory = createDocumentMemory();
  memory.keep("unread", unreadDocument, 1);
  memory.keep("damaged", { text: "", removed: [["undecodable", 1]] }, 1);
  memory.keep("dear", words, 50);
  memory.keep("cheap", words, 49);
  expect(["unread", "damaged", "dear", "cheap"].map((name) => memory.recall(name) !== undefined)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

it("forgets after an hour that a thread had to be ended", () => {
  let now = 0;
  const memory = createDocumentMemory(() => now);
  memory.keep("ended", unreadDocument, undefined);
  memory.keep("refused", unreadDocument, 1);
  now = 3_599_999;
  expect(memory.recall("ended")).toEqual(unreadDocument);
  now++;
  expect(memory.recall("ended")).toBeUndefined();
  expect(memory.recall("refused")).toEqual(unreadDocument);
});

it("keeps a limited number of documents and characters, those that were read last", () => {
  const memory = createDocumentMemory();
  for (let number = 0; number < rememberedDocumentsMax; number++)
    memory.keep(String(number), unreadDocument, 1);
  memory.recall("0");
  memory.keep("one more", unreadDocument, 1);
  expect([memory.recall("0"), memory.recall("1"), memory.recall("2")]).toEqual([
    unreadDocument,
    undefined,
    unreadDocument,
  ]);
  const large = { text: "x".repeat(rememberedDocumentCharactersMax / 2), removed: [] };
  memory.keep("large", large, 50);
  memory.keep("larger", { text: `${large.text}x`, removed: [] }, 50);
  expect([memory.recall("2"), memory.recall("large"), memory.recall("larger")?.removed]).toEqual([
    undefined,
    undefined,
    [],
  ]);
});
