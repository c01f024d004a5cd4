import fc from "fast-check";
import { expect, it } from "vitest";
import { lowerBound } from "#/src/model/sorted-numbers.ts";

it("finds the first number of a sorted list that is not below another", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 40 })),
      fc.integer({ min: -1, max: 41 }),
      (list, number) => {
        const sorted = list.toSorted((one, other) => one - other);
        const found = sorted.findIndex((each) => each >= number);
        expect(lowerBound(sorted, number)).toBe(found === -1 ? sorted.length : found);
        expect(lowerBound(Uint32Array.from(sorted), number)).toBe(lowerBound(sorted, number));
      },
    ),
  );
});
