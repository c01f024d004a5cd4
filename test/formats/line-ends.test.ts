import { expect, test } from "vitest";
import { isEightBit, withCrlf } from "#/src/formats/mime/line-ends.ts";

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

test("bytes that are right are not copied", () => {
  const bytes = Buffer.from("a\r\n");
  expect(withCrlf(bytes)).toBe(bytes);
});

test("an octet beyond ASCII is seen", () => {
  expect(isEightBit(Buffer.from("abc"))).toBe(false);
  expect(isEightBit(Buffer.from("abç"))).toBe(true);
});
