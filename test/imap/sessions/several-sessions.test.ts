import { test } from "vitest";
import { startImap } from "../server.ts";

/** Two sessions in an INBOX of three messages. */
const twoSessions = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
  C: i2 APPEND INBOX {4+}
  C: a: 1 {4+}
  C: a: 2 {4+}
  C: a: 3
  S: i2 OK {{*}}
  C: i3 SELECT INBOX
  S*: i3 OK {{*}}
  S2: * OK {{*}}
  C2: i1 LOGIN {{=login}}
  S2: i1 OK {{*}}
  C2: i2 SELECT INBOX
  S2*: i2 OK {{*}}
`;

test("sends flags, arrivals and expunges of others at the end of a command", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C: a1 STORE 2 +FLAGS (\\Flagged Word)
    S*: a1 OK {{*}}
    C2: b1 NOOP
    S2: * FLAGS (\\Seen \\Answered \\Flagged \\Deleted \\Draft Word)
    S2: * OK [PERMANENTFLAGS {{*}}
    S2: * 2 FETCH (FLAGS (\\Flagged Word))
    S2: b1 OK {{*}}
    C: a2 APPEND INBOX {4+}
    C: a: 4
    S: * 4 EXISTS
    S: * 4 RECENT
    S: a2 OK {{*}}
    C2: b2 NOOP
    S2: * 4 EXISTS
    S2: * 0 RECENT
    S2: b2 OK {{*}}
    C: a3 STORE 1,3 +FLAGS.SILENT (\\Deleted)
    S: a3 OK {{*}}
    C: a4 EXPUNGE
    S: * 1 EXPUNGE
    S: * 2 EXPUNGE
    S: a4 OK {{*}}
    C2: b3 NOOP
    S2: * 1 EXPUNGE
    S2: * 2 EXPUNGE
    S2: b3 OK {{*}}
    C2: b4 FETCH 1:* (UID)
    S2: * 1 FETCH (UID 2)
    S2: * 2 FETCH (UID 4)
    S2: b4 OK {{*}}
  `);
});

test("keeps sequence numbers while they are in use, and sends EXPUNGE afterwards", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C: a1 STORE 1 +FLAGS.SILENT (\\Deleted)
    S: a1 OK {{*}}
    C: a2 EXPUNGE
    S: * 1 EXPUNGE
    S: a2 OK {{*}}
    C2: b1 FETCH 2 (UID)
    S2: * 2 FETCH (UID 2)
    S2: b1 OK {{*}}
    C2: b2 FETCH 1:3 (UID FLAGS)
    S2: * 2 FETCH (UID 2 FLAGS ())
    S2: * 3 FETCH (UID 3 FLAGS ())
    S2: b2 OK [EXPUNGEISSUED] {{*}}
    C2: b3 SEARCH ALL
    S2: * SEARCH 2 3
    S2: b3 OK {{*}}
    C2: b4 STORE 3 +FLAGS (\\Seen)
    S2: * 3 FETCH (FLAGS (\\Seen))
    S2: b4 OK {{*}}
    C2: b5 COPY 1:2 Archive
    S2: b5 NO [EXPUNGEISSUED] {{*}}
    C2: b6 UID FETCH 1:* (FLAGS)
    S2: * 2 FETCH (UID 2 FLAGS ())
    S2: * 3 FETCH (UID 3 FLAGS (\\Seen))
    S2: * 1 EXPUNGE
    S2: b6 OK {{*}}
    C2: b7 FETCH 1:2 (UID)
    S2: * 1 FETCH (UID 2)
    S2: * 2 FETCH (UID 3)
    S2: b7 OK {{*}}
  `);
});

// Which of two sessions is told of a recent message is open (RFC 3501 section 2.3.2).
test("sends changes to an idle session at once", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C2: b1 IDLE
    S2: + idling
    C: a1 APPEND INBOX {4+}
    C: a: 4
    S*: a1 OK {{*}}
    S2: * 4 EXISTS
    S2: * {{*}} RECENT
    C: a2 STORE 4 +FLAGS (\\Deleted)
    S*: a2 OK {{*}}
    S2: * 4 FETCH (FLAGS ({{*}}\\Deleted))
    C: a3 EXPUNGE
    S*: a3 OK {{*}}
    S2: * 4 EXPUNGE
    C2: DONE
    S2: b1 OK IDLE completed
    C2: b2 IDLE
    S2: + idling
    C2: NOOP
    S2: b2 BAD {{*}}
  `);
});

test("sends CONDSTORE sessions the MODSEQ of every change", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C2: b1 SELECT INBOX (CONDSTORE)
    S2*: b1 OK {{*}}
    C: a1 STORE 1:2 +FLAGS (\\Seen)
    S*: a1 OK {{*}}
    C2: b2 NOOP
    S2: * 1 FETCH (UID 1 FLAGS (\\Seen) MODSEQ ({{modseq:\\d+}}))
    S2: * 2 FETCH (UID 2 FLAGS (\\Seen) MODSEQ ({{=modseq}}))
    S2: b2 OK {{*}}
    C2: b3 STORE 1:2 +FLAGS.SILENT (\\Seen)
    S2: b3 OK {{*}}
  `);
});

test("does not echo silent changes to their own session, nor swallow those of others", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C: a1 STORE 1 +FLAGS.SILENT (\\Seen)
    S: a1 OK {{*}}
    C2: b1 STORE 2 +FLAGS.SILENT (\\Flagged)
    S2: * 1 FETCH (FLAGS (\\Seen))
    S2: b1 OK {{*}}
    C: a2 NOOP
    S: * 2 FETCH (FLAGS (\\Recent \\Flagged))
    S: a2 OK {{*}}
    C2: b2 NOOP
    S2: b2 OK {{*}}
  `);
});

test("ends the sessions of a mailbox that is deleted", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C: a1 CREATE Gone
    S: a1 OK {{*}}
    C: a2 SELECT Gone
    S*: a2 OK {{*}}
    C2: b1 SELECT Gone
    S2*: b1 OK {{*}}
    C: a3 DELETE Gone
    S: * OK [CLOSED] {{*}}
    S: a3 OK {{*}}
    C: a4 FETCH 1 FLAGS
    S: a4 BAD {{*}}
    C2: b2 NOOP
    S2: * BYE {{*}}
    CLOSED2
  `);
});

test("forgets saved results of messages that are gone", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C2: b1 UID SEARCH RETURN (SAVE COUNT) ALL
    S2: * ESEARCH (TAG "b1") UID COUNT 3
    S2: b1 OK {{*}}
    C: a1 STORE 2 +FLAGS.SILENT (\\Deleted)
    S: a1 OK {{*}}
    C: a2 CLOSE
    S: a2 OK {{*}}
    C2: b2 UID SEARCH $
    S2: * SEARCH 1 3
    S2: * 2 EXPUNGE
    S2: b2 OK {{*}}
    C2: b3 FETCH $ UID
    S2: * 1 FETCH (UID 1)
    S2: * 2 FETCH (UID 3)
    S2: b3 OK {{*}}
  `);
});
