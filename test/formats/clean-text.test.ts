import { expect, it } from "vitest";
import { cleanText } from "#/src/formats/text/clean-text.ts";

function clean(text: string) {
  const removed: Record<string, number> = {};
  const cleaned = cleanText(text, (what, count) => {
    removed[what] = (removed[what] ?? 0) + count;
  });
  return [cleaned, removed];
}

const tags = (text: string): string =>
  [...text].map((one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join("");

it.each([
  ["plain\ttext\n"],
  ["می‌خواهم کتاب‌ها"],
  ["हिन्दी क्‍ष"],
  ["👩‍👧 🏳️‍🌈 ❤️‍🔥 👍🏽 #️⃣ ✈︎"],
  [`🏴${tags("gbeng")}\u{e007f}`],
  ["שלום‎ 12"],
  ["葛󠄀城"],
  ["one \uf0b7 bullet"],
  ["⠓⠊⠀⠓⠊"],
])("keeps %j", (text) => {
  expect(clean(text)).toEqual([text, {}]);
});

it.each([
  ["line\r\nends\rof\u2028all", "line\nends\nof\nall", {}],
  ["bell\u0007 \u001b[31m\u0085", "bell [31m", { "control-character": 3 }],
  ["pass\u200bwo\u00adrd\ufeff", "password", { "zero-width": 3 }],
  ["a\u200c\u200d\u200cb", "ab", { "zero-width": 3 }],
  ["latin\u200cletters", "latinletters", { "zero-width": 1 }],
  ["می‌‌خواهم", "میخواهم", { "zero-width": 2 }],
  ["\u3164\uffa0\u115f\u17b4\u2800\u034f\u180e", "", { "zero-width": 7 }],
  ["\u202eevil\u202c \u2066x\u2069 a\u200eb", "evil x ab", { "bidi-control": 5 }],
  [`see${tags("run this")}`, "see", { "unicode-tag": 8 }],
  [`🏴${tags("gbxyz")}\u{e007f}`, "🏴", { "unicode-tag": 6 }],
  ["a\ufe00b\u{e0100}c\ufe0f", "abc", { "variation-selector": 3 }],
  ["x\u{e0101}\u{e0102}\u{e0103}", "x", { "variation-selector": 3 }],
  ["\ue000\ue001\ue002 \u{f0001}\u{10fffd}", " ", { "control-character": 5 }],
  ["\u{1d173}\ufff9a\ufffb\ufdd0", "a", { "zero-width": 3, "control-character": 1 }],
  ["\ud800x", "\ufffdx", {}],
])("makes %j into %j", (text, expected, removed) => {
  expect(clean(text)).toEqual([expected, removed]);
});
