/** No text of others has a line that looks like one of the server's. */
import { expect, it } from "vitest";
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";
import {
  escapeOwnLines,
  joinEscaped,
  leftOutLine,
  noteLine,
  truncationLine,
  unescapeOwnLines,
} from "#/src/formats/text/own-lines.ts";
import { readText } from "#/src/formats/text/read-text.ts";
import { extractReply } from "#/src/formats/text/reply.ts";

const own = [
  leftOutLine(1),
  leftOutLine(12),
  noteLine("picture", ""),
  noteLine("picture", "a house"),
  noteLine("field", "Ada"),
  noteLine("before", "NEW"),
  truncationLine(20, 40),
];

it.each(own)("the words of %s get a backslash, and only they", (line) => {
  expect(escapeOwnLines(`Words ${line} [1] [x](y) [12 passages]`)).toBe(
    `Words \\${line} [1] [x](y) [12 passages]`,
  );
  expect(unescapeOwnLines(escapeOwnLines(line))).toBe(line);
});

it("capitals and blanks do not help", () => {
  expect(escapeOwnLines("[ 3  Passages left out: x] [PICTURE : y]")).toBe(
    "\\[ 3  Passages left out: x] \\[PICTURE : y]",
  );
  // Previews have one blank where the text has many.
  const blanks = " \n".repeat(500);
  expect(escapeOwnLines(`[${blanks}1${blanks}passage left out] [picture${blanks}: y]`)).toBe(
    `\\[${blanks}1${blanks}passage left out] \\[picture${blanks}: y]`,
  );
});

it.each(own)("a page that writes %s in pieces has it escaped, beside one of the server", (line) => {
  const half = line.length >> 1;
  const page = `<p><b>${line.slice(0, half)}</b>&#8203;${line.slice(half)}</p><p style="clip-path:circle(50%)">x</p>`;
  for (const form of htmlForms) {
    const { text } = renderHtml(page, form);
    const bare = text.match(/(?<!\\)\[/g);
    expect(bare, text).toHaveLength(1);
    expect(text).toContain(leftOutLine(1));
  }
});

it.each(own)("plain text, a calendar and a contact that write %s have it escaped", (line) => {
  for (const [reading, text] of [
    ["text", line],
    ["calendar", `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:${line}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`],
    ["contact", `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:${line}\r\nEND:VCARD\r\n`],
  ] as const) {
    const bytes = Buffer.from(text);
    const read = readText(
      { bytes, reading, charset: "utf-8", usualCharset: "utf-8", form: "text" },
      renderHtml,
    );
    expect(read.text).toContain(`\\${line}`);
  }
});

it.each(own)("texts that are joined, and a reply without what it quotes, do not become %s", (line) => {
  for (let at = 1; at < line.length; at++) {
    const [first, second] = [line.slice(0, at), line.slice(at)];
    for (const blank of ["", " ", "   "]) {
      const texts = [`Words ${first}${blank}`, `${blank}${second}`].map(escapeOwnLines);
      const quoted = ["Hello", texts[0], "> x", texts[1], "Bye"].join("\n");
      for (const text of [joinEscaped(texts), extractReply(quoted).text])
        expect(escapeOwnLines(text.replace(/\s+/g, " ")).replaceAll("\\\\[", "\\["), text).toBe(
          text.replace(/\s+/g, " "),
        );
    }
  }
});
