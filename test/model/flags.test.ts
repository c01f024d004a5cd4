import fc from "fast-check";
import { expect, it } from "vitest";
import { flagState, keywordNumbers, systemFlagNamed } from "#/src/model/flags.ts";

it("keeps any keywords, inside the mask and beyond it", () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 90 }));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 31 }), numbers, (system, keywords) => {
      const state = flagState(system, keywords);
      expect(keywordNumbers(state)).toEqual([...keywords].sort((a, b) => a - b));
      expect(state.mask & 31).toBe(system);
      expect(state.mask).toBeGreaterThanOrEqual(0);
    }),
  );
});

it("knows system flags in any case, and \\Recent as none of them", () => {
  expect(systemFlagNamed("\\sEEN")).toBe("\\Seen");
  expect(systemFlagNamed("\\Recent")).toBeUndefined();
});
