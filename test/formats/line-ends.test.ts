import { expect, test } from "vitest";
import { bodyOffset, isEightBit, withCrlf } from "#/src/formats/mime/line-ends.ts";

test.each([
  ["a\r\nb\r\n", "a\r\nb\r\n"],
  ["a\nb\n", "a\r\nb\r\n"],
  ["a\rb\r", "a\r\nb\r\n"],
  ["a\r\r\nb", "a\r\n\r\nb\r\n"],
  ["\n\n", "\r\n\r\n"],
  ["a\n\rb", "a\r\n\r\nb\r\n"],
  ["", ""],
])("%j has the line ends %j", (given, expected) => {
  expect(withCrlf(Buffer.from(given)).toString()).toBe(expected);
});

test("bytes with right line ends are not copied", () => {
  const bytes = Buffer.from("a\r\n");
  expect(withCrlf(bytes)).toBe(bytes);
});

test.each([
  ["a: b\r\n\r\nbody", 8],
  ["a: b\r\nno field\r\n\r\nbody", 18],
  ["\r\nbody", 2],
  ["a: b\r\n", 6],
  ["", 0],
])("the body of %j begins at %i", (text, at) => {
  expect(bodyOffset(Buffer.from(text))).toBe(at);
});

test("an octet beyond ASCII is seen", () => {
  expect(isEightBit(Buffer.from("abc"))).toBe(false);
  expect(isEightBit(Buffer.from("abç"))).toBe(true);
});
