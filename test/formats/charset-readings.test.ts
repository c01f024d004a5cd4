/** Text that programs read differently: by a byte order mark or by the charset of the header, as UTF-7 or as its octets. */
import { expect, it } from "vitest";
import { renderHtml } from "#/src/formats/html/render-html.ts";
import { readText, type TextToRead } from "#/src/formats/text/read-text.ts";

const read = (
  octets: string | Buffer,
  charset: string | undefined,
  reading: TextToRead["reading"] = "text",
  form: TextToRead["form"] = "text",
) =>
  readText(
    {
      bytes: typeof octets === "string" ? Buffer.from(octets, "latin1") : octets,
      ...{ reading, charset, usualCharset: "us-ascii", form },
    },
    renderHtml,
  );

const utf8Mark = "\xef\xbb\xbf";
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le");
const leftOut = "[1 passage left out: it may not be visible to a person]";

it.each([
  ["ASCII behind a mark of UTF-8", `${utf8Mark}Hello\nAda`, "windows-1252", "Hello\nAda"],
  ["ASCII behind a mark, said to be ASCII", `${utf8Mark}Hello\nAda`, "us-ascii", "Hello\nAda"],
  ["UTF-8 behind a mark, said to be ASCII", `${utf8Mark}Gr\xc3\xbc\xc3\x9fe`, "us-ascii", "Grüße"],
  ["UTF-8 behind its mark", `${utf8Mark}Gr\xc3\xbc\xc3\x9fe`, "utf-8", "Grüße"],
  ["UTF-16 behind its mark", utf16("Grüße"), "utf-16", "Grüße"],
  ["UTF-16 behind its mark, by its longer name", utf16("Grüße"), "utf-16le", "Grüße"],
  ["UTF-16 of which only the mark tells", utf16("Grüße"), undefined, "Grüße"],
  ["UTF-7 of ASCII alone", "Hello Ada,\nbye", "utf-7", "Hello Ada,\nbye"],
])("%s is given", (_, octets, charset, text) => {
  const shown = read(octets, charset);
  expect([shown.text, shown.removed.filter(([what]) => what === "doubtful")]).toEqual([text, []]);
});

it.each([
  ["UTF-16 that is said to be UTF-8", utf16("HIDDEN"), "utf-8"],
  ["UTF-16 that is said to be of one octet", utf16("HIDDEN"), "windows-1252"],
  ["UTF-16 that is said to be ASCII", utf16("HIDDEN"), "us-ascii"],
  ["octets behind a mark of UTF-16", "\xff\xfeHIDDEN ", "us-ascii"],
  ["octets behind the other mark of UTF-16", "\xfe\xffHIDDEN ", "iso-8859-1"],
  ["UTF-8 behind a mark that is said to be UTF-16", `${utf8Mark}HIDDEN `, "utf-16le"],
  ["UTF-7 of letters", "+AEgASQBEAEQARQBO-", "utf-7"],
  ["UTF-7 by another name", "x +AEgASQBEAEQARQBO- y", "unicode-1-1-utf-7"],
  ["a line beside letters of UTF-7", "HIDDEN +AOQ-", "utf-7"],
  ["a line that ends in one program only", "a+AAo-\nHIDDEN", "utf-7"],
])("%s is in doubt", (_, octets, charset) => {
  const { text, removed } = read(octets, charset);
  expect(text).not.toContain("HIDDEN");
  expect(text).toContain(leftOut);
  expect(removed).toContainEqual(["doubtful", 1, "element-not-understood"]);
});

it("gives the other lines of a text with UTF-7", () => {
  const { text } = read("Dear Ada,\nGr+APwA3w-e\nfrom Bo", "utf-7");
  expect(text).toBe(`Dear Ada,\nfrom Bo\n${leftOut}`);
});

it.each(["html", "calendar", "contact"] as const)(
  "nothing is given of a part of kind %s that programs read differently",
  (reading) => {
    for (const [octets, charset] of [
      ["+ADw-p style=+ACI-display:none+ACI-+AD4-HIDDEN", "utf-7"],
      ["\xff\xfeHIDDEN ", "utf-8"],
    ] as const) {
      const shown = read(octets, charset, reading);
      expect([shown.text, shown.removed.at(-1)]).toEqual([leftOut, ["doubtful", 1, "whole-document"]]);
    }
  },
);

it("shows a person who decides about it the text by the charset of the header", () => {
  expect(JSON.stringify(read("HIDDEN +AOQ-", "utf-7", "text", "frame").frame)).toContain("HIDDEN ä");
});
