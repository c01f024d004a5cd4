import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import { isGroup, listMailAddresses, parseAddressList } from "#/src/formats/mime/addresses.ts";
import { formatEnvelope } from "#/src/formats/mime/envelope.ts";
import { addressesMax } from "#/src/model/limits.ts";

function envelope(...lines: string[]): string {
  return formatEnvelope(Buffer.from([...lines, "", "body"].join("\r\n"), "latin1"));
}

test("ENVELOPE has its ten fields in order", () => {
  expect(
    envelope(
      "Date: Fri, 21 Nov 1997 09:55:06 -0600",
      'Subject: Hello "you" \\ all',
      "From: Robin Day <robin@x.example>",
      "Sender: s@x.example",
      "Reply-To: r@x.example",
      "To: a@x.example, Bo <b@x.example>",
      "Cc: c@x.example",
      "Bcc: d@x.example",
      "In-Reply-To: <1@x>",
      "Message-ID: <2@x>",
    ),
  ).toBe(
    '("Fri, 21 Nov 1997 09:55:06 -0600" "Hello \\"you\\" \\\\ all" (("Robin Day" NIL "robin" "x.example")) ((NIL NIL "s" "x.example")) ' +
      '((NIL NIL "r" "x.example")) ((NIL NIL "a" "x.example")("Bo" NIL "b" "x.example")) ((NIL NIL "c" "x.example")) ((NIL NIL "d" "x.example")) "<1@x>" "<2@x>")',
  );
});

test("ENVELOPE of no field is all NIL", () => {
  expect(envelope()).toBe("(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)");
});

const from = '((NIL NIL "a" "x"))';

test.each<[title: string, lines: string[], envelope: string]>([
  [
    "an empty Sender and Reply-To are those of From",
    ["From: a@x", "Sender:", "Reply-To: "],
    `(NIL NIL ${from} ${from} ${from} NIL NIL NIL NIL NIL)`,
  ],
  [
    "a field that is there and empty is an empty string",
    ["Subject:", "Message-ID: "],
    '(NIL "" NIL NIL NIL NIL NIL NIL NIL "")',
  ],
  [
    "a folded subject is one line",
    ["Subject: one", "\ttwo", "  three"],
    '(NIL "one\ttwo  three" NIL NIL NIL NIL NIL NIL NIL NIL)',
  ],
  [
    "encoded words stay as they are",
    ["Subject: =?utf-8?q?=C3=A4?="],
    '(NIL "=?utf-8?q?=C3=A4?=" NIL NIL NIL NIL NIL NIL NIL NIL)',
  ],
  [
    "octets beyond ASCII go as a literal",
    ["Subject: \xc3\xa0"],
    "(NIL {2}\r\n\xc3\xa0 NIL NIL NIL NIL NIL NIL NIL NIL)",
  ],
  ["NUL never reaches the wire", ["Subject: a\0b"], "(NIL {3}\r\na\x80b NIL NIL NIL NIL NIL NIL NIL NIL)"],
  [
    "a CR inside a line becomes a space",
    ["Subject: a\rBcc: b@x"],
    '(NIL "a Bcc: b@x" NIL NIL NIL NIL NIL NIL NIL NIL)',
  ],
  [
    "groups begin and end with a NIL host",
    ["To: team: a@x, b@x;, c@x"],
    '(NIL NIL NIL NIL NIL ((NIL NIL "team" NIL)(NIL NIL "a" "x")(NIL NIL "b" "x")(NIL NIL NIL NIL)(NIL NIL "c" "x")) NIL NIL NIL NIL)',
  ],
  [
    "a group that is not closed is closed",
    ["To: team: a@x"],
    '(NIL NIL NIL NIL NIL ((NIL NIL "team" NIL)(NIL NIL "a" "x")(NIL NIL NIL NIL)) NIL NIL NIL NIL)',
  ],
  [
    "an empty group",
    ["To: undisclosed-recipients:;"],
    '(NIL NIL NIL NIL NIL ((NIL NIL "undisclosed-recipients" NIL)(NIL NIL NIL NIL)) NIL NIL NIL NIL)',
  ],
  [
    "several To fields are one list (RFC 5322 section 4.5.3)",
    ["To: g: a@x", "To: b@x"],
    '(NIL NIL NIL NIL NIL ((NIL NIL "g" NIL)(NIL NIL "a" "x")(NIL NIL NIL NIL)(NIL NIL "b" "x")) NIL NIL NIL NIL)',
  ],
  [
    "the first From counts",
    ["From: a@x", "From: b@x"],
    `(NIL NIL ${from} ${from} ${from} NIL NIL NIL NIL NIL)`,
  ],
  [
    "a source route is the at-domain-list",
    ["To: <@h,@i:a@x>"],
    '(NIL NIL NIL NIL NIL ((NIL "@h,@i" "a" "x")) NIL NIL NIL NIL)',
  ],
  [
    "what is missing of an address has a word",
    ["To: root, Jo Day, <>"],
    '(NIL NIL NIL NIL NIL ((NIL NIL "root" "MISSING_DOMAIN")("Jo Day" NIL "MISSING_MAILBOX" "MISSING_DOMAIN")(NIL NIL "MISSING_MAILBOX" "MISSING_DOMAIN")) NIL NIL NIL NIL)',
  ],
])("%s", (_, lines, expected) => {
  expect(envelope(...lines)).toBe(expected);
});

