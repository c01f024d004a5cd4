import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { formatBody, formatBodyStructure } from "#/src/formats/mime/body-structure.ts";
import {
  findPart,
  type MimePart,
  parseStructure,
  readStructure,
  sectionRange,
  serializeStructure,
  walkParts,
} from "#/src/formats/mime/structure.ts";
import { mimeDepthMax, mimePartsMax } from "#/src/model/limits.ts";

function bytesOf(...lines: string[]): Buffer {
  return Buffer.from(lines.join("\r\n"), "latin1");
}

/** "mixed(plain,alternative(plain,html))". */
function shape(part: MimePart): string {
  if (part.message !== undefined) return `${part.subtype}[${shape(part.message)}]`;
  return part.type === "multipart" ? `${part.subtype}(${part.parts.map(shape).join(",")})` : part.subtype;
}

function sectionText(bytes: Buffer, section: string): string | undefined {
  const range = sectionRange(parseStructure(bytes), section);
  return range && bytes.toString("latin1", range.start, range.end);
}

const nested = bytesOf(
  "From: a@x.example",
  'Content-Type: multipart/mixed; boundary="outer"',
  "",
  "preamble",
  "--outer",
  "",
  "first",
  "--outer",
  "Content-Type: message/rfc822",
  "",
  "Subject: inside",
  "From: b@x.example",
  'Content-Type: multipart/alternative; boundary="inner"',
  "",
  "--inner",
  "Content-Type: text/plain",
  "",
  "two one",
  "--inner",
  "Content-Type: text/html",
  "",
  "<p>two two</p>",
  "--inner--",
  "inner epilogue",
  "--outer",
  "Content-Type: message/rfc822",
  "",
  "Subject: single",
  "",
  "three",
  "body",
  "--outer--",
  "epilogue",
  "",
);

