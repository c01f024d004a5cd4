import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeCharset, isKnownCharset } from "#/src/formats/mime/charset.ts";
import { parseDateTime } from "#/src/formats/mime/dates.ts";
import { decodeWords } from "#/src/formats/mime/encoded-words.ts";
import { headerValues, readHeaderFields } from "#/src/formats/mime/header.ts";
import { parseMessageIds } from "#/src/formats/mime/message-ids.ts";
import { parseParameterized } from "#/src/formats/mime/parameters.ts";
import { conversationSubject, parseSubject } from "#/src/formats/mime/subject.ts";
import { decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";

describe("header fields", () => {
  test("a field has its lower-case name, unfolded value and whole range", () => {
    const text =
      "From x\r\nSubject : one\r\n\ttwo\r\nno colon here\r\n more: of it\r\nTO:a\r\n\r\nBody: x\r\n";
    const fields = readHeaderFields(Buffer.from(text));
    expect(fields.map(({ name, value }) => [name, value])).toEqual([
      ["subject", "one\ttwo"],
      ["to", "a"],
    ]);
    expect(fields.map(({ start, end }) => text.slice(start, end))).toEqual([
      "Subject : one\r\n\ttwo\r\n",
      "TO:a\r\n",
    ]);
  });

  test("only fields with a prefix are read on request", () => {
    const fields = readHeaderFields(
      Buffer.from("Subject: x\r\nContent-Type: a/b\r\nContent-ID: <c>\r\n"),
      "content-",
    );
    expect(fields.map(({ name }) => name)).toEqual(["content-type", "content-id"]);
  });

  test("text behind the first empty line changes no field", () => {
    const unit = fc.constantFrom("\r", "\n", "\r\n", "\r\n\r\n", ":", "A: b", " ", "x");
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const header = text.slice(0, /(?<=^|\n)\r?\n/.exec(text)?.index ?? text.length);
        expect(readHeaderFields(Buffer.from(text))).toEqual(readHeaderFields(Buffer.from(header)));
      }),
      { numRuns: 2000 },
    );
  });

  test.each(["\rSubject: x", " Subject: x", "Sub\rject: x", "Subject\r: x", ": x", "Sub ject: x"])(
    "%j is no field of that name",
    (line) => {
      const fields = readHeaderFields(Buffer.from(`${line}\r\nTo: y\r\n`, "latin1"));
      expect(fields.map(({ name }) => name)).toEqual(["to"]);
    },
  );

  test("the last octet of a value is not removed as white space", () => {
    const fields = readHeaderFields(Buffer.from("Subject: voil\u00e0 \r\n", "utf8"));
    expect(headerValues(fields, "subject").map(decodeWords)).toEqual(["voil\u00e0"]);
  });
});

test.each<[octets: string, text: string]>([
  ["plain text", "plain text"],
  ["=?utf-8?Q?a_b=C3=A4?=", "a bä"],
  ["=?UTF-8?b?w6Q=?=", "ä"],
  ["=?iso-8859-1?q?=E4?=\t =?iso-8859-1?q?b?= c", "äb c"],
  ["a =?utf-8?q?b?= c", "a b c"],
  ["=?utf-8?q?=C3?= =?utf-8?b?pA==?=", "ä"],
  ["=?utf-8?b?w6Q=?==?utf-8?b?w6Q=?=", "ää"],
  ["=?iso-2022-jp?b?GyRCRnxLXBsoQg==?=", "日本"],
  ["=?iso-2022-jp?b?GyRCRnxLXBsoQg==?= =?iso-2022-jp?b?GyRCRnxLXBsoQg==?=", "日本日本"],
  ["=?utf-8*de?q?a?=", "a"],
  ["=?utf-8?q?a b?=", "a b"],
  ["=?utf-8?x?a?=", "=?utf-8?x?a?="],
  ["=?utf-8?q?a", "=?utf-8?q?a"],
  ["=?utf-8?q? =?utf-8?q?a?=", "=?utf-8?q? a"],
  ["=??q?a?=", "=??q?a?="],
  ["=?__proto__?q?a=E4?=", "aä"],
  ["=?utf-8?q?a=0D=0ABcc:_x?=", "a  Bcc: x"],
  ["\xc3\xa4 =?utf-8?q?=C3=A4?=", "ä ä"],
  ["caf\xe9", "café"],
])("decodes the words of %j", (octets, text) => {
  expect(decodeWords(octets)).toBe(text);
});

