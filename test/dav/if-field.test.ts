import { expect, test } from "vitest";
import { DavError } from "#/protocols/dav/dav-error.ts";
import { parseIf, submittedTokens } from "#/protocols/dav/locks/if-field.ts";

test("lists without and with a resource are read", () => {
  expect(parseIf('(<urn:uuid:1> ["a"]) (Not <DAV:no-lock>)')).toEqual([
    {
      href: undefined,
      conditions: [
        { isNegated: false, token: "urn:uuid:1" },
        { isNegated: false, etag: '"a"' },
      ],
    },
    { href: undefined, conditions: [{ isNegated: true, token: "DAV:no-lock" }] },
  ]);
  expect(parseIf('</a> (<t:1>)(["b"])\t<http://x/b> (Not ["c"])').map(({ href }) => href)).toEqual([
    "/a",
    "/a",
    "http://x/b",
  ]);
});

test("every lock token in the header counts as submitted, also after Not", () => {
  expect([...submittedTokens(parseIf("(Not <t:1>) (<t:2>)"))]).toEqual(["t:1", "t:2"]);
});

test.each([
  "",
  "()",
  "(",
  "<a>",
  "(<t:1>",
  "(Not)",
  "(Not Not <t:1>)",
  "(<t:1>) <a> (<t:2>)",
  "(t:1)",
  "(<t:1>) x",
  `(${"<t:1>".repeat(3000)})`,
])("%s is answered 400", (field) => {
  expect(() => parseIf(field)).toThrow(DavError);
});
