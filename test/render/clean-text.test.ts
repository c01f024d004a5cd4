import { expect, it } from "vitest";
import { cleanLine, cleanText } from "#/src/render/clean-text.ts";
import { createRemovalTally } from "#/src/render/removal.ts";

function clean(text: string) {
  const tally = createRemovalTally();
  return { text: cleanText(text, "1", tally), removed: tally.list().map(({ what, count }) => [what, count]) };
}

it.each([
  ["plain\ttext\n", "plain\ttext\n", []],
  ["line\r\nends\rof all\n", "line\nends\nof all\n", []],
  ["bell\u0007 and \u001b[31mcolour\u0085", "bell and [31mcolour", [["control-character", 3]]],
  ["pass\u200bword\ufeff", "password", [["zero-width", 2]]],
  ["soft\u00adhyphen", "softhyphen", [["zero-width", 1]]],
  ["\u202eevil\u202c \u2066x\u2069", "evil x", [["bidi-control", 4]]],
  ["tag\u{e0068}\u{e0069}\u{e007f}", "tag", [["unicode-tag", 3]]],
  ["a\ufe00b\u{e0100}c", "abc", [["variation-selector", 2]]],
  ["\ud800x", "\ufffdx", []],
  ["می‌خواهم 👩‍👧 ❤️ שלום‎", "می‌خواهم 👩‍👧 ❤️ שלום‎", []],
])("makes %j into %j", (text, expected, removed) => {
  expect(clean(text)).toEqual({ text: expected, removed });
});

it("converts a value to one line of limited length", () => {
  const tally = createRemovalTally();
  expect(cleanLine("  a\r\n b\u0000\tc ", "subject", tally)).toBe("a b c");
  expect(cleanLine("😀".repeat(600), "subject", tally, 101).length).toBe(101);
  expect(tally.list()).toContainEqual({ what: "over-limit", count: 1, where: "subject" });
});
