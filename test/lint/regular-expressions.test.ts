/** The check of `npm run lint` finds what a text can slow down, in all the forms that an expression is written in. */
import { expect, test } from "vitest";
import { expressionsOf, faultOf } from "./regular-expressions.ts";

const slow = [
  String.raw`const blanks = /\s+$/;`,
  'const word = "a+"; const isWords = (text: string) => new RegExp("(?:" + word + ")+$", "i").test(text);',
  'const ends = ["x", "y*"] as const; const end = RegExp(ends.map((one) => "a" + one + "y*b").join("|"));',
];

test.each(slow)("a text can slow down %s", (source) => {
  const found = expressionsOf("a.ts", source);
  expect(found.map(faultOf)).toEqual([expect.stringMatching(/^a\.ts:1: .*(polynomial|exponential)/)]);
});

test("one that is made of a parameter is refused", () => {
  const source = "export const has = (name: string) => new RegExp(name);";
  expect(() => expressionsOf("a.ts", source)).toThrow("a.ts:1: a regular expression is a literal");
});

test("one that reads a text once is let through", () => {
  expect(expressionsOf("a.ts", String.raw`const name = /^[a-z]+:\s*(\S*)/;`).map(faultOf)).toEqual([
    undefined,
  ]);
});
