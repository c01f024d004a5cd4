import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { formatAddress, parseAddress, parseDomain, splitTag } from "#/src/accounts/address.ts";

describe("the normal form", () => {
  test.each([
    ["a@example.org", "a@example.org"],
    ["Anna.Berg@Example.ORG", "anna.berg@example.org"],
    ['"anna"@example.org', "anna@example.org"],
    ['"Anna Berg"@example.org', '"anna berg"@example.org'],
    ['"a\\"b\\\\c@d"@example.org', '"a\\"b\\\\c@d"@example.org'],
    ["!#$%&'*+-/=?^_`{|}~@example.org", "!#$%&'*+-/=?^_`{|}~@example.org"],
    ["jörg@example.org", "jörg@example.org"],
    ["jo\u0308rg@example.org", "jörg@example.org"],
    ["用户@例え.jp", "用户@xn--r8jz45g.jp"],
    ["a@BÜCHER.example", "a@xn--bcher-kva.example"],
    ["a@localhost", "a@localhost"],
    ["*@example.org", "*@example.org"],
    [`${"a".repeat(64)}@example.org`, `${"a".repeat(64)}@example.org`],
  ])("of %s", (text, normal) => {
    expect(formatAddress(parseAddress(text)!)).toBe(normal);
  });
});

describe("what is no address", () => {
  test.each([
    ["", "empty"],
    ["a", "no domain"],
    ["@example.org", "no local part"],
    ['""@example.org', "an empty quoted string"],
    ["a@", "an empty domain"],
    [".a@example.org", "a dot at the start"],
    ["a.@example.org", "a dot at the end"],
    ["a..b@example.org", "two dots"],
    ["a b@example.org", "a space outside of quotes"],
    ["a@b@example.org", "an at sign outside of quotes"],
    ["a@example.org.", "a final dot"],
    ["a@-a.example", "a label that begins with a hyphen"],
    ["a@ex%61mple.org", "percent-encoding"],
    ["a@exa_mple.org", "an underscore in the domain"],
    ["a@[127.0.0.1]", "an address literal"],
    ["a@127.0.0.1", "an IPv4 address"],
    ["a@0x7f.1", "an IPv4 address in disguise"],
    ["a@example.org\r\nRCPT TO:<b@example.org>", "a line end"],
    ['"a\r\n"@example.org', "a line end in quotes"],
    ["a\u0000@example.org", "a NUL"],
    ["a\u202eb@example.org", "a bidirectional control"],
    ["a\u200bb@example.org", "a zero-width space"],
    ["\ud800@example.org", "a lone surrogate"],
    [`${"a".repeat(65)}@example.org`, "a long local part"],
    [`${"ä".repeat(33)}@example.org`, "a local part of more than 64 octets"],
    [`a@${"a".repeat(64)}.org`, "a long label"],
    [`a@${"a.".repeat(130)}org`, "a long domain"],
  ])("%j: %s", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

test("the normal form of an address in normal form is the same", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.emailAddress(),
        fc.string({ unit: "binary" }).map((s) => `${s}@example.org`),
      ),
      (text) => {
        const once = parseAddress(text);
        if (once !== undefined) expect(parseAddress(formatAddress(once))).toEqual(once);
      },
    ),
  );
});

test("a domain has one normal form, whether its letters are small or capital", () => {
  const label = fc.oneof(
    fc.string({ unit: fc.constantFrom(..."ab09-x.n"), maxLength: 8 }),
    fc.constantFrom("xn--bcher-kva", "xn--", "0x7f", "127", "a".repeat(63), "a".repeat(64)),
  );
  fc.assert(
    fc.property(fc.array(label, { maxLength: 4 }), (labels) => {
      const domain = labels.join(".");
      expect(parseDomain(domain)).toBe(parseDomain(domain.toUpperCase()));
    }),
    { numRuns: 2000 },
  );
});

test("a long text is refused without being read", () => {
  const text = `${'"\\'.repeat(1_000_000)}@example.org`;
  const found = vi.spyOn(String.prototype, "lastIndexOf");
  expect(parseAddress(text)).toBeUndefined();
  expect(found).not.toHaveBeenCalled();
});

test.each([
  ["anna+tag", { name: "anna", tag: "tag" }],
  ["anna+a+b", { name: "anna", tag: "a+b" }],
  ["anna+", { name: "anna", tag: "" }],
  ["+tag", undefined],
  ["anna", undefined],
])("the tag of %s", (localPart, split) => {
  expect(splitTag(localPart)).toEqual(split);
});