test("a long string is written as a literal", () => {
  const subject = "x".repeat(1001);
  expect(envelope(`Subject: ${subject}`)).toContain(`{1001}\r\n${subject}`);
});

test("20,000 recipients are cut at the bound", () => {
  const text = envelope(`To: ${Array.from({ length: 20_000 }, (_, index) => `u${index}@x`).join(",\r\n ")}`);
  expect(text.match(/NIL NIL "u/g)).toHaveLength(addressesMax);
});

test.each<[octets: string, addresses: string[]]>([
  ["a@x", ["|a@x"]],
  ["<a@x>", ["|a@x"]],
  ["Robin Day <a@x>", ["Robin Day|a@x"]],
  ['"Day, Robin" <a@x>', ["Day, Robin|a@x"]],
  ['"a \\"q\\" b" <a@x>', ['a "q" b|a@x']],
  ["Robin Q. Day <a@x>", ["Robin Q. Day|a@x"]],
  ["a@x (Robin (the) Day)", ["Robin (the) Day|a@x"]],
  ['"john doe"@x', ['|"john doe"@x']],
  ['"john"@x', ["|john@x"]],
  ["a . b @ c . d", ["|a.b@c.d"]],
  ["pete(his account)@silly.test(his host)", ["his host|pete@silly.test"]],
  [
    "A Group(Some people):Chris Jones <c@(host)public.example>, joe@example.org, John <jdoe@one.test> (my friend);",
    ["A Group:Chris Jones|c@public.example", "A Group:|joe@example.org", "A Group:John|jdoe@one.test"],
  ],
  ["a@[192.0.2.1], b@[IPv6:2001:db8::1]", ["|a@[192.0.2.1]", "|b@[IPv6:2001:db8::1]"]],
  [",, a@x ,,b@x,", ["|a@x", "|b@x"]],
  ["=?utf-8?q?=C3=84?= =?utf-8?q?b?= <a@x>", ["Äb|a@x"]],
  ['"=?utf-8?q?=C3=84?=" <a@x>', ["Ä|a@x"]],
  ["J\xc3\xb6 <j\xc3\xb6@\xc3\xa4.example>", ["Jö|jö@ä.example"]],
  ["J\xf6 <a@x>", ["Jö|a@x"]],
  ["a@x b@y", ["a@x|b@y"]],
  ["<a@x, b@y>", ["|a@x", "|b@y"]],
  ["Robin <a@x", ["Robin|a@x"]],
  ["a@b@c", ['|"a@b"@c']],
  ['"unclosed <a@x>', ["unclosed <a@x>|"]],
  ["a\0b@x", ['|"a b"@x']],
  ["root", ["|root"]],
  ["Jo Day", ["Jo Day|"]],
  ["", []],
  [" \t", []],
])("reads %s", (octets, expected) => {
  const texts = parseAddressList(octets).flatMap((entry) =>
    isGroup(entry)
      ? entry.members.map((member) => `${entry.group}:${member.name}|${member.address}`)
      : [`${entry.name}|${entry.address}`],
  );
  expect(texts).toEqual(expected);
});

test("lists the members of groups with the others", () => {
  expect(listMailAddresses("a@x, g: b@x;").map((each) => each.address)).toEqual(["a@x", "b@x"]);
});