test.each<[octets: string, value: string, parameters: Record<string, string>]>([
  ["text/plain; charset=utf-8; Format=Flowed", "text/plain", { charset: "utf-8", format: "Flowed" }],
  ['text/plain; charset="utf-8" ; name="a\\"b;c"', "text/plain", { charset: "utf-8", name: 'a"b;c' }],
  ["text/plain; charset=us-ascii (Plain text)", "text/plain", { charset: "us-ascii" }],
  ["a/b; name=some file (1).pdf; x=y", "a/b", { name: "some file (1).pdf", x: "y" }],
  ["a/b;; ;name = x ;y", "a/b", { name: "x" }],
  ["a/b; name=first; name=second", "a/b", { name: "first" }],
  ["a/b; name*=utf-8'de'%C3%A4%20b", "a/b", { name: "ä b" }],
  ["a/b; name=plain; name*=iso-8859-1''%E4", "a/b", { name: "ä" }],
  ["a/b; name*1=b; name*0=a; name*2=c", "a/b", { name: "abc" }],
  ["a/b; name*0*=utf-8''%C3; name*1*=%A4; name*2=\" %C3\"", "a/b", { name: "ä %C3" }],
  ["a/b; name*0=a; name*2=c", "a/b", { name: "a" }],
  ['a/b; name="=?utf-8?q?=C3=A4?="', "a/b", { name: "ä" }],
  ['a/b; name="=?utf-8?b?w6Q=?= =?utf-8?b?w6Q=?="', "a/b", { name: "ää" }],
  ['a/b; name="\xc3\xa4"', "a/b", { name: "ä" }],
  ["a/b; name*=utf-8''a%0D%0Ab", "a/b", { name: "a  b" }],
  ["a/b; __proto__=x; constructor=y", "a/b", { ["__proto__"]: "x", constructor: "y" }],
  ['a/b; name="unclosed', "a/b", { name: "unclosed" }],
])("reads the parameters of %j", (octets, value, parameters) => {
  const read = parseParameterized(octets);
  expect(read.value).toBe(value);
  expect(Object.entries(read.parameters).sort()).toEqual(Object.entries(parameters).sort());
});

test.each<[octets: string, iso: string | undefined, offsetMinutes?: number]>([
  ["Fri, 21 Nov 1997 09:55:06 -0600", "1997-11-21T15:55:06.000Z", -360],
  ["21 Nov 1997 09:55 +0000", "1997-11-21T09:55:00.000Z", 0],
  ["Fri, 21 Nov 1997 09(comment):   55  :  06 -0600", "1997-11-21T15:55:06.000Z", -360],
  ["21 Nov 97 09:55:06 GMT", "1997-11-21T09:55:06.000Z", 0],
  ["21 Nov 20 09:55:06 EST", "2020-11-21T14:55:06.000Z", -300],
  ["21 Nov 103 09:55:06 Z", "2003-11-21T09:55:06.000Z", 0],
  ["Tue, 1 Jul 2003 10:52:37 +0200 (CEST)", "2003-07-01T08:52:37.000Z", 120],
  ["Thu Jan  1 10:00:00 2024", "2024-01-01T10:00:00.000Z", 0],
  ["Thu, 1-Jan-94 10:00:00 PST", "1994-01-01T18:00:00.000Z", -480],
  ["2024-02-03T04:05:06+01:00", "2024-02-03T03:05:06.000Z", 60],
  ["Mon, 1 January 2024 10:00:60 +0000", "2024-01-01T10:01:00.000Z", 0],
  ["Sat, 31 Dec 2016 23:59:60 +0000", "2017-01-01T00:00:00.000Z", 0],
  ["1 Jan 2024", "2024-01-01T00:00:00.000Z", 0],
  ["32 Jan 2024 10:00:00 +0000", undefined],
  ["1 Foo 2024 10:00:00 +0000", undefined],
  ["yesterday", undefined],
  ["", undefined],
])("reads the date %j", (octets, iso, offsetMinutes) => {
  const read = parseDateTime(octets);
  expect(read && new Date(read.timeMs).toISOString()).toBe(iso);
  expect(read?.offsetMinutes).toBe(offsetMinutes);
});

test.each<[octets: string, ids: string[]]>([
  ["<a@x>", ["a@x"]],
  ["<a@x>\t<b@y> <c@z>", ["a@x", "b@y", "c@z"]],
  ["Your message of today <a@x> (mine)", ["a@x"]],
  ["<a@\t x>", ["a@x"]],
  ["<<a@x>>", ["a@x"]],
  ["<a@x> <unclosed", ["a@x"]],
  ["a@x, b@y", ["a@x", "b@y"]],
  ["nothing", []],
  ["<>", []],
])("reads the message ids of %j", (octets, ids) => {
  expect(parseMessageIds(octets)).toEqual(ids);
});

