import { expect, test } from "vitest";
import { makeTextMatch, matchesTextOf, valuePart } from "#/protocols/dav/filters/text-match.ts";
import { makeProperty } from "#/src/formats/content-lines/content-line.ts";

test("a text is folded once for all conditions", () => {
  const property = makeProperty("SUMMARY", "Grüße");
  let readCount = 0;
  const read = () => {
    readCount++;
    return [property.value];
  };
  const asked = (text: string, collation: "i;ascii-casemap" | "i;unicode-casemap", isNegated = false) =>
    matchesTextOf(makeTextMatch(text, collation, "contains", isNegated), property, valuePart, read);
  for (let at = 0; at < 20; at++) {
    expect(asked("GR", "i;ascii-casemap")).toBe(true);
    expect(asked("gr", "i;ascii-casemap", true)).toBe(false);
    expect(asked("GRÜSSE", "i;ascii-casemap")).toBe(false);
    expect(asked("GRÜ", "i;unicode-casemap")).toBe(true);
  }
  expect(readCount).toBe(2);
  expect(matchesTextOf(makeTextMatch("x", "i;ascii-casemap"), property, "X-A", () => ["y", "X"])).toBe(true);
});