describe("structure", () => {
  test.each<[title: string, lines: string[], shape: string]>([
    ["a message without a header field is text/plain", ["", "body"], "plain"],
    ["empty bytes are text/plain", [""], "plain"],
    ["a header without an end is a message without a body", ["Subject: x"], "plain"],
    ["a Content-Type without a slash is text/plain", ["Content-Type: junk", "", "x"], "plain"],
    [
      "parts stand in order",
      [
        "Content-Type: multipart/mixed; boundary=b",
        "",
        "--b",
        "",
        "1",
        "--b",
        "Content-Type: text/html",
        "",
        "2",
        "--b--",
        "",
      ],
      "mixed(plain,html)",
    ],
    [
      "a multipart without the closing delimiter ends with the bytes",
      ["Content-Type: multipart/mixed; boundary=b", "", "--b", "", "1", "--b", "", "2"],
      "mixed(plain,plain)",
    ],
    [
      "a multipart without a boundary has no parts",
      ["Content-Type: multipart/mixed", "", "--b", "", "1"],
      "mixed()",
    ],
    [
      "a multipart whose boundary never comes has no parts",
      ["Content-Type: multipart/mixed; boundary=b", "", "text"],
      "mixed()",
    ],
    [
      "a multipart that closes at once has no parts",
      ["Content-Type: multipart/mixed; boundary=b", "", "--b--", ""],
      "mixed()",
    ],
    [
      "an inner boundary may begin with the outer one",
      [
        "Content-Type: multipart/mixed; boundary=x",
        "",
        "--x",
        "Content-Type: multipart/alternative; boundary=xx",
        "",
        "--xx",
        "",
        "1",
        "--xx",
        "",
        "2",
        "--xx--",
        "--x",
        "",
        "3",
        "--x--",
      ],
      "mixed(alternative(plain,plain),plain)",
    ],
    [
      "an outer boundary may begin with the inner one",
      [
        "Content-Type: multipart/mixed; boundary=xx",
        "",
        "--xx",
        "Content-Type: multipart/alternative; boundary=x",
        "",
        "--x",
        "",
        "1",
        "--x",
        "",
        "2",
        "--x--",
        "--xx",
        "",
        "3",
        "--xx--",
      ],
      "mixed(alternative(plain,plain),plain)",
    ],
    [
      "an outer delimiter ends an inner multipart that was left open",
      [
        "Content-Type: multipart/mixed; boundary=o",
        "",
        "--o",
        "Content-Type: multipart/mixed; boundary=i",
        "",
        "--i",
        "",
        "1",
        "--o",
        "",
        "2",
        "--o--",
      ],
      "mixed(mixed(plain),plain)",
    ],
    [
      "a nested multipart may use the boundary of the outer one",
      [
        "Content-Type: multipart/mixed; boundary=b",
        "",
        "--b",
        "Content-Type: multipart/mixed; boundary=b",
        "",
        "--b",
        "",
        "1",
        "--b--",
        "--b",
        "",
        "2",
        "--b--",
      ],
      "mixed(mixed(plain),plain)",
    ],
    [
      "a delimiter may have white space behind it",
      ["Content-Type: multipart/mixed; boundary=b", "", "--b \t", "", "1", "--b-- ", ""],
      "mixed(plain)",
    ],
    [
      "a boundary may contain spaces and need quoting",
      ['Content-Type: multipart/mixed; boundary="a b"', "", "--a b", "", "1", "--a b--"],
      "mixed(plain)",
    ],
    [
      "a boundary may have octets beyond ASCII",
      ['Content-Type: multipart/mixed; boundary="\xe9\xe8"', "", "--\xe9\xe8", "", "1", "--\xe9\xe8--"],
      "mixed(plain)",
    ],
    [
      "a boundary may be continued (RFC 2231)",
      ["Content-Type: multipart/mixed; boundary*0=a; boundary*1=b", "", "--ab", "", "1", "--ab--"],
      "mixed(plain)",
    ],
    [
      "two hyphens alone are no delimiter",
      ["Content-Type: multipart/mixed; boundary=b", "", "--b", "", "--", "-- ", "--c", "--b--"],
      "mixed(plain)",
    ],
    [
      "a delimiter ends a header",
      [
        "Content-Type: multipart/mixed; boundary=b",
        "",
        "--b",
        "Content-Type: text/html",
        "--b",
        "",
        "2",
        "--b--",
      ],
      "mixed(html,plain)",
    ],
    [
      "a part of a digest is a message (RFC 2046 section 5.1.5)",
      [
        "Content-Type: multipart/digest; boundary=b",
        "",
        "--b",
        "",
        "Subject: x",
        "",
        "1",
        "--b",
        "Content-Type: text/plain",
        "",
        "2",
        "--b--",
      ],
      "digest(rfc822[plain],plain)",
    ],
    [
      "message/global is looked into",
      ["Content-Type: message/global", "", "Subject: x", "", "1"],
      "global[plain]",
    ],
    [
      "a message in base64 is not looked into",
      ["Content-Type: message/rfc822", "Content-Transfer-Encoding: base64", "", "U3ViamVjdDogeA=="],
      "rfc822",
    ],
    [
      "message/partial is not looked into",
      ["Content-Type: message/partial; id=a; number=1", "", "Subject: x"],
      "partial",
    ],
    [
      "the first of several Content-Type fields counts",
      ["Content-Type: text/html", "Content-Type: text/plain", "", "x"],
      "html",
    ],
    [
      "comments and folding are no part of a type",
      ["Content-Type: (a (b)) text/", "\thtml (c)", "", "x"],
      "html",
    ],
    [
      "an mbox line before the header is passed over",
      ["From a@x Mon Jan  1 10:00:00 2024", "Content-Type: text/html", "", "x"],
      "html",
    ],
  ])("%s", (_, lines, expected) => {
    const crlf = bytesOf(...lines);
    expect(shape(parseStructure(crlf))).toBe(expected);
    expect(shape(parseStructure(Buffer.from(lines.join("\n"), "latin1")))).toBe(expected);
  });

  test("the line end before a delimiter belongs to the delimiter", () => {
    const bytes = bytesOf(
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "",
      "one",
      "",
      "--b",
      "",
      "--b--",
    );
    expect(sectionText(bytes, "1")).toBe("one\r\n");
    expect(sectionText(bytes, "2")).toBe("");
    const top = parseStructure(bytes);
    expect(top.parts.map((part) => part.lines)).toEqual([1, 0]);
  });

  test("a nested message counts all its lines", () => {
    const message = findPart(parseStructure(nested), "2")!;
    expect(message.lines).toBe(13);
    expect(message.message!.lines).toBe(9);
    expect(findPart(parseStructure(nested), "3")!.lines).toBe(3);
  });

  test("parts beyond the limit stay bytes of the last one", () => {
    const flat = bytesOf(
      "Content-Type: multipart/mixed; boundary=b",
      "",
      ...Array.from({ length: 3000 }, () => "--b\r\n\r\nx"),
      "--b--",
      "end",
    );
    const top = parseStructure(flat);
    expect(walkParts(top)).toHaveLength(mimePartsMax);
    const last = top.parts.at(-1)!;
    expect(flat.toString("latin1", last.bodyEnd - 7, last.bodyEnd)).toBe("--b\r\n\r\nx".slice(-7));
    expect(top.bodyEnd).toBe(flat.length);
  });

  test("multiparts and messages beyond the depth stay bytes of their parent", () => {
    const multiparts = Array.from(
      { length: 100 },
      (_, index) => `Content-Type: multipart/mixed; boundary="b${index}."\r\n\r\n--b${index}.\r\n`,
    );
    const messages = Array.from({ length: 100 }, () => "Content-Type: message/rfc822\r\n\r\n");
    for (const lines of [multiparts, messages]) {
      const top = parseStructure(bytesOf(lines.join("")));
      expect(walkParts(top)).toHaveLength(mimeDepthMax + 1);
    }
  });

  test("a stored structure reads back equal", () => {
    const top = parseStructure(nested);
    const text = serializeStructure(top);
    expect(readStructure(text)).toStrictEqual(top);
    expect(text.length).toBeLessThan(900);
  });
});

