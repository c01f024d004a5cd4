import { describe, expect, test } from "vitest";
import { Refusal } from "#/protocols/imap/errors.ts";
import { readFetchItems } from "#/protocols/imap/fetch/items.ts";
import { matchesListPattern } from "#/protocols/imap/mailboxes/list-pattern.ts";
import {
  decodeMailboxName,
  encodeMailboxName,
  newMailboxName,
} from "#/protocols/imap/mailboxes/mailbox-name.ts";
import { readSearchKeys } from "#/protocols/imap/search/grammar.ts";
import { formatDateTime, readDate, readDateTime } from "#/protocols/imap/wire/dates.ts";
import { FlagWriter, readFlags } from "#/protocols/imap/wire/flags.ts";
import { readSequenceSet, resolveSequenceSet } from "#/protocols/imap/wire/sequence-set.ts";
import { astringText, stringText } from "#/protocols/imap/wire/strings.ts";
import { decodeUtf8, WireReader } from "#/protocols/imap/wire/wire-reader.ts";
import { flagState, seenFlag } from "#/src/model/flags.ts";

function reader(text: string, ...literals: string[]): WireReader {
  return new WireReader({
    lines: text.split("\r\n"),
    literals: literals.map((literal) => Buffer.from(literal, "latin1")),
  });
}

describe("strings", () => {
  test.each([
    ['"a b"', "a b"],
    ['""', ""],
    ['"\\"\\\\"', '"\\'],
    ["atom]", "atom]"],
  ])("reads %s as an astring", (text, expected) => {
    expect(reader(text).astring()).toBe(expected);
  });

  test("reads a literal as an astring and continues behind it", () => {
    const words = reader("{3}\r\n x", "a\r\n");
    expect(words.astring()).toBe("a\r\n");
    words.space();
    expect(words.atom()).toBe("x");
    expect(words.isAtEnd).toBe(true);
  });

  test.each(['"a', '"a\\x"', "(", "", "%", '"a\rb"', "{1}", "{x}\r\n"])(
    "refuses %j as an astring",
    (text) => {
      expect(() => reader(text, "x").astring()).toThrow(Refusal);
    },
  );

  test("refuses NUL in a literal", () => {
    expect(() => reader("{1}\r\n", "\0").astring()).toThrow(Refusal);
  });

  test.each([
    ["0", 0],
    ["4294967295", 4294967295],
  ])("reads the number %s", (text, expected) => {
    expect(reader(text).number()).toBe(expected);
  });

  test.each(["", "4294967296", "99999999999", "-1", "x"])("refuses the number %j", (text) => {
    expect(() => reader(text).number()).toThrow(Refusal);
  });

  test("refuses a MODSEQ of more than 63 bits", () => {
    expect(() => reader("18446744073709551616").number64()).toThrow(Refusal);
    expect(reader("9223372036854775807").number64()).toBe(Number.MAX_SAFE_INTEGER);
  });

  test.each([
    ["plain", '"plain"'],
    ['a"b\\', '"a\\"b\\\\"'],
    ["a\r\nb", "{4}\r\na\r\nb"],
    ["\xe4", "{1}\r\n\xe4"],
    ["", '""'],
  ])("writes %j as one string, whatever characters it has", (text, expected) => {
    expect(stringText(text)).toBe(expected);
  });

  test("writes an astring as an atom only where it can be one", () => {
    expect([astringText("Subject"), astringText("a b"), astringText("")]).toEqual(["Subject", '"a b"', '""']);
  });
});

describe("sequence sets", () => {
  test.each([
    ["1", 10, [[1, 1]]],
    ["1:3,2:5", 10, [[1, 5]]],
    ["5:2", 10, [[2, 5]]],
    ["*", 10, [[10, 10]]],
    ["8:*", 10, [[8, 10]]],
    ["12:*", 10, [[10, 12]]],
    ["*:*", 0, []],
    ["4294967295:1", 3, [[1, 4294967295]]],
  ] as const)("reads %s with %d in use", (text, highest, expected) => {
    const set = readSequenceSet(reader(text));
    expect(set === "saved" ? set : resolveSequenceSet(set, highest)).toEqual(expected);
  });

  test("reads $ as the saved result", () => {
    expect(readSequenceSet(reader("$"))).toBe("saved");
  });

  test.each(["0", "1:2:3", "4294967296", "1,", ",1", "1:", "-1", "$,1", "01", "a"])("refuses %s", (text) => {
    expect(() => readSequenceSet(reader(text))).toThrow(Refusal);
  });
});