test.each<[subject: string, base: string, isReply: boolean]>([
  ["Hello", "Hello", false],
  ["Re: Hello", "Hello", true],
  ["RE : Fwd:  FW: Hello (fwd) (FWD)", "Hello", true],
  ["Re[2]: Hello", "Hello", true],
  ["[list] Hello", "Hello", false],
  ["[list] Re: [list] Hello", "Hello", true],
  ["[one] [two]", "[two]", false],
  ["[fwd: Hello]", "Hello", true],
  ["Re: [fwd: [list] Hello (fwd)]", "Hello", true],
  ["Re:", "", true],
  ["Reading: Hello", "Reading: Hello", false],
  ["a  \t b", "a b", false],
  ["", "", false],
])("finds the base of the subject %j (RFC 5256 section 2.1)", (subject, base, isReply) => {
  expect(parseSubject(subject)).toEqual({ base, isReply });
});

test.each([
  ["Hello", "Hello"],
  ["AW: WG: Re: AW: Hello", "Hello"],
  ["Antw: [list] SV: Hello", "Hello"],
  ["Réunion: Hello", "Réunion: Hello"],
  ["RE : TR : Hello", "Hello"],
  ["R: I: Hello", "Hello"],
  ["AW[2]: Hello", "Hello"],
  ["Vá: İLT: Hello", "Hello"],
  ["回复：Re：转发: Hello", "Hello"],
  ["Απ: Отв: Hello", "Hello"],
  ["Awkward: Hello", "Awkward: Hello"],
  ["AW", "AW"],
  ["AW:", ""],
])("finds what the conversation of %j is about", (subject, common) => {
  expect(conversationSubject(subject)).toBe(common);
});

test("ends on a subject of leaders alone", () => {
  expect(conversationSubject("AW: ".repeat(60_000)).startsWith("AW: AW:")).toBe(true);
});

test.each<[encoding: string, encoded: string, decoded: string]>([
  ["base64", "SGVsbG8=", "Hello"],
  ["BASE64 ", "SGVs\r\nbG8=\r\n", "Hello"],
  ["base64", "SGVsbG8", "Hello"],
  ["base64", "SGVs*bG8=", "Hello"],
  ["base64", "SGVsbG8=\r\nSGVsbG8=", "HelloHello"],
  ["base64", "SA==SGk=\r\n", "HHi"],
  ["quoted-printable", "a=3Db=\r\nc =20 \t\r\nd", "a=bc  \r\nd"],
  ["quoted-printable", "a=\nb= \t\r\nc", "abc"],
  ["quoted-printable", "a=ZZ=4", "a=ZZ=4"],
  ["quoted-printable", "a=c3=A4", "a\xc3\xa4"],
  ["x-uuencode", "begin 644 f\n%2&5L;&\\\n`\nend\n", "Hello"],
  ["7bit", "a=3D", "a=3D"],
  ["unknown", "a=3D", "a=3D"],
])("decodes %s %j", (encoding, encoded, decoded) => {
  expect(decodeTransfer(Buffer.from(encoded, "latin1"), encoding).toString("latin1")).toBe(decoded);
});

test.each<[charset: string, octets: string, text: string]>([
  ["utf-8", "\xc3\xa4", "ä"],
  ["UTF8", "\xc3\xa4", "ä"],
  ["us-ascii", "\xc3\xa4", "ä"],
  ["us-ascii", "\xe4", "ä"],
  ["iso-8859-1", "\xe4", "ä"],
  ["ISO_8859-1:1987", "\xe4", "ä"],
  ["iso-8859-15", "\xa4", "€"],
  ["windows-1251", "\xe4", "д"],
  ["koi8-r", "\xc4", "д"],
  ["x-sjis", "\x93\xfa", "日"],
  ["cp932", "\x93\xfa", "日"],
  ["cp936", "\xc8\xd5", "日"],
  ["gb2312", "\xc8\xd5", "日"],
  ["GB18030", "\xc8\xd5", "日"],
  ["cp949", "\xc0\xcf", "일"],
  ["ks_c_5601-1987", "\xc0\xcf", "일"],
  ["big5", "\xa4\xe9", "日"],
  ["iso-2022-jp", "\x1b$BF|\x1b(B", "日"],
  ["utf-7", "+AOQ-", "ä"],
  ["cp850", "\x84", "ä"],
  ["IBM437", "\x84", "ä"],
  ["utf-16", "\xfe\xff\0a", "a"],
  ["utf-16be", "\0a", "a"],
  ["utf-32", "\0\0\xfe\xff\0\0\0a", "a"],
  ["viscii", "\xe4", "ả"],
  ["macintosh", "\x8a", "ä"],
  ["__proto__", "\xe4", "ä"],
  ["constructor", "a", "a"],
  ["../../etc/passwd", "a", "a"],
  ["x-user-defined", "\xe4", "ä"],
  ["x".repeat(100_000), "a", "a"],
])("decodes the charset %.30s", (charset, octets, text) => {
  expect(decodeCharset(Buffer.from(octets, "latin1"), charset)).toBe(text);
});

test("knows which charsets it can decode", () => {
  expect(["utf-8", "US-ASCII", "cp850", "x-unheard-of", "toString"].map(isKnownCharset)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
