/** Honest HTML: pages of newsletter generators (`test/templates`), in which no word is in doubt, and real mail. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";
import { corpusNote, hasCorpus, htmlOf, listCorpusMessages } from "#/test/support/corpus.ts";

const made = new URL("../templates/made/", import.meta.url);
const sentences: Readonly<Record<string, readonly string[]>> = {
  "mjml-dark": [
    "Your invoice of January is ready.",
    "42.50 Euro",
    "Pay the invoice",
    "Questions are answered by the office",
  ],
  "mjml-interactive": [
    "Newest",
    "Answers to your questions",
    "When does the parcel come?",
    "Below the questions stands a paragraph",
    "The last words of the shop stand here.",
  ],
  "mjml-newsletter": [
    "The lighthouse opens again",
    "Plan a visit",
    "Dear neighbours of the harbour,",
    "Photograph of the pier",
    "repairs of nets every Tuesday",
    "the choir of the sailors",
    "Tuesday wind",
    "Members travel at half price",
    "Show the card at the gate",
    "Become a member",
    "every half hour",
    "Old town",
    "Thank you for reading to the end",
    "Harbour on Facebook",
    "You get this letter since you asked for it.",
    "Leave the list",
  ],
  "react-code": [
    "Confirm the address",
    "QXF-T4B",
    "waypost login --code",
    "What next",
    "one cell",
    "other cell",
  ],
  "react-tailwind": ["Join the crew of the boat", "The captain invited you", "Come on board", "do nothing."],
  "react-welcome": [
    "Welcome, Dana",
    "You can borrow six books",
    "Open the catalogue",
    "Opening hours",
    "from nine to six",
    "Write to us",
  ],
  "foundation-news": [
    "Letter of the mill",
    "Hello miller,",
    "The water wheel turns again",
    "Order flour",
    "Dark, for bread",
    "Spelt flour",
    "Bring a bag",
    "Telephone 030 123 456",
    "The way to us",
    "Privacy",
    "Thank you",
    "Second of two",
    "Shown on wide screens alone",
  ],
};

test("each page that is kept has its sentences listed", () => {
  const pages = readdirSync(made).map((file) => file.replace(/(?:-inlined)?\.html$/, ""));
  expect(Object.keys(sentences)).toEqual(expect.arrayContaining(pages));
});

/** Foundation's style sheet is not kept here: its pages are there after `npm --prefix test/templates run make`. */
test.each([
  ...Object.entries(sentences),
  ["foundation-news-inlined", sentences["foundation-news"]!] as const,
])("%s is given whole, and nothing of it is in doubt", (name, expected) => {
  const file = new URL(`${name}.html`, made);
  if (!existsSync(file)) {
    expect(name).toMatch(/^foundation-/);
    return;
  }
  for (const form of htmlForms) {
    const { text, removed, isOverLimit } = renderHtml(readFileSync(file, "utf8"), form);
    expect(isOverLimit).toBe(false);
    expect(removed.filter(([what]) => what === "doubtful")).toEqual([]);
    const words = text.replace(/<[^>]*>/g, "").replace(/[\s\\*]+/g, " ");
    expect(expected.filter((sentence) => !words.includes(sentence))).toEqual([]);
  }
});

test.skipIf(!hasCorpus)(`no part of real mail has a passage in doubt${corpusNote}`, () => {
  const parts = listCorpusMessages().flatMap(({ file, bytes }) =>
    htmlOf(bytes).map((html) => ({ file, html })),
  );
  const inDoubt = parts.filter(({ html }) =>
    renderHtml(html, "text").removed.some(([what]) => what === "doubtful"),
  );
  expect(parts.length).toBeGreaterThan(200);
  expect(inDoubt.map(({ file }) => file)).toEqual([]);
});
