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

test("moves the mail of INBOX to the new name when INBOX is renamed", async () => {
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

test("takes names with wildcards, which patterns cannot name exactly", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 CREATE "50% off"
    S: a1 OK {{*}}
    C: a2 CREATE "*Star/%"
    S: a2 OK {{*}}
    C: a3 RENAME "*Star/%" "*Star/*"
    S: a3 OK {{*}}
    C: a4 SUBSCRIBE "50% off"
    S: a4 OK {{*}}
    C: a5 APPEND "50% off" {3+}
    C: a:b
    S: a5 OK {{*}}
    C: a6 SELECT "50% off"
    S*: * 1 EXISTS
    S*: a6 OK {{*}}
    C: a7 COPY 1 "*Star/*"
    S: a7 OK {{*}}
    C: a8 STATUS "*Star/*" (MESSAGES)
    S: * STATUS "*Star/*" (MESSAGES 1)
    S: a8 OK {{*}}
    C: a9 CREATE "50 and more off"
    S: a9 OK {{*}}
    C: b1 LIST "" "50% off"
    S: * LIST (\\HasNoChildren) "/" "50 and more off"
    S: * LIST (\\HasNoChildren) "/" "50% off"
    S: b1 OK {{*}}
    C: b2 DELETE "50% off"
    S*: b2 OK {{*}}
  `);
});

test("RECURSIVEMATCH shows parents that do not exist, and what lies below those that are subscribed", async () => {
  await using server = await startImap();
  await server.converse(`${loggedIn}
    C: a1 CREATE Fruit/Peach
    S: a1 OK {{*}}
    C: a2 UNSUBSCRIBE INBOX
    S: a2 OK {{*}}
    C: a3 UNSUBSCRIBE Archive
    S: a3 OK {{*}}
    C: a4 UNSUBSCRIBE Drafts
    S: a4 OK {{*}}
    C: a5 UNSUBSCRIBE Junk
    S: a5 OK {{*}}
    C: a6 UNSUBSCRIBE Sent
    S: a6 OK {{*}}
    C: a7 UNSUBSCRIBE Trash
    S: a7 OK {{*}}
    C: a8 UNSUBSCRIBE Fruit
    S: a8 OK {{*}}
    C: a9 SUBSCRIBE Fruit/Peach
    S: a9 OK {{*}}
    C: b1 SUBSCRIBE Gone/Child
    S: b1 OK {{*}}
    C: b2 LIST (SUBSCRIBED RECURSIVEMATCH) "" "%"
    S: * LIST (\\HasChildren) "/" "Fruit" ("CHILDINFO" ("SUBSCRIBED"))
    S: * LIST (\\NonExistent \\HasNoChildren) "/" "Gone" ("CHILDINFO" ("SUBSCRIBED"))
    S: b2 OK {{*}}
    # What is listed itself needs no parent (RFC 5258 section 3.3).
    C: b3 LIST (SUBSCRIBED RECURSIVEMATCH) "" "*"
    S: * LIST (\\HasNoChildren \\Subscribed) "/" "Fruit/Peach"
    S: * LIST (\\NonExistent \\HasNoChildren \\Subscribed) "/" "Gone/Child"
    S: b3 OK {{*}}
    # A parent that is subscribed tells of its children, listed or not (section 3.5).
    C: b4 SUBSCRIBE Fruit
    S: b4 OK {{*}}
    C: b5 LIST (SUBSCRIBED RECURSIVEMATCH) "" "Fruit*"
    S: * LIST (\\HasChildren \\Subscribed) "/" "Fruit" ("CHILDINFO" ("SUBSCRIBED"))
    S: * LIST (\\HasNoChildren \\Subscribed) "/" "Fruit/Peach"
    S: b5 OK {{*}}
    C: b6 LIST (SUBSCRIBED) "" "%"
    S: * LIST (\\HasChildren \\Subscribed) "/" "Fruit"
    S: b6 OK {{*}}
    C: b7 RENAME Archive Fruit/Archive
    S: b7 OK {{*}}
    C: b8 LIST (SPECIAL-USE RECURSIVEMATCH) "" "F%"
    S: * LIST (\\HasChildren) "/" "Fruit" ("CHILDINFO" ("SPECIAL-USE"))
    S: b8 OK {{*}}
  `);
});

test("sends OLDNAME to a client of IMAP4rev2 when it wrote the name in another form", async () => {
  await using server = await startImap();
  const given = "Cafe\u0301";
  const name = "Caf\u00e9";
  await server.converse(`${loggedIn}
    C: a1 CREATE "${given}1"
    S: a1 OK {{*}}
    C: a2 ENABLE IMAP4rev2
    S*: a2 OK {{*}}
    C: a3 CREATE "${given}"
    S: * LIST () "/" "${name}" ("OLDNAME" ("${given}"))
    S: a3 OK {{*}}
    C: a4 CREATE "Plain"
    S: a4 OK {{*}}
    C: a5 SELECT "${given}"
    S*: * LIST () "/" "${name}" ("OLDNAME" ("${given}"))
    S: a5 OK {{*}}
    C: a6 EXAMINE inbox
    S*: * LIST () "/" "INBOX" ("OLDNAME" ("inbox"))
    S: a6 OK {{*}}
    C: a7 RENAME Plain "${given}2"
    S: * LIST () "/" "${name}2" ("OLDNAME" ("${given}2"))
    S: a7 OK {{*}}
    C: a8 DELETE "${given}"
    S: * LIST (\\NonExistent) "/" "${name}" ("OLDNAME" ("${given}"))
    S: a8 OK {{*}}
    C: a9 DELETE "${name}1"
    S: a9 OK {{*}}
  `);
});
