import { expect, test } from "vitest";
import { astringText } from "#/protocols/imap/wire/strings.ts";

test.each([
  ["Subject", "Subject"],
  ["a/b", "a/b"],
  ["", '""'],
  ["a b", '"a b"'],
  ["a]b", '"a]b"'],
  ['a"b\\', '"a\\"b\\\\"'],
  ["a\r\nb", "{4}\r\na\r\nb"],
  ["\xe9", "{1}\r\n\xe9"],
])("writes %j as the astring %j", (octets, written) => {
  expect(astringText(octets)).toBe(written);
});
