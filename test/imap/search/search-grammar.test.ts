import { describe, expect, test } from "vitest";
import { formatThreads } from "#/protocols/imap/commands/thread.ts";
import { Refusal } from "#/protocols/imap/errors.ts";
import { widenFuzzyKeys } from "#/protocols/imap/search/fuzzy.ts";
import { readSearchKeys } from "#/protocols/imap/search/grammar.ts";
import { readMailboxSources } from "#/protocols/imap/search/mailbox-sources.ts";
import { cutPartial, tryReturnOptions } from "#/protocols/imap/search/options.ts";
import { decodeUtf8, WireReader } from "#/protocols/imap/wire/wire-reader.ts";
import type { ThreadNode } from "#/src/mail/ordering/thread-tree.ts";

function reader(text: string): WireReader {
  return new WireReader({ lines: [text], literals: [] });
}

describe("RETURN options", () => {
  test.each([
    ["RETURN () ", { options: ["ALL"] }],
    ["return (min Count) ", { options: ["MIN", "COUNT"], partial: undefined }],
    ["RETURN (PARTIAL 5:2 SAVE) ", { options: ["PARTIAL", "SAVE"], partial: { first: 2, last: 5 } }],
    ["RETURN (PARTIAL -5:-2) ", { options: ["PARTIAL"], partial: { first: -2, last: -5 } }],
    ["RETURN (UPDATE CONTEXT) ", { options: ["UPDATE", "CONTEXT"], partial: undefined }],
  ])("reads %j", (text, expected) => {
    expect(tryReturnOptions(reader(text))).toEqual(expected);
  });

  test("are undefined where RETURN is absent", () => {
    expect(tryReturnOptions(reader("ALL"))).toBeUndefined();
  });

  test.each([
    "RETURN ",
    "RETURN (NONE) ",
    "RETURN (ALL)",
    "RETURN (PARTIAL) ",
    "RETURN (PARTIAL 1) ",
    "RETURN (PARTIAL 1:*) ",
    "RETURN (PARTIAL 0:1) ",
    "RETURN (PARTIAL -1:2) ",
    "RETURN (PARTIAL 1:-2) ",
    "RETURN (PARTIAL 1:4294967296) ",
    "RETURN (PARTIAL 1:2 ALL) ",
  ])("refuses %j", (text) => {
    expect(() => tryReturnOptions(reader(text))).toThrow(Refusal);
  });

  test.each([
    [{ first: 1, last: 2 }, [5, 6]],
    [{ first: 3, last: 9 }, [7]],
    [{ first: 4, last: 9 }, []],
    [{ first: -1, last: -2 }, [6, 7]],
    [{ first: -3, last: -9 }, [5]],
    [{ first: -4, last: -9 }, []],
  ])("cuts %j out of three", (range, expected) => {
    expect(cutPartial([5, 6, 7], range)).toEqual(expected);
  });
});

describe("FUZZY", () => {
  const widened = (text: string) => widenFuzzyKeys(readSearchKeys(reader(text), { decode: decodeUtf8 }));
  const body = (text: string) => ({ kind: "body", text });

  test.each([
    ['FUZZY BODY "a b"', { kind: "and", keys: [body("a"), body("b")] }],
    ['FUZZY BODY " a  a "', body(" a  a ")],
    ['BODY "a b"', body("a b")],
    ['FUZZY NOT BODY "a b"', { kind: "not", key: { kind: "and", keys: [body("a"), body("b")] } }],
    ['FUZZY (SEEN BODY "a b") BODY "c d"', expect.objectContaining({ kind: "and" })],
    ["FUZZY FUZZY BODY a", body("a")],
  ])("widens the keys of %s", (text, expected) => {
    expect(widened(text)).toEqual(expected);
  });

  test.each(["FUZZY", "FUZZY ", "FUZZYBODY a", `${"FUZZY ".repeat(300)}ALL`])("refuses %j", (text) => {
    expect(() => widened(text)).toThrow(Refusal);
  });
});

describe("mailboxes of a search", () => {
  const read = (text: string) => readMailboxSources(reader(text), { form: "plain", names: "utf7" });

  test.each([
    ["(selected)", [{ kind: "selected" }]],
    ["(Selected-Delayed inboxes)", [{ kind: "selected" }, { kind: "inboxes" }]],
    ["(mailboxes inbox)", [{ kind: "mailboxes", names: ["INBOX"] }]],
    ['(subtree ("a b" &AOQ-) personal)', [{ kind: "subtree", names: ["a b", "ä"] }, { kind: "personal" }]],
    ["(subtree-one x subscribed)", [{ kind: "subtree-one", names: ["x"] }, { kind: "subscribed" }]],
  ])("reads %s", (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test.each([
    "",
    "()",
    "(none)",
    "(mailboxes)",
    "(mailboxes ())",
    "(selected",
    `(mailboxes (${"x ".repeat(200)}x))`,
  ])("refuses %j", (text) => {
    expect(() => read(text)).toThrow(Refusal);
  });
});

test("writes threads as deep as they are", () => {
  let chain: ThreadNode = { uid: 1, children: [] };
  let comb: ThreadNode = { uid: 1, children: [] };
  for (let uid = 2; uid <= 50_000; uid++) {
    chain = { uid, children: [chain] };
    comb = { uid, children: [comb, { uid: 0, children: [] }] };
  }
  const text = (node: ThreadNode) => [...formatThreads([node], (uid) => uid)].join("");
  expect(text(chain)).toMatch(/^\(50000 49999 [\d ]+ 2 1\)$/);
  expect(text(comb)).toMatch(/^\(50000 \(49999 \(49998 .*\(2 \(1\)\(0\)\)\(0\)\)/);
});
