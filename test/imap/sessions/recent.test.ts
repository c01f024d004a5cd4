import { expect, test } from "vitest";
import { startImap } from "../server.ts";
import { bothLoggedIn, startShared } from "../shared-server.ts";

/** Sessions 1 and 2 are robin's. */
const twice = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
  S2: * OK {{*}}
  C2: i1 LOGIN {{=login}}
  S2: i1 OK {{*}}
`;

test("a message is \\Recent in the first session with write access that sees it, and in no other", async () => {
  await using server = await startImap();
  await server.converse(`${twice}
    C: a1 APPEND INBOX (\\Seen) {4+}\\r\\na: 1 {4+}\\r\\na: 2
    S: a1 OK {{*}}
    C: a2 STATUS INBOX (MESSAGES RECENT)
    S: * STATUS "INBOX" (MESSAGES 2 RECENT 2)
    S: a2 OK {{*}}
    # who only looks takes nothing from others
    C: a3 EXAMINE INBOX
    S*: * 2 RECENT
    S*: a3 OK {{*}}
    C: a4 FETCH 1:2 FLAGS
    S: * 1 FETCH (FLAGS (\\Recent \\Seen))
    S: * 2 FETCH (FLAGS (\\Recent))
    S: a4 OK {{*}}
    C2: b1 SELECT INBOX
    S2*: * 2 RECENT
    S2*: b1 OK {{*}}
    C: a5 SELECT INBOX
    S*: * 0 RECENT
    S*: a5 OK {{*}}
    C2: b2 SEARCH RECENT
    S2: * SEARCH 1 2
    S2: b2 OK {{*}}
    C2: b3 SEARCH NEW
    S2: * SEARCH 2
    S2: b3 OK {{*}}
    C2: b4 SEARCH OLD
    S2: * SEARCH
    S2: b4 OK {{*}}
    C: a6 SEARCH OLD
    S: * SEARCH 1 2
    S: a6 OK {{*}}
    C: a7 STATUS INBOX (RECENT)
    S: * STATUS "INBOX" (RECENT 0)
    S: a7 OK {{*}}
    # a message that comes while both look is told first to who asks first
    C: a8 APPEND INBOX {4+}\\r\\na: 3
    S: * 3 EXISTS
    S: * 1 RECENT
    S: a8 OK {{*}}
    C2: b5 NOOP
    S2: * 3 EXISTS
    S2: * 2 RECENT
    S2: b5 OK {{*}}
    C2: b6 UID FETCH 3 FLAGS
    S2: * 3 FETCH (UID 3 FLAGS ())
    S2: b6 OK {{*}}
    C: a9 STORE 3 FLAGS (\\Flagged)
    S: * 3 FETCH (FLAGS (\\Recent \\Flagged))
    S: a9 OK {{*}}
  `);
});

test("a message that was \\Recent is not for the next session, and a copy of it is \\Recent again", async () => {
  await using server = await startImap();
  await server.converse(`${twice}
    C: a1 APPEND INBOX {4+}\\r\\na: 1
    S: a1 OK {{*}}
    C: a2 SELECT INBOX
    S*: * 1 RECENT
    S*: a2 OK {{*}}
    C: a3 COPY 1 Archive
    S: a3 OK {{*}}
    C: a4 CLOSE
    S: a4 OK {{*}}
    C: a5 SELECT INBOX
    S*: * 0 RECENT
    S*: a5 OK {{*}}
    C: a6 SELECT Archive
    S*: * 1 RECENT
    S*: a6 OK {{*}}
    C: a7 UNSELECT
    S: a7 OK {{*}}
    C2: b1 ESEARCH IN (personal) RETURN (COUNT) OLD
    S2*: b1 OK {{*}}
    C2: b2 ESEARCH IN (personal) RETURN (COUNT) RECENT
    S2: b2 OK {{*}}
    C: a8 LOGOUT
    S*: a8 OK {{*}}
    CLOSED
  `);
  const { agent } = server.store.ids.decode(server.robin.id)!;
  const mailboxes = await server.mail.listMailboxes(agent);
  const told = mailboxes.map(({ name, recentUid }) => [name, recentUid]);
  expect(Object.fromEntries(told)).toMatchObject({ INBOX: 1, Archive: 1, Sent: 0 });
});

test("IMAP4rev2 knows no \\Recent, from ENABLE on", async () => {
  await using server = await startImap();
  await server.converse(`${twice}
    C: a1 APPEND INBOX {4+}\\r\\na: 1
    S: a1 OK {{*}}
    C: a2 SELECT INBOX
    S*: * 1 RECENT
    S*: a2 OK {{*}}
    C: a3 ENABLE IMAP4rev2
    S: * ENABLED IMAP4rev2
    S: a3 OK {{*}}
    C: a4 FETCH 1 FLAGS
    S: * 1 FETCH (FLAGS ())
    S: a4 OK {{*}}
    C: a5 APPEND INBOX {4+}\\r\\na: 2
    S: * 2 EXISTS
    S: a5 OK {{*}}
    S#: RECENT
    C: a6 SELECT INBOX
    S*: a6 OK {{*}}
  `);
});

test("a client with rights to read leaves \\Recent to the owner", async () => {
  await using shared = await startShared({ scopes: ["mail:read"] });
  await shared.converse(`${bothLoggedIn}
    C: a1 SELECT "Other Users/kim@example.test/INBOX"
    S*: * 2 RECENT
    S*: a1 OK [READ-ONLY] {{*}}
    C: a2 UNSELECT
    S: a2 OK {{*}}
    C2: b1 SELECT INBOX
    S2*: * 2 RECENT
    S2*: b1 OK {{*}}
  `);
});

test("a literal8 with a part in binary encoding is stored in base64, and other octets as they come", async () => {
  await using server = await startImap();
  const head = "Content-Type: application/octet-stream\\r\\nContent-Transfer-Encoding: ";
  await server.converse(`
    S: * OK {{*}}
    C: i1 LOGIN {{=login}}
    S: i1 OK {{*}}
    C: i2 ENABLE IMAP4rev2
    S*: i2 OK {{*}}
    C: a1 APPEND INBOX ~{80+}\\r\\n${head}Binary\\r\\n\\r\\na\\x00b
    S: a1 OK {{*}}
    C: a2 APPEND INBOX ~{78+}\\r\\n${head}8bit\\r\\n\\r\\na\\x00b
    S: a2 OK {{*}}
    C: a3 SELECT INBOX
    S*: a3 OK {{*}}
    C: a4 FETCH 1:2 (BODY.PEEK[1] BINARY.SIZE[1] BINARY.PEEK[1])
    S: * 1 FETCH (BODY[1] {6}
    S: YQBi
    S:  BINARY.SIZE[1] 3 BINARY[1] ~{3}
    S: a\\x00b)
    S: * 2 FETCH (BODY[1] {3}
    S: a{{*}}b BINARY.SIZE[1] 3 BINARY[1] ~{3}
    S: a\\x00b)
    S: a4 OK {{*}}
    C: a5 FETCH 1 BODY.PEEK[HEADER.FIELDS (Content-Transfer-Encoding)]
    S*: Content-Transfer-Encoding: base64
    S*: a5 OK {{*}}
  `);
});
