import { expect, it } from "vitest";
import { unreadDocument } from "#/src/formats/documents/read-document.ts";
import { rememberedReadingCharactersMax, rememberedReadingsMax } from "#/src/model/limits.ts";
import { createReadingMemory } from "#/src/render/threads/reading-memory.ts";

const words = { text: "words", removed: [] };

it("keeps documents that could not be read or took long, and no others", () => {
  const memory = createReadingMemory();
  memory.keep("unread", unreadDocument, 1);
  memory.keep("damaged", { text: "", removed: [["undecodable", 1]] }, 1);
  memory.keep("dear", words, 50);
  memory.keep("cheap", words, 49);
  expect(
    ["unread", "damaged", "dear", "cheap"].map((name) => memory.recall(name, false) !== undefined),
  ).toEqual([true, true, true, false]);
});

it("forgets after an hour that a thread had to be ended, but not for a listing", () => {
  let now = 0;
  const memory = createReadingMemory(() => now);
  memory.keep("ended", unreadDocument, undefined);
  memory.keep("refused", unreadDocument, 1);
  now = 3_599_999;
  expect(memory.recall("ended", false)).toEqual(unreadDocument);
  now++;
  expect(memory.recall("ended", false)).toBeUndefined();
  expect(memory.recall("ended", true)).toEqual(unreadDocument);
  expect(memory.recall("refused", false)).toEqual(unreadDocument);
});

it("keeps a limited number of documents and characters, those that were read last", () => {
  const memory = createReadingMemory();
  for (let number = 0; number < rememberedReadingsMax; number++)
    memory.keep(String(number), unreadDocument, 1);
  memory.recall("0", false);
  memory.keep("one more", unreadDocument, 1);
  expect([memory.recall("0", false), memory.recall("1", false), memory.recall("2", false)]).toEqual([
    unreadDocument,
    undefined,
    unreadDocument,
  ]);
  const large = { text: "x".repeat(rememberedReadingCharactersMax / 2), removed: [] };
  memory.keep("large", large, 50);
  memory.keep("larger", { text: `${large.text}x`, removed: [] }, 50);
  expect([
    memory.recall("2", false),
    memory.recall("large", false),
    memory.recall("larger", false)?.removed,
  ]).toEqual([undefined, undefined, []]);
});
