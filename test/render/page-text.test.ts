import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { countCharacters, firstCharacters, pageText, startAt, startBefore } from "#/src/render/page-text.ts";

const line = /\n\[truncated: (\d+) of (\d+) characters; continue with cursor\]$/;

function pages(text: string, charactersMax: number): string[] {
  const found: string[] = [];
  let from: number | undefined = 0;
  while (from !== undefined) {
    const page = pageText(text, from, charactersMax);
    expect([...page.text].length).toBeLessThanOrEqual(charactersMax);
    found.push(page.text.replace(line, ""));
    from = page.next;
  }
  return found;
}

const graphemes = fc.constantFrom(
  "a",
  " ",
  "é",
  "e\u0301",
  "👩‍👩‍👧‍👦",
  "🇩🇪",
  "한",
  "\r\n",
  "\n",
  "界",
  "𝒳",
  "नि",
  "👍🏽",
);
const anyText = fc.array(graphemes, { maxLength: 3000 }).map((parts) => parts.join(""));

describe("a page of text", () => {
  it("is the whole text when that is inside the budget", () => {
    expect(pageText("a".repeat(200), 0, 200)).toEqual({
      text: "a".repeat(200),
      next: undefined,
      total: 200,
      start: 0,
      end: 200,
    });
    expect(pageText("", 0, 200).text).toBe("");
    expect(pageText("𝒳".repeat(200), 0, 200).next).toBeUndefined();
  });

  it("ends with a line that says how many characters of how many are shown", () => {
    const { text, next } = pageText("a".repeat(1000), 0, 200);
    expect(text).toBe(`${"a".repeat(next!)}\n[truncated: ${next} of 1000 characters; continue with cursor]`);
    expect(text.length).toBeLessThanOrEqual(200);
    expect(text.length).toBeGreaterThan(195);
  });

  it("joins to the same text, cut between graphemes, for any text", () => {
    const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });
    fc.assert(
      fc.property(anyText, fc.integer({ min: 200, max: 400 }), (text, charactersMax) => {
        const found = pages(text, charactersMax);
        expect(found.join("")).toBe(text);
        const boundaries = new Set([...segmenter.segment(text)].map((one) => one.index));
        let at = 0;
        for (const page of found.slice(0, -1)) {
          at += page.length;
          expect(boundaries.has(at)).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("begins with no bracket whose backslash another page has", () => {
    const line = "\\[1 passage left out: x] \\\\[ \\⟦0123456789abcdef⟧";
    for (let before = 0; before < 200; before++) {
      const text = `${"a".repeat(before)}${line}`.repeat(5);
      const found = pages(text, 200);
      expect(found.join("")).toBe(text);
      expect(found.filter((page) => /^[[⟦]/.test(page))).toEqual([]);
      for (let at = 0; at < 60; at++)
        for (const start of [startAt(text, at), startBefore(text, text.length - at, 200)])
          expect(start > 0 && /^\\[[⟦]/.test(text.slice(start - 1))).toBe(false);
    }
  });

  it.each([
    ["flags only", "🇩🇪".repeat(3000)],
    ["one grapheme without end", `e${"\u0301".repeat(10_000)}`],
    ["joined emoji without end", `👩${"\u200d👩".repeat(5000)}`],
    ["lone halves of pairs", "\ud800".repeat(3000)],
  ])("goes on and ends for %s", (_, text) => {
    expect(pages(text, 203).join("")).toBe(text);
  });

  it("segments only a short piece of a text of millions of characters", () => {
    const text = "ö👩‍👩‍👧‍👦".repeat(250_000);
    const segment = vi.spyOn(Intl.Segmenter.prototype, "segment");
    const page = pageText(text, 1_800_000, 20_000);
    const pieces = segment.mock.calls.map(([piece]) => piece.length);
    segment.mockRestore();
    expect(pieces.length).toBe(1);
    expect(pieces[0]).toBeLessThanOrEqual(2000);
    expect(page.total).toBe(countCharacters(text, 0, text.length));
  });

  it("begins with whole graphemes", () => {
    expect(firstCharacters("abc", 2)).toBe("ab");
    expect(firstCharacters("a👩‍👩‍👧‍👦b", 3)).toBe("a");
    expect(firstCharacters("𝒳𝒳", 2)).toBe("𝒳𝒳");
  });
});
