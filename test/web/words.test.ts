import { expect, test } from "vitest";
import { createFormat } from "#/protocols/web/format.ts";
import { english } from "#/protocols/web/words/english.ts";
import { german } from "#/protocols/web/words/german.ts";

const format = createFormat("de", 0);
const dayMs = 24 * 3_600_000;

test("a sentence that ends with a length has one full stop, and the length its case", () => {
  const lengths = [60_000, 2 * 3_600_000, dayMs, 3 * dayMs].map((ms) => format.length(ms));
  expect(lengths.map((one) => german.list.oldest(one))).toEqual([
    " Die älteste wartet seit 1 Min.",
    " Die älteste wartet seit 2 Std.",
    " Die älteste wartet seit 1 Tag.",
    " Die älteste wartet seit 3 Tagen.",
  ]);
  expect(german.list.expiresSoon(format.length(3 * dayMs))).toBe("Eine Mail läuft in 3 Tagen ab.");
  expect(german.list.expiresIn(format.length(3 * dayMs))).toBe("läuft in 3 Tagen ab");
});

test("places and headings of one page have names of their own", () => {
  for (const words of [english, german]) {
    const names = [
      words.approvals,
      words.mine.title,
      words.mine.shares,
      words.mine.programs,
      words.mine.notices,
    ];
    expect(new Set(names).size).toBe(names.length);
  }
});