describe("mailbox names", () => {
  test.each([
    ["INBOX", "INBOX"],
    ["inBox", "INBOX"],
    ["inbox/x", "INBOX/x"],
    ["inboxes", "inboxes"],
    ["&AOQ-", "ä"],
    ["a&-b", "a&b"],
    ["&-&-&-", "&&&"],
    ["&U,BTFw-", "台北"],
    ["&2D3eAA-", "😀"],
    ["~peter/mail/&U,BTFw-/&ZeVnLIqe-", "~peter/mail/台北/日本語"],
  ])("decodes modified UTF-7 %s", (octets, name) => {
    expect(decodeMailboxName(octets, "utf7")).toBe(name);
  });

  test.each(["&AGE-", "&Jjo", "&", "&2D0-", "&AOQ-&APY-", "&A-", "&AO!-", "&AOR-"])(
    "refuses %s",
    (octets) => {
      expect(() => decodeMailboxName(octets, "utf7")).toThrow(Refusal);
    },
  );

  test.each(["台北", "a&b", "Entwürfe/😀", "x&ä&"])(
    "writes %s so that it reads back in both modes",
    (name) => {
      for (const mode of ["utf7", "utf8"] as const)
        expect(decodeMailboxName(encodeMailboxName(name, mode), mode)).toBe(name);
    },
  );

  test("keeps & as it is in UTF-8 mode and brings names to NFC", () => {
    expect(decodeMailboxName("&AOQ-", "utf8")).toBe("&AOQ-");
    expect(decodeMailboxName(Buffer.from("a\u0308").toString("latin1"), "utf8")).toBe("ä");
    expect(() => decodeMailboxName("\xff", "utf8")).toThrow(Refusal);
  });

  test.each(["", "a//b", "/a", "..", "a/../b", ".", "a\u0001b", "a\\b", "a\u2028b"])(
    "does not create %j",
    (name) => {
      expect(() => newMailboxName(name)).toThrow(Refusal);
    },
  );

  test("drops one trailing delimiter of a new name", () => {
    expect(newMailboxName("a/b/")).toBe("a/b");
  });
});

describe("list patterns", () => {
  test.each([
    ["*", "a/b", true],
    ["%", "a", true],
    ["%", "a/b", false],
    ["a/%", "a/b", true],
    ["a/%", "a", false],
    ["%/%", "a/b", true],
    ["a*b", "a/x/b", true],
    ["a%b", "a/b", false],
    ["a%b", "ab", true],
    ["INBOX", "INBOX", true],
    ["", "", true],
    ["*x", "abc", false],
    ["%*", "a/b/c", true],
    ["*%b", "a/b", true],
    ["a%c*e", "abc/d/e", true],
    ["a%c%e", "abc/d/e", false],
  ])("%s against %s: %s", (pattern, name, expected) => {
    expect(matchesListPattern(pattern, name)).toBe(expected);
  });

  test("matches a pattern of many wildcards against a long name", () => {
    const name = "ab".repeat(250);
    expect(matchesListPattern(`${"*a%b".repeat(100)}x`, name)).toBe(false);
  });
});

describe("dates", () => {
  test.each([
    ["1-Feb-1994", Date.UTC(1994, 1, 1)],
    ['"29-feb-2000"', Date.UTC(2000, 1, 29)],
  ])("reads the day %s", (text, from) => {
    expect(readDate(reader(text))).toEqual({ from, until: from + 86_400_000 });
  });

  test.each(["30-Feb-2000", "1-Foo-2000", "0-Jan-2000", "32-Jan-2000", "1-Jan-00", "Jan-1-2000"])(
    "refuses the day %s",
    (text) => {
      expect(() => readDate(reader(text))).toThrow(Refusal);
    },
  );

  test("reads a date-time with its zone and writes it in UTC", () => {
    const at = readDateTime(reader('" 7-Feb-1994 21:52:25 -0800"'));
    expect(formatDateTime(at)).toBe('" 8-Feb-1994 05:52:25 +0000"');
  });

  test.each([
    '"07-Feb-1994 25:00:00 +0000"',
    '"7-Feb-1994 21:52:25"',
    '"31-Apr-1994 21:52:25 +0000"',
    '""',
    // FETCH would say a year of five digits, and one before the year 0.
    '"31-Dec-9999 23:59:59 -0100"',
    '" 1-Jan-0000 00:00:00 +0100"',
  ])("refuses the date-time %s", (text) => {
    expect(() => readDateTime(reader(text))).toThrow(Refusal);
  });
});

describe("flags", () => {
  test("reads system flags in any case and keywords once", () => {
    expect(readFlags(reader("(\\seen \\DELETED $Label1 $label1)"))).toEqual({
      mask: 9,
      keywords: ["$Label1"],
    });
  });

  test("names of an older import that no keyword can have are not written", () => {
    const flags = new FlagWriter(["$Label1", "two words)\r\n* BYE", "$Label3"]);
    const { mask, overflow } = flagState(seenFlag, [0, 1, 2]);
    expect(flags.write(1, { mask, overflow })).toBe("(\\Seen $Label1 $Label3)");
    for (const text of [flags.all, flags.permanent]) {
      expect(text).toContain(" $Label1 $Label3");
      expect(text).not.toContain("two");
    }
    expect(flags.keywordCount).toBe(3);
  });

  test("reads flags without parentheses", () => {
    expect(readFlags(reader("\\Flagged x"))).toEqual({ mask: 4, keywords: ["x"] });
  });

  test.each(["(\\Recent)", "(\\Foo)", "(a b", "(\xe4)"])("refuses %s", (text) => {
    expect(() => readFlags(reader(text))).toThrow(Refusal);
  });
});

