import { test } from "vitest";
import { startImap } from "../server.ts";

test("speaks in UIDs alone once UIDONLY is enabled", async () => {
  await using server = await startImap();
  await server.converse(`
    S: * OK {{*}}
    C: i1 LOGIN {{=login}}
    S: i1 OK [CAPABILITY {{had:.* UIDONLY .*}}] Logged in
    C: i2 APPEND INBOX {4+}
    C: a: 1 {4+}
    C: a: 2 {4+}
    C: a: 3
    S: i2 OK {{*}}
    C: i3 ENABLE UIDONLY
    S: * ENABLED UIDONLY
    S: i3 OK {{*}}
    C: i4 SELECT INBOX
    S#: UNSEEN
    S*: i4 OK {{*}}
    S2: * OK {{*}}
    C2: i1 LOGIN {{=login}}
    S2: i1 OK {{*}}
    C2: i2 SELECT INBOX
    S2*: i2 OK {{*}}
    C2: i3 STORE 1 +FLAGS.SILENT (\\Deleted)
    S2: i3 OK {{*}}
    C2: i4 EXPUNGE
    S2: * 1 EXPUNGE
    S2: i4 OK {{*}}
    C2: i5 STORE 1 +FLAGS.SILENT (\\Flagged)
    S2: i5 OK {{*}}
    C: a1 NOOP
    S: * VANISHED 1
    S: * 2 UIDFETCH (FLAGS (\\Recent \\Flagged))
    S: a1 OK {{*}}
    C: a2 UID FETCH 3 (FLAGS RFC822.SIZE)
    S: * 3 UIDFETCH (FLAGS (\\Recent) RFC822.SIZE 4)
    S: a2 OK {{*}}
    C: a3 UID STORE 3 +FLAGS (\\Deleted)
    S: * 3 UIDFETCH (FLAGS (\\Recent \\Deleted))
    S: a3 OK {{*}}
    C: a4 FETCH 1 FLAGS
    S: a4 BAD [UIDREQUIRED] {{*}}
    C: a5 STORE 1 FLAGS ()
    S: a5 BAD [UIDREQUIRED] {{*}}
    C: a6 SEARCH ALL
    S: a6 BAD [UIDREQUIRED] {{*}}
    C: a7 COPY 1 Archive
    S: a7 BAD [UIDREQUIRED] {{*}}
    C: a8 MOVE 1 Archive
    S: a8 BAD [UIDREQUIRED] {{*}}
    C: a9 UID SEARCH OR 1:2 FLAGGED
    S: a9 BAD [UIDREQUIRED] {{*}}
    C: b1 UID SEARCH UID 1:2
    S: * SEARCH 2
    S: b1 OK {{*}}
    C: b2 EXPUNGE
    S: * VANISHED 3
    S: b2 OK {{*}}
    C: b3 APPEND INBOX {4+}
    C: a: 4
    S: * 2 EXISTS
    S: * 2 RECENT
    S: b3 OK {{*}}
    C: b4 ENABLE QRESYNC
    S: * ENABLED QRESYNC
    S: * OK [HIGHESTMODSEQ {{*}}
    S: b4 OK {{*}}
    C: b5 SELECT INBOX (QRESYNC (1 1 1:2 (1 2)))
    S: b5 BAD [UIDREQUIRED] {{*}}
    C: b6 UID FETCH 2 (FLAGS) (CHANGEDSINCE 1 VANISHED)
    S: * 2 UIDFETCH (FLAGS (\\Recent \\Flagged) MODSEQ ({{*}}))
    S: b6 OK {{*}}
  `);
});

test("updates search results by UID once UIDONLY is enabled", async () => {
  await using server = await startImap();
  await server.converse(`
    S: * OK {{*}}
    C: i1 LOGIN {{=login}}
    S: i1 OK {{*}}
    C: i2 APPEND INBOX (\\Deleted) {4+}\\r\\na: 1 {4+}\\r\\na: 2
    S: i2 OK {{*}}
    C: i3 SELECT INBOX
    S*: i3 OK {{*}}
    C: i4 EXPUNGE
    S: * 1 EXPUNGE
    S: i4 OK {{*}}
    C: a1 SEARCH RETURN (COUNT UPDATE) FLAGGED
    S: * ESEARCH (TAG "a1") COUNT 0
    S: a1 OK {{*}}
    C: a2 ENABLE UIDONLY
    S*: a2 OK {{*}}
    C: a3 UID STORE 2 +FLAGS.SILENT (\\Flagged)
    S: * ESEARCH (TAG "a1") UID ADDTO (0 2)
    S: a3 OK {{*}}
    S2: * OK {{*}}
    C2: b1 LOGIN {{=login}}
    S2: b1 OK {{*}}
    C2: b2 SELECT INBOX
    S2*: b2 OK {{*}}
    C2: b3 STORE 1 FLAGS.SILENT (\\Seen)
    S2: b3 OK {{*}}
    C: a4 NOOP
    S: * 2 UIDFETCH (FLAGS (\\Recent \\Seen))
    S: * ESEARCH (TAG "a1") UID REMOVEFROM (0 2)
    S: a4 OK {{*}}
  `);
});
