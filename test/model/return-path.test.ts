import { expect, test } from "vitest";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { createReturnPaths } from "#/src/model/return-path.ts";

const paths = createReturnPaths(Buffer.alloc(32, 7));
const name = { agent: 12 as AgentNumber, submission: 345 };

function tagOf(address: string): string {
  return address.slice(address.indexOf("+") + 1, address.lastIndexOf("@"));
}

test("a sealed return path leads back to its submission", () => {
  const sealed = paths.seal("ada@example.org", name);
  expect(sealed).toMatch(/^ada\+b-[0-9a-z]{26}@example\.org$/);
  expect(paths.openTag(tagOf(sealed))).toEqual(name);
});

test("a tag in other case is read as the same", () => {
  expect(paths.openTag(tagOf(paths.seal("ada@example.org", name)).toUpperCase())).toEqual(name);
});

test("a tag of the sender stays before the token", () => {
  const sealed = paths.seal("ada+list@example.org", name);
  expect(sealed).toMatch(/^ada\+list\+b-/);
  expect(paths.openTag(tagOf(sealed))).toEqual(name);
});

test.each([
  ["the null reverse path", ""],
  ["a quoted local part", '"a b"@example.org'],
  ["a local part without room for it", `${"a".repeat(36)}@example.org`],
])("%s stays as it is", (_, address) => {
  expect(paths.seal(address, name)).toBe(address);
});

test("a forged, changed or foreign token is refused", () => {
  const tag = tagOf(paths.seal("ada@example.org", name));
  const other = createReturnPaths(Buffer.alloc(32, 8));
  expect(paths.openTag("b-00000000000000000000000000")).toBeUndefined();
  expect(paths.openTag(`${tag.slice(0, 8)}${tag[8] === "0" ? "1" : "0"}${tag.slice(9)}`)).toBeUndefined();
  expect(other.openTag(tag)).toBeUndefined();
  expect(paths.openTag(tag.slice(0, -1))).toBeUndefined();
  expect(paths.openTag("list")).toBeUndefined();
  expect(paths.openTag(`x${tag}`)).toBeUndefined();
});
