/** Marks around words of others: what stays as it was between them. */
import { describe, expect, it } from "vitest";
import { createMarker, markKinds, marksIn, newMark } from "#/src/formats/text/marks.ts";

it("a mark is 64 random bits, new each time", () => {
  const marks = new Set(Array.from({ length: 1000 }, newMark));
  expect(marks.size).toBe(1000);
  for (const mark of marks) expect(mark).toMatch(/^⟦[0-9a-f]{16}⟧$/);
});

it("is found in a text with and without its brackets, in capitals too, and not in longer numbers", () => {
  const mark = newMark();
  const bits = mark.slice(1, -1);
  for (const text of [`a ${mark}b`, `a ${bits} b`, `x${bits.toUpperCase()}y`])
    expect(marksIn(text)).toEqual([mark]);
  expect(marksIn(`a${bits}`.replace("a", "0"))).toEqual([]);
});

it("fence leaves the text as it is, and an empty one empty", () => {
  const { mark, around, blank } = createMarker("fence");
  expect(around("a  b\n\tc\ue000")).toBe(`${mark}a  b\n\tc\ue000${mark}`);
  expect([around(""), blank]).toEqual(["", undefined]);
});

describe("words", () => {
  const marker = createMarker("words");
  const words = (text: string): string =>
    marker.around(text).replaceAll(marker.mark, "").replaceAll(marker.blank!, "·");

  it.each([
    ["runs of blanks", "Hello  there,\u00a0Ada", "Hello·there,·Ada"],
    ["line ends", "one two\n\nthree four", "one·two\n\nthree·four"],
    [
      "code",
      "run `rm -r a b` now\n```\nlet a = 1\n```\nso so",
      "run·`rm -r a b`·now\n```\nlet a = 1\n```\nso·so",
    ],
    ["tables", "| a b | c d |\none cell\tand more", "| a b | c d |\none cell\tand more"],
    [
      "addresses",
      "https://x.example/averylongpathwithoutblanks",
      "https://x.example/averylongpathwithoutblanks",
    ],
    ["an address in Chinese", "见https://x.example/averylongpath 吧", "见https://x.example/averylongpath·吧"],
    ["no blanks", "一二三四五六七八九十甲乙丙丁", "一二三四五六七八九十·甲乙丙丁"],
    ["few blanks", "一二三四五六七八九十甲乙 丙丁", "一二三四五六七八九十·甲乙·丙丁"],
    ["a long word alone", "Congratulations", "Congratula·tions"],
    ["a long word among others", "our congratulations", "our·congratulations"],
  ])("marks %s", (_, text, marked) => {
    expect(words(text)).toBe(marked);
  });

  it("has a character of private use that is new each time, and removes those of the text", () => {
    const blanks = new Set(Array.from({ length: 50 }, () => createMarker("words").blank));
    expect(blanks.size).toBeGreaterThan(40);
    for (const one of blanks) expect(one).toMatch(/^\p{Co}$/u);
    const { around, ...rest } = createMarker("words");
    const one = createMarker("words");
    expect(one.around("a\ue000\u{f0000}b")).toBe(`${one.mark}ab${one.mark}`);
    expect(one.removed).toBe(2);
    expect([around("a"), rest.blank?.length]).toHaveLength(2);
  });
});

it("hostile texts are marked in linear time", () => {
  for (const piece of ["`", "|", "a ", "https://", "一", "⟦", "0123456789abcdef"]) {
    const startedAt = process.cpuUsage().user;
    for (const kind of markKinds) if (kind !== "none") createMarker(kind).around(piece.repeat(200_000));
    marksIn(piece.repeat(200_000));
    expect(process.cpuUsage().user - startedAt, piece).toBeLessThan(5_000_000);
  }
});
