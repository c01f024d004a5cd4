import { describe, expect, test } from "vitest";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { readCard } from "#/src/formats/jscontact/read-contact.ts";
import { updateCard, writeCard } from "#/src/formats/jscontact/write-contact.ts";
import { corpusNote, hasCorpus } from "../../support/corpus.ts";
import { listCorpusCards } from "../vcard/read-card.ts";

describe.skipIf(!hasCorpus)(`cards of the corpus${corpusNote}`, () => {
  const cards = hasCorpus ? [...listCorpusCards(), ...listCorpusCards("attack/vcard")] : [];

  test("a Card that is written anew reads the same", () => {
    expect(cards.length).toBeGreaterThan(150);
    for (const { file, card } of cards) {
      const read = readCard(card);
      expect({ file, card: readCard(writeCard(read)) }).toEqual({ file, card: read });
    }
  });

  test("an unchanged Card keeps every octet of its vCard", () => {
    for (const { file, card } of cards) {
      const updated = updateCard(card, readCard(card));
      expect({ file, text: String(writeContentLines({ items: [updated] })) }).toEqual({
        file,
        text: String(writeContentLines({ items: [card] })),
      });
    }
  });
});
