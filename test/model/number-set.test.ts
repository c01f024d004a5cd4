import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countNumbers,
  formatNumberSet,
  hasNumber,
  intersectNumberSets,
  numberSetOf,
  numberSetOfRanges,
  numbersIn,
  parseNumberSet,
  subtractNumberSets,
  uniteNumberSets,
} from "#/src/model/number-set.ts";

describe("number sets", () => {
  it.each([
    [[], ""],
    [[4], "4"],
    [[7, 9, 8, 4], "4,7:9"],
    [[1, 1, 2], "1:2"],
  ])("writes %j as %j", (numbers, text) => {
    expect(formatNumberSet(numberSetOf(numbers))).toBe(text);
    expect([...numbersIn(parseNumberSet(text))]).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });

  it("joins ranges that overlap, touch or are reversed", () => {
    expect(numberSetOfRanges([[9, 7], [1, 3], [4, 5], [2, 2]])).toEqual([[1, 5], [7, 9]]); // biome-ignore format: pairs
  });

  it("agrees with a set of numbers", () => {
    const lists = fc.array(fc.integer({ min: 1, max: 60 }));
    fc.assert(
      fc.property(lists, lists, (a, b) => {
        const set = uniteNumberSets(numberSetOf(a), numberSetOf(b));
        const model = new Set([...a, ...b]);
        expect([...numbersIn(set)]).toEqual([...model].sort((x, y) => x - y));
        expect(countNumbers(set)).toBe(model.size);
        for (let number = 1; number <= 61; number++) expect(hasNumber(set, number)).toBe(model.has(number));
        const common = numberSetOf(a.filter((number) => b.includes(number)));
        expect(intersectNumberSets(numberSetOf(a), numberSetOf(b))).toEqual(common);
        const left = numberSetOf(a.filter((number) => !b.includes(number)));
        expect(subtractNumberSets(numberSetOf(a), numberSetOf(b))).toEqual(left);
      }),
    );
  });
});