describe("sections (RFC 9051 section 6.4.5.1)", () => {
  test.each<[section: string, text: string | undefined]>([
    ["1", "first"],
    ["1.MIME", "\r\n"],
    ["1.1", undefined],
    ["1.HEADER", undefined],
    ["1.TEXT", undefined],
    ["2.MIME", "Content-Type: message/rfc822\r\n\r\n"],
    [
      "2.HEADER",
      'Subject: inside\r\nFrom: b@x.example\r\nContent-Type: multipart/alternative; boundary="inner"\r\n\r\n',
    ],
    ["2.1", "two one"],
    ["2.2.MIME", "Content-Type: text/html\r\n\r\n"],
    ["2.2", "<p>two two</p>"],
    ["2.3", undefined],
    ["3", "Subject: single\r\n\r\nthree\r\nbody"],
    ["3.TEXT", "three\r\nbody"],
    ["3.1", "three\r\nbody"],
    ["3.1.MIME", "Subject: single\r\n\r\n"],
    ["3.1.1", undefined],
    ["3.2", undefined],
    ["4", undefined],
    ["0", undefined],
    ["01", undefined],
    ["1.", undefined],
    [".1", undefined],
    ["MIME", undefined],
    ["HEADER.FIELDS", undefined],
    ["HEADER", 'From: a@x.example\r\nContent-Type: multipart/mixed; boundary="outer"\r\n\r\n'],
    ["", nested.toString("latin1")],
  ])("section %s of a multipart with nested messages", (section, text) => {
    expect(sectionText(nested, section)).toBe(text);
    expect(sectionText(nested, section.toLowerCase())).toBe(text);
  });

  test.each<[section: string, text: string | undefined]>([
    ["", "Subject: s\r\n\r\nbody\r\n"],
    ["1", "body\r\n"],
    ["1.MIME", "Subject: s\r\n\r\n"],
    ["TEXT", "body\r\n"],
    ["1.1", undefined],
    ["2", undefined],
    ["1.TEXT", undefined],
  ])("section %s of a message of one part", (section, text) => {
    expect(sectionText(bytesOf("Subject: s", "", "body", ""), section)).toBe(text);
  });

  test("the message of a message that is a message is found", () => {
    const bytes = bytesOf("Content-Type: message/rfc822", "", "Subject: inner", "", "x");
    expect(sectionText(bytes, "1.HEADER")).toBe("Subject: inner\r\n\r\n");
    expect(sectionText(bytes, "1.1")).toBe("x");
  });

  test("every part is found by its own section number", () => {
    const top = parseStructure(nested);
    for (const part of walkParts(top)) {
      const found = findPart(top, part.section);
      expect(found === part || found?.message === part).toBe(true);
    }
    expect(walkParts(top).map((part) => part.section)).toEqual(["", "1", "2", "2", "2.1", "2.2", "3", "3.1"]);
  });
});

