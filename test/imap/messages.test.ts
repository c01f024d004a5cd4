import { expect, test } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { startImap } from "./server.ts";

/** Logs in and enters an INBOX of three small messages, UIDs 1 to 3. */
const threeMessages = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
  C: i2 APPEND INBOX (\\Seen) " 1-Feb-2024 10:00:00 +0200" {57+}
  C: Subject: one
  C: From: Ann <ann@example.net>
  C:
  C: First text
  C-:
  C:
  S: i2 OK [APPENDUID {{uidvalidity:\\d+}} 1] {{*}}
  C: i3 APPEND INBOX ($Work \\Flagged) {29+}
  C: Subject: two
  C:
  C: Second text
  C:
  S: i3 OK [APPENDUID {{*}} 2] {{*}}
  C: i4 APPEND INBOX {30}
  S: + {{*}}
  C: Subject: three
  C:
  C: Third text
  C:
  S: i4 OK [APPENDUID {{*}} 3] {{*}}
  C: i5 SELECT INBOX
  S*: i5 OK [READ-WRITE] {{*}}
`;

test("appends and fetches messages as they were sent", async () => {
  await using server = await startImap();
  await server.converse(`${threeMessages}
    C: a1 FETCH 1:3 (UID FLAGS RFC822.SIZE INTERNALDATE)
    S: * 1 FETCH (UID 1 FLAGS (\\Recent \\Seen) RFC822.SIZE 57 INTERNALDATE " 1-Feb-2024 08:00:00 +0000")
    S: * 2 FETCH (UID 2 FLAGS (\\Recent \\Flagged $Work) RFC822.SIZE 29 INTERNALDATE {{*}})
    S: * 3 FETCH (UID 3 FLAGS (\\Recent) RFC822.SIZE 30 INTERNALDATE {{*}})
    S: a1 OK FETCH completed
    C: a2 UID FETCH 2 BODY.PEEK[]
    S: * 2 FETCH (UID 2 BODY[] {29}
    S: Subject: two
    S:
    S: Second text
    S: )
    S: a2 OK UID FETCH completed
    C: a3 FETCH 1 (ENVELOPE BODY BODYSTRUCTURE)
    S: * 1 FETCH (ENVELOPE (NIL "one" (("Ann" NIL "ann" "example.net")) (("Ann" NIL "ann" "example.net")) (("Ann" NIL "ann" "example.net")) NIL NIL NIL NIL NIL) BODY ("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 12 1) BODYSTRUCTURE ("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 12 1 NIL NIL NIL NIL))
    S: a3 OK {{*}}
    C: a3a FETCH 1 (BODY.PEEK[HEADER]<9999.1> BODY.PEEK[]<9999.1> BODY.PEEK[HEADER.FIELDS (subject)]<9999.1> UID)
    S: * 1 FETCH (BODY[HEADER]<9999> {0}
    S:  BODY[]<9999> {0}
    S:  BODY[HEADER.FIELDS (subject)]<9999> {0}
    S:  UID 1)
    S: a3a OK {{*}}
    C: a4 FETCH 1 (BODY.PEEK[HEADER.FIELDS (subject date)] BODY.PEEK[TEXT]<6.100> BODY.PEEK[TEXT]<50.10> BODY.PEEK[7])
    S: * 1 FETCH (BODY[HEADER.FIELDS (subject date)] {16}
    S: Subject: one
    S:
    S:  BODY[TEXT]<6> {6}
    S: text
    S:  BODY[TEXT]<50> {0}
    S:  BODY[7] NIL)
    S: a4 OK {{*}}
    C: a5 FETCH 1 (EMAILID THREADID BINARY.SIZE[1] BINARY.PEEK[1])
    S: * 1 FETCH (EMAILID (message_{{*}}) THREADID (thread_{{*}}) BINARY.SIZE[1] 12 BINARY[1] {12}
    S: First text
    S: )
    S: a5 OK {{*}}
  `);
});

test("sets \\Seen when the text of a message is read, and sends the flags", async () => {
  await using server = await startImap();
  await server.converse(`${threeMessages}
    C: a1 FETCH 2:3 (UID BODY[TEXT])
    S: * 2 FETCH (UID 2 BODY[TEXT] {13}
    S: Second text
    S:  FLAGS (\\Recent \\Seen \\Flagged $Work))
    S: * 3 FETCH (UID 3 BODY[TEXT] {12}
    S: Third text
    S:  FLAGS (\\Recent \\Seen))
    S: a1 OK {{*}}
    C: a2 FETCH 3 RFC822.TEXT
    S: * 3 FETCH (RFC822.TEXT {12}
    S: Third text
    S: )
    S: a2 OK {{*}}
    C: a3 EXAMINE INBOX
    S*: a3 OK [READ-ONLY] {{*}}
    C: a4 STORE 1 -FLAGS (\\Seen)
    S: a4 NO [READ-ONLY] {{*}}
  `);
});

test("stores flags, answers them unless silent, and tells a new keyword first", async () => {
  await using server = await startImap();
  await server.converse(`${threeMessages}
    C: a1 STORE 1:2 +FLAGS (\\Answered NewWord)
    S: * FLAGS (\\Seen \\Answered \\Flagged \\Deleted \\Draft $Work NewWord)
    S: * OK [PERMANENTFLAGS ({{*}} $Work NewWord \\*)] {{*}}
    S: * 1 FETCH (FLAGS (\\Recent \\Seen \\Answered NewWord))
    S: * 2 FETCH (FLAGS (\\Recent \\Answered \\Flagged $Work NewWord))
    S: a1 OK STORE completed
    C: a2 UID STORE 1:100 -FLAGS.SILENT \\Answered
    S: a2 OK UID STORE completed
    C: a3 STORE 2 FLAGS ()
    S: * 2 FETCH (FLAGS (\\Recent))
    S: a3 OK {{*}}
    C: a4 STORE 9 +FLAGS (\\Seen)
    S: a4 BAD {{*}}
    C: a5 UID STORE 99 +FLAGS (\\Seen)
    S: a5 OK {{*}}
  `);
});

test("leaves messages alone whose MODSEQ is above UNCHANGEDSINCE, and names them", async () => {
  await using server = await startImap();
  await server.converse(`${threeMessages}
    C: a1 FETCH 1 (MODSEQ)
    S: * 1 FETCH (MODSEQ ({{one:\\d+}}))
    S: * OK [HIGHESTMODSEQ {{*}}] {{*}}
    S: a1 OK {{*}}
    C: a2 STORE 1:2 (UNCHANGEDSINCE {{=one}}) +FLAGS.SILENT (\\Deleted)
    S: * 1 FETCH (UID 1 MODSEQ ({{now:\\d+}}))
    S: a2 OK [MODIFIED 2] {{*}}
    C: a3 UID FETCH 1:* (FLAGS) (CHANGEDSINCE {{=one}})
    S: * 1 FETCH (UID 1 FLAGS (\\Recent \\Seen \\Deleted) MODSEQ ({{=now}}))
    S: * 2 FETCH (UID 2 FLAGS ({{*}}) MODSEQ ({{*}}))
    S: * 3 FETCH (UID 3 FLAGS (\\Recent) MODSEQ ({{*}}))
    S: a3 OK {{*}}
    C: a4 UID FETCH 1:* (FLAGS) (CHANGEDSINCE {{=now}})
    S: a4 OK {{*}}
    C: a5 SEARCH MODSEQ {{=now}}
    S: * SEARCH 1 (MODSEQ {{=now}})
    S: a5 OK {{*}}
    C: a7 SEARCH RETURN (MIN) MODSEQ 1
    S: * ESEARCH (TAG "a7") MIN 1 MODSEQ {{=now}}
    S: a7 OK {{*}}
    C: a8 SEARCH RETURN (MIN) 2:* MODSEQ 1
    S: * ESEARCH (TAG "a8") MIN 2 MODSEQ {{two:\\d+}}
    S: a8 OK {{*}}
    C: a6 STATUS INBOX (HIGHESTMODSEQ)
    S: * STATUS "INBOX" (HIGHESTMODSEQ {{=now}})
    S: a6 OK {{*}}
  `);
});

test("copies, moves and expunges with the UIDs of both sides", async () => {
  await using server = await startImap();
  await server.converse(`${threeMessages}
    C: a1 COPY 1,3 Archive
    S: a1 OK [COPYUID {{*}} 1,3 1:2] COPY completed
    C: a2 UID MOVE 2 Archive
    S: * OK [COPYUID {{*}} 2 3] Moved
    S: * 2 EXPUNGE
    S: a2 OK UID MOVE completed
    C: a3 COPY 1 Nowhere
    S: a3 NO [TRYCREATE] {{*}}
    C: a4 STORE 1:2 +FLAGS.SILENT (\\Deleted)
    S: a4 OK {{*}}
    C: a5 UID EXPUNGE 3
    S: * 2 EXPUNGE
    S: a5 OK {{*}}
    C: a6 EXPUNGE
    S: * 1 EXPUNGE
    S: a6 OK {{*}}
    C: a7 STATUS Archive (MESSAGES UIDNEXT UNSEEN SIZE DELETED MAILBOXID)
    S: * STATUS "Archive" (MESSAGES 3 UIDNEXT 4 UNSEEN 2 SIZE 116 DELETED 0 MAILBOXID (folder_{{*}}))
    S: a7 OK {{*}}
    C: a8 UID COPY 77 Archive
    S: a8 OK UID COPY completed
    C: a9 CLOSE
    S: a9 OK {{*}}
    C: b1 FETCH 1 FLAGS
    S: b1 BAD {{*}}
  `);
});

test("appends to the selected mailbox and tells EXISTS before the answer", async () => {
  await using server = await startImap();
  await server.converse(`${threeMessages}
    C: a1 APPEND INBOX {4+}
    C: a: b
    S: * 4 EXISTS
    S: * 4 RECENT
    S: a1 OK [APPENDUID {{*}} 4] {{*}}
    C: a2 APPEND INBOX (\\Draft) {4+}
    C: a: b (\\Answered) {3+}
    C: x
    C:
    S: * 6 EXISTS
    S: * 6 RECENT
    S: a2 OK [APPENDUID {{*}} 5:6] {{*}}
    C: a3 FETCH 4:6 (RFC822 FLAGS)
    S: * 4 FETCH (RFC822 {4}
    S: a: b FLAGS (\\Recent \\Seen))
    S: * 5 FETCH (RFC822 {4}
    S: a: b FLAGS (\\Recent \\Seen \\Draft))
    S: * 6 FETCH (RFC822 {3}
    S: x
    S:  FLAGS (\\Recent \\Seen \\Answered))
    S: a3 OK {{*}}
    C: a4 APPEND Nowhere {4+}
    C: a: b
    S: a4 NO [TRYCREATE] {{*}}
    C: a5 APPEND INBOX {0+}
    C:
    S: a5 NO [CANNOT] {{*}}
  `);
});

test("answers SEARCH with each RETURN option", async () => {
  await using server = await startImap();
  await server.converse(`${threeMessages}
    C: a1 SEARCH ALL
    S: * SEARCH 1 2 3
    S: a1 OK SEARCH completed
    C: a2 UID SEARCH UNSEEN NOT KEYWORD $work
    S: * SEARCH 3
    S: a2 OK {{*}}
    C: a3 SEARCH RETURN (MIN MAX COUNT ALL) OR SUBJECT one BODY "third TEXT"
    S: * ESEARCH (TAG "a3") MIN 1 MAX 3 ALL 1,3 COUNT 2
    S: a3 OK {{*}}
    C: a4 SEARCH RETURN (SAVE) FLAGGED
    S: a4 OK {{*}}
    C: a5 FETCH $ (UID)
    S: * 2 FETCH (UID 2)
    S: a5 OK {{*}}
    C: a6 UID SEARCH RETURN () $
    S: * ESEARCH (TAG "a6") UID ALL 2
    S: a6 OK {{*}}
    C: a7 SEARCH RETURN (COUNT) FROM nobody
    S: * ESEARCH (TAG "a7") COUNT 0
    S: a7 OK {{*}}
    C: a8 SEARCH CHARSET KLINGON ALL
    S: a8 NO [BADCHARSET (UTF-8 US-ASCII)] {{*}}
    C: a9 SEARCH ON 1-Feb-2024 LARGER 10 SMALLER 100 1:2
    S: * SEARCH 1
    S: a9 OK {{*}}
    C: b1 SEARCH CHARSET UTF-8 SUBJECT {3+}
    C: two
    S: * SEARCH 2
    S: b1 OK {{*}}
    C: b2 ENABLE IMAP4rev2
    S: * ENABLED IMAP4rev2
    S: b2 OK {{*}}
    C: b3 SEARCH 2:*
    S: * ESEARCH (TAG "b3") ALL 2:3
    S: b3 OK {{*}}
    C: b4 UID SEARCH HEADER Subject "" UID 50:*
    S: * ESEARCH (TAG "b4") UID ALL 3
    S: b4 OK {{*}}
    C: b5 SEARCH NEW
    S: * ESEARCH (TAG "b5")
    S: b5 OK {{*}}
  `);
});

test("finds a message by the ids that FETCH shows", async () => {
  await using server = await startImap();
  const { id } = await server.converse(`${threeMessages}
    C: a1 FETCH 2 (EMAILID)
    S: * 2 FETCH (EMAILID ({{id:message_\\w+}}))
    S: a1 OK {{*}}
    C: a2 SEARCH EMAILID {{=id}}
    S: * SEARCH 2
    S: a2 OK {{*}}
    C: a3 SEARCH EMAILID message_00000000000000000000000000
    S: * SEARCH
    S: a3 OK {{*}}
  `);
  expect(server.store.ids.decode(id!)?.kind).toBe("message");
});

test("streams a large message and its partials unchanged", async () => {
  await using server = await startImap();
  const body = Buffer.alloc(700_000, "0123456789abcdef\r\n").toString("latin1");
  const inbox = (await server.mail.findMailbox(server.store.ids.decode(server.robin.id)!.agent, "INBOX"))!;
  const bytes = Buffer.from(`Subject: large\r\n\r\n${body}`, "latin1");
  await server.mail.appendMessages(nobody, inbox.agent, inbox.number, [{ bytes, flags: 0, keywords: [] }], {
    source: "imap",
  });
  const { connectRawImap } = await import("../support/clients/raw-imap.ts");
  await using client = await connectRawImap({ host: "127.0.0.1", port: server.port });
  await client.command(`LOGIN robin@example.test "${server.robin.password}"`);
  await client.command("SELECT INBOX");
  const whole = await client.command("FETCH 1 (BODY.PEEK[] BODY.PEEK[TEXT]<300000.300000> UID)");
  expect(whole.untagged[0]!.literals[0]!.equals(bytes)).toBe(true);
  expect(whole.untagged[0]!.literals[1]!.toString("latin1")).toBe(body.slice(300_000, 600_000));
});
