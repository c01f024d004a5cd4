import { describe, expect, test } from "vitest";
import { parseMessageUrl } from "#/protocols/imap/append/message-url.ts";
import { startImap } from "./server.ts";
import { bothLoggedIn, startShared } from "./shared-server.ts";

describe("the URL of a message", () => {
  const none = { authority: undefined, uidValidity: undefined, section: "", partial: undefined };
  test.each([
    ["/INBOX/;UID=20", { ...none, mailbox: "INBOX", uid: 20 }],
    [
      "/Work/Ma%20y;UIDVALIDITY=785799047/;UID=113330/;SECTION=1.5.9",
      { ...none, mailbox: "Work/Ma y", uidValidity: 785799047, uid: 113330, section: "1.5.9" },
    ],
    ["/Entw%C3%BCrfe/;uid=1/;section=header", { ...none, mailbox: "Entwürfe", uid: 1, section: "HEADER" }],
    [
      "/INBOX/;UID=1/;SECTION=2.MIME/;PARTIAL=5.10",
      { ...none, mailbox: "INBOX", uid: 1, section: "2.MIME", partial: { offset: 5, length: 10 } },
    ],
    [
      "/INBOX;UID=1/;PARTIAL=5",
      { ...none, mailbox: "INBOX", uid: 1, partial: { offset: 5, length: Number.MAX_SAFE_INTEGER } },
    ],
    [";UID=7/;SECTION=TEXT", { ...none, mailbox: undefined, uid: 7, section: "TEXT" }],
    [
      "imap://robin%40example.test;AUTH=*@Mail.Example.test:143/INBOX/;UID=1",
      {
        ...none,
        authority: { user: "robin@example.test", host: "mail.example.test" },
        mailbox: "INBOX",
        uid: 1,
      },
    ],
  ])("is read: %s", (url, parsed) => expect(parseMessageUrl(url)).toEqual(parsed));

  test.each([
    "",
    "/INBOX",
    "/;UID=1",
    "/INBOX/;UID=0",
    "/INBOX/;UID=4294967296",
    "/INBOX;UIDVALIDITY=0/;UID=1",
    "/INBOX/;UID=1/;SECTION=",
    "/INBOX/;UID=1/;SECTION=HEADER.FIELDS%20(FROM)",
    "/INBOX/;UID=1;URLAUTH=anonymous:internal:00",
    "/INBOX/;UID=1;EXPIRE=2030-01-01T00:00:00Z",
    "/INBOX/;UID=1/;PARTIAL=1.0",
    "/%ff/;UID=1",
    "/%zz/;UID=1",
    "imap://robin@mail.example.test/;UID=1",
    "http://mail.example.test/INBOX/;UID=1",
    "/IN BOX/;UID=1",
    `/${"a".repeat(2000)}/;UID=1`,
  ])("is not accepted: %s", (url) => expect(parseMessageUrl(url)).toBeUndefined());
});

/** Logged in, with a message of two parts in INBOX. */
const withParts = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
  C: i2 APPEND INBOX {110+}
  C: Subject: two\\r\\nContent-Type: multipart/mixed; boundary=b\\r\\n\\r\\n--b\\r\\n\\r\\nfirst\\r\\n--b\\r\\nContent-ID: <2>\\r\\n\\r\\nsecond\\r\\n--b--
  S: i2 OK [APPENDUID {{validity:\\d+}} 1] {{*}}
