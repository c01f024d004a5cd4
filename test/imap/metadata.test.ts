import { describe, expect, test } from "vitest";
import {
  entriesText,
  readEntryName,
  readEntryNames,
  selectEntries,
} from "#/protocols/imap/mailboxes/metadata-entries.ts";
import { WireReader } from "#/protocols/imap/wire/wire-reader.ts";
import { startImap } from "./server.ts";
import { bothLoggedIn, startShared } from "./shared-server.ts";

const loggedIn = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
`;

function read<T>(text: string, take: (reader: WireReader) => T): T {
  const reader = new WireReader({ lines: [text], literals: [] });
  const value = take(reader);
  reader.end();
  return value;
}

describe("names of entries", () => {
  test.each([
    ["/private/comment", "/private/comment"],
    ["/Shared/Vendor/X", "/shared/vendor/x"],
    ['"/private/a b"', "/private/a b"],
  ])("are read: %s", (text, name) => expect(read(text, readEntryName)).toBe(name));

  test.each([
    "/private",
    "/private/",
    "/public/x",
    "private/x",
    "/shared//x",
    "/shared/x/",
    '"/shared/*"',
    `/shared/${"x".repeat(200)}`,
  ])("are refused: %s", (text) => expect(() => read(text, readEntryName)).toThrow());

  test("are requested alone, in lists and with a depth", () => {
    expect(read("/private", readEntryNames)).toEqual(["/private"]);
    expect(read("(/private/a /shared)", readEntryNames)).toEqual(["/private/a", "/shared"]);
    expect(() => read("()", readEntryNames)).toThrow();
  });
});

test("selects entries down to a depth", () => {
  const entries = ["/private/a", "/private/a/b", "/private/a/b/c", "/private/ab"].map((name) => ({
    name,
    value: Buffer.from("v"),
  }));
  const names = (depth: 0 | 1 | "infinity", of = "/private/a"): string[] =>
    selectEntries(entries, [of], depth).map(({ name }) => name);
  expect(names(0)).toEqual(["/private/a"]);
  expect(names(1)).toEqual(["/private/a", "/private/a/b"]);
  expect(names("infinity")).toEqual(["/private/a", "/private/a/b", "/private/a/b/c"]);
  expect(names(1, "/private")).toEqual(["/private/a", "/private/ab"]);
  expect(selectEntries(entries, ["/private/x"], 0)).toEqual([{ name: "/private/x", value: undefined }]);
  expect(selectEntries(entries, ["/private/x"], 1)).toEqual([]);
});

test("writes values as strings, literals or literal8s", () => {
  const text = entriesText([
    { name: "/private/a", value: Buffer.from('"q"') },
    { name: "/private/b c", value: Buffer.from("é") },
    { name: "/private/d", value: Buffer.from([0]) },
    { name: "/private/e", value: undefined },
  ]);
  expect(text).toBe(
    '(/private/a "\\"q\\"" "/private/b c" {2}\r\n\xc3\xa9 /private/d ~{1}\r\n\0 /private/e NIL)',
  );
});

test("keeps entries of a mailbox and of the server, changes and removes them", async () => {
  await using server = await startImap();
  const { before, after } = await server.converse(`${loggedIn}
    C: a1 SETMETADATA INBOX (/private/Comment "mine" /shared/comment {4+}
    C: ours /shared/vendor/x/color "#f00")
    S: a1 OK {{*}}
    C: a2 GETMETADATA INBOX (/private/comment /shared/comment /shared/nothing)
    S: * METADATA "INBOX" (/private/comment "mine" /shared/comment "ours" /shared/nothing NIL)
    S: a2 OK {{*}}
    C: a3 GETMETADATA (DEPTH infinity) INBOX /shared
    S: * METADATA "INBOX" (/shared/comment "ours" /shared/vendor/x/color "#f00")
    S: a3 OK {{*}}
    C: a4 GETMETADATA (MAXSIZE 4 DEPTH 1) INBOX (/private /shared/vendor/x)
    S: * METADATA "INBOX" (/private/comment "mine" /shared/vendor/x/color "#f00")
    S: a4 OK {{*}}
    C: a5 GETMETADATA (MAXSIZE 3) INBOX /private/comment
    S: a5 OK [METADATA LONGENTRIES 4] {{*}}
    C: a5a GETMETADATA INBOX (MAXSIZE 3) (/private/comment)
    S: a5a OK [METADATA LONGENTRIES 4] {{*}}
    C: a5b STATUS INBOX (HIGHESTMODSEQ)
    S: * STATUS "INBOX" (HIGHESTMODSEQ {{before:\\d+}})
    S: a5b OK {{*}}
    C: a6 SETMETADATA INBOX (/private/comment NIL /shared/comment ~{1+}
    C: \\x00)
    S: a6 OK {{*}}
    # RFC 7162 section 3.2
    C: a6a STATUS INBOX (HIGHESTMODSEQ)
    S: * STATUS "INBOX" (HIGHESTMODSEQ {{after:\\d+}})
    S: a6a OK {{*}}
    C: a7 GETMETADATA (DEPTH 1) INBOX (/private /shared)
    S: * METADATA "INBOX" (/shared/comment ~{1}
    S: \\x00)
    S: a7 OK {{*}}
    C: a8 SETMETADATA "" (/private/theme dark)
    S: a8 BAD {{*}}
    C: a9 SETMETADATA "" (/private/theme "dark")
    S: a9 OK {{*}}
    C: b1 GETMETADATA "" /private/theme
    S: * METADATA "" (/private/theme "dark")
    S: b1 OK {{*}}
    C: b2 GETMETADATA Nowhere /private/theme
    S: b2 NO [NONEXISTENT] {{*}}
    C: b3 GETMETADATA (DEPTH 2) INBOX /private/theme
    S: b3 BAD {{*}}
    C: b4 SETMETADATA INBOX (/private/long {8193+}
    C: ${"x".repeat(8193)})
    S: b4 NO [METADATA MAXSIZE 8192] {{*}}
  `);
  expect(Number(after)).toBeGreaterThan(Number(before));
});

test("stays with a mailbox that is renamed, and is deleted with it", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 CREATE One
    S: a1 OK {{*}}
    C: a2 SETMETADATA One (/shared/comment "1")
    S: a2 OK {{*}}
    C: a3 RENAME One Two
    S: a3 OK {{*}}
    C: a4 LIST "" "%" RETURN (METADATA (/shared/comment /private/comment))
    S*: * LIST (\\HasNoChildren) "/" "Two"
    S: * METADATA "Two" (/shared/comment "1" /private/comment NIL)
    S: a4 OK {{*}}
    C: a5 DELETE Two
    S: a5 OK {{*}}
    C: a6 CREATE Two
    S: a6 OK {{*}}
    C: a7 GETMETADATA Two /shared/comment
    S: * METADATA "Two" (/shared/comment NIL)
    S: a7 OK {{*}}
  `);
});

