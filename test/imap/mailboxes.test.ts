import { test } from "vitest";
import { startImap } from "./server.ts";

const loggedIn = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
`;

test("lists the standard mailboxes with their special use", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 LIST "" *
    S: * LIST (\\HasNoChildren \\Archive) "/" "Archive"
    S: * LIST (\\HasNoChildren \\Drafts) "/" "Drafts"
    S: * LIST (\\HasNoChildren) "/" "INBOX"
    S: * LIST (\\HasNoChildren \\Junk) "/" "Junk"
    S: * LIST (\\HasNoChildren \\Sent) "/" "Sent"
    S: * LIST (\\HasNoChildren \\Trash) "/" "Trash"
    S: a1 OK LIST completed
    C: a2 LIST "" ""
    S: * LIST (\\Noselect) "/" ""
    S: a2 OK {{*}}
    C: a3 LIST "" ("Tra*" inbox) RETURN (SUBSCRIBED STATUS (MESSAGES UNSEEN))
    S: * LIST (\\HasNoChildren \\Subscribed) "/" "INBOX"
    S: * STATUS "INBOX" (MESSAGES 0 UNSEEN 0)
    S: * LIST (\\HasNoChildren \\Trash \\Subscribed) "/" "Trash"
    S: * STATUS "Trash" (MESSAGES 0 UNSEEN 0)
    S: a3 OK {{*}}
    C: a4 LIST (SPECIAL-USE) "" "%" RETURN (SPECIAL-USE)
    S*: a4 OK {{*}}
    C: a5 NAMESPACE
    S: * NAMESPACE (("" "/")) (("Other Users/" "/")) NIL
    S: a5 OK {{*}}
    C: a6 LIST (RECURSIVEMATCH) "" *
    S: a6 BAD {{*}}
    C: a7 LIST (FOO) "" *
    S: a7 BAD {{*}}
  `);
});

test("creates, renames and deletes mailboxes with those below them", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 CREATE Work/2026/May
    S: a1 OK [MAILBOXID (folder_{{*}})] CREATE completed
    C: a2 LIST "" Work%
    S: * LIST (\\HasChildren) "/" "Work"
    S: a2 OK {{*}}
    C: a3 CREATE work/
    S: a3 OK {{*}}
    C: a4 CREATE Work
    S: a4 NO [ALREADYEXISTS] {{*}}
    C: a5 CREATE INBOX
    S: a5 NO [ALREADYEXISTS] {{*}}
    C: a6 DELETE Work
    S: a6 NO [HASCHILDREN] {{*}}
    C: a7 RENAME Work Projects
    S: a7 OK {{*}}
    C: a8 LIST Projects/ *
    S: * LIST (\\HasChildren) "/" "Projects/2026"
    S: * LIST (\\HasNoChildren) "/" "Projects/2026/May"
    S: a8 OK {{*}}
    C: a9 DELETE Projects/2026/May
    S: a9 OK {{*}}
    C: b1 DELETE INBOX
    S: b1 NO [CANNOT] {{*}}
    C: b2 DELETE Nowhere
    S: b2 NO [NONEXISTENT] {{*}}
    C: b3 SELECT Nowhere
    S: b3 NO [NONEXISTENT] {{*}}
    C: b4 RENAME Projects INBOX
    S: b4 NO [ALREADYEXISTS] {{*}}
    C: b5 STATUS Nowhere (MESSAGES)
    S: b5 NO [NONEXISTENT] {{*}}
    C: b6 STATUS INBOX (FOO)
    S: b6 BAD {{*}}
  `);
});

test("gives the mail of INBOX away when INBOX is renamed", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 APPEND INBOX {4+}
    C: a: b
    S: a1 OK {{*}}
    C: a2 RENAME INBOX Old
    S: a2 OK {{*}}
    C: a3 STATUS INBOX (MESSAGES)
    S: * STATUS "INBOX" (MESSAGES 0)
    S: a3 OK {{*}}
    C: a4 STATUS Old (MESSAGES)
    S: * STATUS "Old" (MESSAGES 1)
    S: a4 OK {{*}}
  `);
});