`;

test("puts messages together from text and parts of messages", async () => {
  await using server = await startImap();
  await server.converse(`${withParts}
    C: a1 APPEND Drafts (\\Seen) CATENATE (TEXT {14}
    S: + {{*}}
    C: Subject: x\\r\\n\\r\\n URL "/INBOX;UIDVALIDITY={{=validity}}/;UID=1/;SECTION=1" TEXT {1+}
    C: - URL "/INBOX/;UID=1/;SECTION=2/;PARTIAL=1.3" URL {24}
    S: + {{*}}
    C: /INBOX/;UID=1/;SECTION=2) CATENATE (URL "/INBOX/;UID=1")
    S: a1 OK [APPENDUID {{*}} 1:2] {{*}}
    C: a2 SELECT Drafts
    S*: a2 OK {{*}}
    C: a3 FETCH 1 (FLAGS BODY.PEEK[])
    S: * 1 FETCH (FLAGS (\\Recent \\Seen) BODY[] {29}
    S: Subject: x
    S:
    S: first-ecosecond)
    S: a3 OK {{*}}
    C: a4 FETCH 2 RFC822.SIZE
    S: * 2 FETCH (RFC822.SIZE 110)
    S: a4 OK {{*}}
    C: a5 UID REPLACE 2 Drafts CATENATE (TEXT {3+}
    C: a:  URL ";UID=1/;SECTION=TEXT")
    S*: a5 OK {{*}}
    C: a6 UID FETCH 3 BODY.PEEK[]
    S*: * {{*}} FETCH (UID 3 BODY[] {{*}}
    S*: a6 OK {{*}}
  `);
});

test("names a URL that it refuses", async () => {
  await using server = await startImap();
  const bad = [
    "/INBOX/;UID=2",
    "/Nowhere/;UID=1",
    "/INBOX;UIDVALIDITY=1/;UID=1",
    "/INBOX/;UID=1/;SECTION=3",
    "imap://robin%40example.test@elsewhere.test/INBOX/;UID=1",
    "imap://kim%40example.test@localhost/INBOX/;UID=1",
    ";UID=1",
    "/Other%20Users/kim@example.test/INBOX/;UID=1",
  ];
  const attempts = bad.map(
    (url, at) => `
    C: b${at} APPEND Drafts CATENATE (URL "${url}")
    S: b${at} NO [BADURL ${url}] {{*}}`,
  );
  await server.converse(`${withParts}${attempts.join("")}
    C: a1 APPEND Drafts CATENATE ()
    S: a1 BAD {{*}}
    C: a2 APPEND Drafts CATENATE (FILE "x")
    S: a2 BAD {{*}}
    C: a3 APPEND Drafts CATENATE (URL "/x] BYE/;UID=1")
    S: a3 NO [BADURL /x??BYE/;UID=1] {{*}}
    C: a4 APPEND Drafts CATENATE (URL "/INBOX/;UID=1/;PARTIAL=500")
    S: a4 NO [CANNOT] {{*}}
    C: a5 STATUS Drafts (MESSAGES)
    S: * STATUS "Drafts" (MESSAGES 0)
    S: a5 OK {{*}}
  `);
});

test("bounds the size of all parts together", async () => {
  await using server = await startImap({ maxAppendBytes: 200 });
  await server.converse(`${withParts}
    C: a1 APPEND Drafts CATENATE (URL "/INBOX/;UID=1" URL "/INBOX/;UID=1")
    S: a1 NO [TOOBIG] {{*}}
    C: a2 APPEND Drafts CATENATE (TEXT {150+}
    C: ${"x".repeat(150)} TEXT {60}
    S: a2 NO [TOOBIG] {{*}}
  `);
});

test("takes parts of shared mailboxes while they are shared", async () => {
  await using shared = await startShared({ scopes: ["mail:read"], mailboxes: ["INBOX"] });
  await shared.converse(`${bothLoggedIn}
    C: a1 APPEND INBOX CATENATE (URL "/Other%20Users/kim@example.test/INBOX/;UID=2")
    S: a1 OK {{*}}
    C: a2 APPEND INBOX CATENATE (URL "/Other%20Users/kim@example.test/Sent/;UID=1")
    S: a2 NO [BADURL {{*}}
    DO revoke
    C: a3 APPEND INBOX CATENATE (URL "/Other%20Users/kim@example.test/INBOX/;UID=2")
    S: a3 NO [BADURL {{*}}
  `);
});
