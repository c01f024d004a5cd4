import { expect, test } from "vitest";
import { readPath } from "#/protocols/smtp/path.ts";

const long = "l".repeat(300);

/** What is written, and the address it names; undefined for what is no path. */
const paths: readonly (readonly [text: string, address: string | undefined])[] = [
  ["<alice@outside.example>", "alice@outside.example"],
  ["<>", ""],
  ["<@relay1.example,@relay2.example:alice@outside.example>", "alice@outside.example"],
  ["<@[192.0.2.1]:alice@outside.example>", "alice@outside.example"],
  ["<Postmaster>", "Postmaster"],
  ["<postmaster@waypost.example>", "postmaster@waypost.example"],
  ["<alice>", undefined],
  ['<"a b"@outside.example>', '"a b"@outside.example'],
  ['<"a\\"b c"@outside.example>', '"a\\"b c"@outside.example'],
  ['<"plain"@outside.example>', "plain@outside.example"],
  ['<"a@b"@outside.example>', '"a@b"@outside.example'],
  ['<"unclosed@outside.example>', undefined],
  ['<""@outside.example>', undefined],
  ['<"a\u0007"@outside.example>', undefined],
  ["<robin+tag@waypost.example>", "robin+tag@waypost.example"],
  ["<robin%waypost.example@waypost.example>", "robin%waypost.example@waypost.example"],
  ["<robin'--@waypost.example>", "robin'--@waypost.example"],
  ["<|/bin/sh@waypost.example>", "|/bin/sh@waypost.example"],
  ["<../../etc/passwd@waypost.example>", undefined],
  ["<a..b@outside.example>", undefined],
  ["<.a@outside.example>", undefined],
  ["<a.@outside.example>", undefined],
  ["<robin@[127.0.0.1]>", "robin@[127.0.0.1]"],
  ["<robin@[IPv6:2001:db8::1]>", "robin@[IPv6:2001:db8::1]"],
  ["<robin@[2001:db8::1]>", undefined],
  ["<robin@[300.0.0.1]>", undefined],
  ["<robin@waypost.example.>", undefined],
  ["<robin@.waypost.example>", undefined],
  ["<robin@-waypost.example>", undefined],
  ["<robin@way..post.example>", undefined],
  ["<robin@>", undefined],
  ["<@waypost.example>", undefined],
  ["<robin@way post.example>", undefined],
  ["<robin@waypost.example\u0000>", undefined],
  ["<robin@waypost.example", undefined],
  ["robin@waypost.example", undefined],
  ["< robin@waypost.example>", undefined],
  ["<grün@beispiel.example>", "grün@beispiel.example"],
  ["<robin@grün.example>", "robin@grün.example"],
  ["<ro\u200bbin@waypost.example>", undefined],
  ["<ro\u0085bin@waypost.example>", undefined],
  [`<${long}@waypost.example>`, undefined],
  [`<a@${long}.example>`, undefined],
];

for (const [text, address] of paths)
  test(`reads ${JSON.stringify(text).slice(0, 60)} as ${address === undefined ? "no path" : JSON.stringify(address)}`, () => {
    const read = readPath(text);
    expect(read?.path.address).toBe(address);
    if (read !== undefined) expect(read.rest).toBe("");
  });

test("returns the text behind the path", () => {
  expect(readPath("<a@b.example> SIZE=1")?.rest).toBe(" SIZE=1");
  expect(readPath("<a@b.example>RCPT TO:<c@d>")?.rest).toBe("RCPT TO:<c@d>");
});

test("says whether an address has characters beyond ASCII", () => {
  expect(readPath("<grün@b.example>")?.path.isAscii).toBe(false);
  expect(readPath("<gruen@b.example>")?.path.isAscii).toBe(true);
});
