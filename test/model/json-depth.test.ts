import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonDepth } from "#/src/model/json-depth.ts";

const depthOf = (text: string): number => jsonDepth(Buffer.from(text));

it.each([
  ["", 0],
  ["1", 0],
  ["[]", 1],
  ['{"a":[{}]}', 3],
  ["[[],[[]]]", 3],
  ['"[[["', 0],
  ['["\\"[[[", "]"]', 1],
  ['["\\\\", [1]]', 2],
  ['["\\\\\\"[", [[]]]', 3],
  ['["never closed [[[', 1],
  ['"', 0],
  ['"\\', 0],
])("of %j is %d", (text, depth) => {
  expect(depthOf(text)).toBe(depth);
});

it("is that of the value, whatever its strings contain", () => {
  const height = (value: unknown): number =>
    typeof value !== "object" || value === null
      ? 0
      : 1 + Object.values(value).reduce<number>((highest, one) => Math.max(highest, height(one)), 0);
  const text = fc.string({ unit: fc.constantFrom('"', "\\", "[", "}", "a", "é", "\n") });
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      text,
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(text, tie("any"), { maxKeys: 3 }),
    ),
  })).any;
  fc.assert(
    fc.property(value, (one) => {
      expect(depthOf(JSON.stringify(one))).toBe(height(one));
    }),
  );
});