test("bounds the entries of a mailbox", async () => {
  await using server = await startImap();
  const entries = Array.from({ length: 100 }, (_, at) => `/private/e${at} "x"`).join(" ");
  await server.converse(`${loggedIn}
    C: a1 SETMETADATA INBOX (${entries})
    S: a1 OK {{*}}
    C: a2 SETMETADATA INBOX (/private/more "x")
    S: a2 NO [METADATA TOOMANY] {{*}}
    C: a3 SETMETADATA INBOX (/private/e0 NIL /private/more "x")
    S: a3 OK {{*}}
    C: a4 SETMETADATA INBOX (/shared/more "x")
    S: a4 OK {{*}}
  `);
});

test("shows entries under /shared to other users, and entries under /private to their holder alone", async () => {
  await using shared = await startShared({ scopes: ["mail"], mailboxes: ["INBOX"] });
  await shared.converse(`${bothLoggedIn}
    C: a1 SETMETADATA "Other Users/kim@example.test/INBOX" (/shared/comment "robin's" /private/comment "r")
    S: a1 OK {{*}}
    C2: b1 GETMETADATA INBOX (/shared/comment /private/comment)
    S2: * METADATA "INBOX" (/shared/comment "robin's" /private/comment NIL)
    S2: b1 OK {{*}}
    C2: b2 SETMETADATA INBOX (/private/comment "k")
    S2: b2 OK {{*}}
    C: a2 GETMETADATA "Other Users/kim@example.test/INBOX" /private/comment
    S: * METADATA "Other Users/kim@example.test/INBOX" (/private/comment "r")
    S: a2 OK {{*}}
    C: a3 GETMETADATA "Other Users/kim@example.test/Sent" /private/comment
    S: a3 NO [NONEXISTENT] {{*}}
  `);
});

test("lets a user with a grant to read set private entries only", async () => {
  await using shared = await startShared({ scopes: ["mail:read"] });
  await shared.converse(`${bothLoggedIn}
    C: a1 SETMETADATA "Other Users/kim@example.test/INBOX" (/private/comment "r")
    S: a1 OK {{*}}
    C: a2 SETMETADATA "Other Users/kim@example.test/INBOX" (/shared/comment "r")
    S: a2 NO [NOPERM] {{*}}
  `);
});

test("refuses a value that is too long before it is sent, and reads past one that cannot be stopped", async () => {
  await using server = await startImap();
  const long = "x".repeat(70_000);
  await server.converse(`${loggedIn}
    C: a1 SETMETADATA INBOX (/private/long {8193}
    S: a1 NO [METADATA MAXSIZE 8192] {{*}}
    C: a2 SETMETADATA INBOX (/private/a "x" /private/long ~{20000}
    S: a2 NO [METADATA MAXSIZE 8192] {{*}}
    C: a3 SETMETADATA INBOX (/private/long {${long.length}+}
    C: ${long} /private/longer {${long.length}+}
    C: ${long})
    S: a3 NO [METADATA MAXSIZE 8192] {{*}}
    C: a4 SETMETADATA {5+}
    C: INBOX (/private/long {17000+}
    C: ${"x".repeat(17_000)} /private/b {3}
    S: a4 NO [METADATA MAXSIZE 8192] {{*}}
    C: a5 SETMETADATA INBOX (/private/long "${"x".repeat(8193)}")
    S: a5 NO [METADATA MAXSIZE 8192] {{*}}
    # Not a value: a name.
    C: a6 SETMETADATA INBOX ({20000}
    S: a6 BAD [TOOBIG] {{*}}
    C: a7 GETMETADATA (DEPTH infinity) INBOX /private
    S: a7 OK {{*}}
  `);
});

test("answers LONGENTRIES with the length of the longest value", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 SETMETADATA INBOX (/private/a "1" /private/b "22222" /private/c "333")
    S: a1 OK {{*}}
    C: a2 GETMETADATA (MAXSIZE 2) INBOX (/private/a /private/b /private/c)
    S: * METADATA "INBOX" (/private/a "1")
    S: a2 OK [METADATA LONGENTRIES 5] {{*}}
  `);
});