describe("FETCH items", () => {
  test.each([
    ["ALL", ["FLAGS", "INTERNALDATE", "RFC822.SIZE", "ENVELOPE"]],
    ["(FLAGS UID)", ["FLAGS", "UID"]],
    ["BODY[]", ["BODY[]"]],
    ["body.peek[text]<0.100>", ["BODY[TEXT]<0>"]],
    ["BODY[1.2.MIME]", ["BODY[1.2.MIME]"]],
    ['BODY[HEADER.FIELDS (From "x y" DATE)]', ['BODY[HEADER.FIELDS (From "x y" DATE)]']],
    ["BODY[3.HEADER.FIELDS.NOT (a)]", ["BODY[3.HEADER.FIELDS.NOT (a)]"]],
    ["(BINARY.PEEK[1.2]<5.6> BINARY.SIZE[1])", ["BINARY[1.2]<5>", "BINARY.SIZE[1]"]],
    ["RFC822.HEADER", ["RFC822.HEADER"]],
  ])("reads %s", (text, labels) => {
    const items = readFetchItems(reader(text));
    expect(items.map((item) => (item.kind === "row" ? item.name : item.label))).toEqual(labels);
  });

  test.each([
    "BODY[MIME]",
    "BODY[0]",
    "BODY[1.]",
    "BODY[1",
    "BODY[FOO]",
    "BODY[]<1.0>",
    "BODY[]<1>",
    "()",
    "FOO",
    "((FLAGS))",
    "BODY[HEADER.FIELDS ()]",
    "FLAGS[1]",
    "BODY[4294967296]",
  ])("refuses %s", (text) => {
    const words = reader(text);
    expect(() => {
      readFetchItems(words);
      words.end();
    }).toThrow(Refusal);
  });

  test("refuses a section number of a hundred thousand levels", () => {
    expect(() => readFetchItems(reader(`BODY[${"1.".repeat(100_000)}1]`))).toThrow(Refusal);
  });
});

describe("search keys", () => {
  const read = (text: string, ...literals: string[]) =>
    readSearchKeys(reader(text, ...literals), { decode: decodeUtf8 });

  test("joins keys with and", () => {
    expect(read("SEEN 1:*")).toEqual({
      kind: "and",
      keys: [
        { kind: "flags", mask: 1 },
        { kind: "sequence", set: [[1, "star"]] },
      ],
    });
  });

  test("reads OR, NOT and parentheses in any nesting", () => {
    expect(read("OR (FROM a UNSEEN) NOT OR DELETED UID 3")).toEqual({
      kind: "or",
      keys: [
        {
          kind: "and",
          keys: [
            { kind: "header", name: "from", text: "a" },
            { kind: "not", key: { kind: "flags", mask: 1 } },
          ],
        },
        {
          kind: "not",
          key: {
            kind: "or",
            keys: [
              { kind: "flags", mask: 8 },
              { kind: "uid", set: [[3, 3]] },
            ],
          },
        },
      ],
    });
  });

  test("flattens a chain of OR", () => {
    const key = read("OR ANSWERED OR SEEN OR DRAFT FLAGGED");
    expect(key).toMatchObject({ kind: "or", keys: [{ mask: 2 }, { mask: 1 }, { mask: 16 }, { mask: 4 }] });
  });

  test("reads texts as UTF-8", () => {
    expect(read("SUBJECT {2}\r\n", Buffer.from("ä").toString("latin1"))).toEqual({
      kind: "header",
      name: "subject",
      text: "ä",
    });
  });

  test("reads MODSEQ with and without an entry", () => {
    expect(read("MODSEQ 620162338")).toEqual({ kind: "modseq", atLeast: 620162338 });
    expect(read('MODSEQ "/flags/\\\\draft" all 620162338')).toEqual({ kind: "modseq", atLeast: 620162338 });
  });

  test.each(["", "FOO", "OR SEEN", "NOT", "(SEEN", "SEEN)", "()", "BEFORE x", "KEYWORD", "HEADER a"])(
    "refuses %j",
    (text) => {
      expect(() => read(text)).toThrow(Refusal);
    },
  );

  test.each([
    ["parentheses", "(".repeat(50_000)],
    ["operators", "NOT ".repeat(50_000)],
    ["a chain", "OR ALL ".repeat(50_000)],
  ])("refuses a bomb of %s without recursion", (_what, text) => {
    expect(() => read(`${text}ALL`)).toThrow(/nested|Too many/);
  });
});