describe("BODYSTRUCTURE and BODY (RFC 9051 section 7.5.2)", () => {
  test("a nested message shows its envelope, body and lines", () => {
    const envelope =
      '(NIL "inside" ((NIL NIL "b" "x.example")) ((NIL NIL "b" "x.example")) ((NIL NIL "b" "x.example")) NIL NIL NIL NIL NIL)';
    expect(formatBody(parseStructure(nested))).toBe(
      '(("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 5 0)' +
        `("message" "rfc822" NIL NIL NIL "7bit" 216 ${envelope} ` +
        '(("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 7 0)("text" "html" ("charset" "us-ascii") NIL NIL "7bit" 14 0) "alternative") 13)' +
        '("message" "rfc822" NIL NIL NIL "7bit" 30 (NIL "single" NIL NIL NIL NIL NIL NIL NIL NIL) ' +
        '("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 11 1) 3) "mixed")',
    );
  });

  test.each<[title: string, lines: string[], text: string]>([
    [
      "extension data",
      [
        "Content-Type: application/pdf; name=a.pdf",
        "Content-Transfer-Encoding: BASE64",
        "Content-Disposition: Attachment; filename=a.pdf; size=3",
        "Content-ID: <id@x>",
        'Content-Description: a "paper"',
        "Content-MD5: Q2hlY2s=",
        "Content-Language: en, de-CH",
        "Content-Location: http://x.example/",
        "",
        "QQ==",
      ],
      '("application" "pdf" ("name" "a.pdf") "<id@x>" "a \\"paper\\"" "base64" 4 "Q2hlY2s=" ("attachment" ("filename" "a.pdf" "size" "3")) ("en" "de-CH") "http://x.example/")',
    ],
    [
      "a multipart without parts shows an empty one",
      ["Content-Type: multipart/mixed", "", "x"],
      '(("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 0 0 NIL NIL NIL NIL) "mixed" NIL NIL NIL NIL)',
    ],
    [
      "a message that is not looked into shows an empty envelope and body",
      ["Content-Type: message/rfc822", "Content-Transfer-Encoding: base64", "", "QQ=="],
      '("message" "rfc822" NIL NIL NIL "base64" 4 (NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL) ("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 0 0 NIL NIL NIL NIL) 0 NIL NIL NIL NIL)',
    ],
    [
      "a name beyond ASCII goes as RFC 2231 says",
      ['Content-Type: image/png; name="=?utf-8?q?a=C3=A4_b?="', "", "x"],
      `("image" "png" ("name*" "utf-8''a%C3%A4%20b") NIL NIL "7bit" 1 NIL NIL NIL NIL)`,
    ],
    [
      "octets beyond ASCII in a description go as a literal",
      ["Content-Type: image/png", "Content-Description: \xe4", "", "x"],
      '("image" "png" NIL NIL {1}\r\n\xe4 "7bit" 1 NIL NIL NIL NIL)',
    ],
    [
      "a disposition without parameters has NIL",
      ["Content-Type: image/png", "Content-Disposition: inline", "", "x"],
      '("image" "png" NIL NIL NIL "7bit" 1 NIL ("inline" NIL) NIL NIL)',
    ],
  ])("%s", (_, lines, text) => {
    expect(formatBodyStructure(parseStructure(bytesOf(...lines)))).toBe(text);
  });
});