test("keeps subscriptions apart from mailboxes", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 SUBSCRIBE Later/Deep
    S: a1 OK {{*}}
    C: a2 UNSUBSCRIBE Junk
    S: a2 OK {{*}}
    C: a3 LSUB "" "%"
    S: * LSUB () "/" "Archive"
    S: * LSUB () "/" "Drafts"
    S: * LSUB () "/" "INBOX"
    S: * LSUB (\\Noselect) "/" "Later"
    S: * LSUB () "/" "Sent"
    S: * LSUB () "/" "Trash"
    S: a3 OK {{*}}
    C: a4 LIST (SUBSCRIBED) "" "Later/*"
    S: * LIST (\\NonExistent \\HasNoChildren \\Subscribed) "/" "Later/Deep"
    S: a4 OK {{*}}
    C: a5 CREATE Later
    S: a5 OK {{*}}
    C: a6 LIST (SUBSCRIBED RECURSIVEMATCH) "" "Lat%"
    S: * LIST (\\HasNoChildren) "/" "Later" ("CHILDINFO" ("SUBSCRIBED"))
    S: a6 OK {{*}}
    # of what is listed for what is below it nothing more is told
    C: a7 LIST (SUBSCRIBED RECURSIVEMATCH) "" "Lat%" RETURN (STATUS (MESSAGES) MYRIGHTS METADATA (/shared/comment))
    S: * LIST (\\HasNoChildren) "/" "Later" ("CHILDINFO" ("SUBSCRIBED"))
    S: a7 OK {{*}}
  `);
});

test("writes names in modified UTF-7, and in UTF-8 once IMAP4rev2 is enabled", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 CREATE "Entw&APw-rfe & mehr"
    S: a1 NO [CANNOT] {{*}}
    C: a2 CREATE "Entw&APw-rfe &- mehr"
    S: a2 OK {{*}}
    C: a3 LIST "" E*
    S: * LIST (\\HasNoChildren) "/" "Entw&APw-rfe &- mehr"
    S: a3 OK {{*}}
    C: a4 ENABLE IMAP4rev2 CONDSTORE X-NOTHING
    S: * ENABLED CONDSTORE IMAP4rev2
    S: a4 OK {{*}}
    C: a5 LIST "" E*
    S: * LIST (\\HasNoChildren) "/" "Entwürfe & mehr"
    S: a5 OK {{*}}
    C: a6 SELECT "Entwürfe & mehr"
    S: * FLAGS {{*}}
    S: * OK [PERMANENTFLAGS {{*}}
    S: * 0 EXISTS
    S*: * LIST () "/" "Entwürfe & mehr"
    S: a6 OK [READ-WRITE] {{*}}
    C: a7 SELECT INBOX
    S: * OK [CLOSED] {{*}}
    S*: a7 OK {{*}}
  `);
});

test("gives a special use to a mailbox while the one that has it is empty", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 CREATE Gesendet (USE (\\Sent))
    S: a1 OK [MAILBOXID {{*}}
    C: a2 LIST (SPECIAL-USE) "" "*e*"
    S: * LIST (\\HasNoChildren \\Archive) "/" "Archive"
    S: * LIST (\\HasNoChildren \\Sent) "/" "Gesendet"
    S: a2 OK {{*}}
    C: a3 DELETE Sent
    S: a3 OK {{*}}
    C: a4 APPEND Gesendet {4+}
    C: a: b
    S: a4 OK {{*}}
    C: a5 CREATE Sent (USE (\\Sent))
    S: a5 NO [USEATTR] {{*}}
    C: a6 CREATE Important (USE (\\Important))
    S: a6 NO [USEATTR] {{*}}
    C: a7 CREATE Both (USE (\\Junk \\Trash))
    S: a7 NO [USEATTR] {{*}}
    C: a8 CREATE Plain (USE ())
    S: a8 OK {{*}}
    C: a9 CREATE Other (FOO (\\Sent))
    S: a9 BAD {{*}}
    C: b1 CREATE Other (USE (Sent))
    S: b1 BAD {{*}}
  `);
});
