import { describe, expect, test } from "vitest";
import { type NotifyArguments, readNotifyArguments } from "#/protocols/imap/notify/grammar.ts";
import { WireReader } from "#/protocols/imap/wire/wire-reader.ts";
import { nobody } from "#/src/model/author.ts";
import { startImap } from "../server.ts";
import { administrate, bothLoggedIn, startShared } from "../shared-server.ts";

function parseNotify(text: string): NotifyArguments {
  const reader = new WireReader({ lines: [text], literals: [] });
  const args = readNotifyArguments(reader, { form: "plain", names: "utf8" });
  reader.end();
  return args;
}

const twoSessions = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK [CAPABILITY {{had:.* NOTIFY.*}}] Logged in
  S2: * OK {{*}}
  C2: i1 LOGIN {{=login}}
  S2: i1 OK {{*}}
`;

test("sends events of the selected mailbox between commands, with the requested items of new messages", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C: a1 NOTIFY SET (selected (MessageNew (UID BODY.PEEK[HEADER.FIELDS (Subject)]) MessageExpunge FlagChange))
    S: a1 OK {{*}}
    C: a2 SELECT INBOX
    S*: a2 OK {{*}}
    C2: b1 APPEND INBOX {14+}
    C2: Subject: one\\r\\n
    S2: b1 OK {{*}}
    S: * 1 EXISTS
    S: * 1 RECENT
    S: * 1 FETCH (UID 1 BODY[HEADER.FIELDS (Subject)] {16}
    S: Subject: one
    S:
    S: )
    C2: b2 SELECT INBOX
    S2*: b2 OK {{*}}
    C2: b3 STORE 1 +FLAGS.SILENT (\\Deleted)
    S2: b3 OK {{*}}
    S: * 1 FETCH (UID 1 FLAGS (\\Recent \\Deleted))
    C2: b4 EXPUNGE
    S2*: b4 OK {{*}}
    S: * 1 EXPUNGE
    C2: b5 APPEND Archive {4+}
    C2: a: 1
    S2: b5 OK {{*}}
    C: a3 NOOP
    S: a3 OK {{*}}
    C: a4 APPEND INBOX {4}
    S: + {{*}}
    C: a: 2
    S: * 1 EXISTS
    S: * 1 RECENT
    S: a4 OK {{*}}
    C2: b6 NOOP
    S2: * 1 EXISTS
    S2: * 0 RECENT
    S2: b6 OK {{*}}
  `);
});

test("sends one FETCH response for a new message that NOTIFY and a search ask for", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C: i2 SELECT INBOX
    S*: i2 OK {{*}}
    C: a1 SEARCH RETURN (COUNT UPDATE (UID BODY.PEEK[HEADER.FIELDS (Subject)])) SUBJECT one
    S: * ESEARCH (TAG "a1") COUNT 0
    S: a1 OK {{*}}
    C: a2 UID SEARCH RETURN (UPDATE(RFC822.SIZE)) FLAGGED
    S: * ESEARCH (TAG "a2") UID
    S: a2 OK {{*}}
    C2: b1 APPEND INBOX {14+}\\r\\nSubject: one\\r\\n {14+}\\r\\nSubject: two\\r\\n
    S2: b1 OK {{*}}
    C: a3 NOOP
    S: * 2 EXISTS
    S: * 2 RECENT
    S: * 1 FETCH (UID 1 BODY[HEADER.FIELDS (Subject)] {16}
    S: Subject: one
    S:
    S: )
    S: * ESEARCH (TAG "a1") ADDTO (0 1)
    S: a3 OK {{*}}
    C: a4 NOTIFY SET (selected (MessageNew (UID FLAGS) MessageExpunge FlagChange))
    S: a4 OK {{*}}
    C2: b2 APPEND INBOX (\\Flagged) {14+}\\r\\nSubject: one\\r\\n {4+}\\r\\na: 1
    S2: b2 OK {{*}}
    S: * 4 EXISTS
    S: * 4 RECENT
    S: * 3 FETCH (UID 3 FLAGS (\\Recent \\Flagged) BODY[HEADER.FIELDS (Subject)] {16}
    S: Subject: one
    S:
    S:  RFC822.SIZE 14)
    S: * 4 FETCH (UID 4 FLAGS (\\Recent))
    S: * ESEARCH (TAG "a1") ADDTO (0 3)
    S: * ESEARCH (TAG "a2") UID ADDTO (0 3)
    # what comes into a result by its flags is told by them alone
    C2: b3 SELECT INBOX
    S2*: b3 OK {{*}}
    C2: b4 STORE 2 +FLAGS.SILENT (\\Flagged)
    S2: b4 OK {{*}}
    S: * 2 FETCH (UID 2 FLAGS (\\Recent \\Flagged))
    S: * ESEARCH (TAG "a2") UID ADDTO (0 2)
    C: a5 SEARCH RETURN (UPDATE (NONSENSE)) ALL
    S: a5 BAD {{*}}
  `);
});

test("keeps EXPUNGE back until a command allows it with SELECTED-DELAYED", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C: i2 APPEND INBOX {4+}
    C: a: 1 {4+}
    C: a: 2
    S: i2 OK {{*}}
    C: i3 SELECT INBOX
    S*: i3 OK {{*}}
    C: a1 NOTIFY SET (selected-delayed (MessageNew MessageExpunge FlagChange))
    S: a1 OK {{*}}
    C2: b1 SELECT INBOX
    S2*: b1 OK {{*}}
    C2: b2 STORE 1 FLAGS.SILENT (\\Deleted)
    S2: b2 OK {{*}}
    S: * 1 FETCH (UID 1 FLAGS (\\Recent \\Deleted))
    C2: b3 EXPUNGE
    S2*: b3 OK {{*}}
    C2: b4 STORE 1 FLAGS.SILENT (\\Flagged)
    S2: b4 OK {{*}}
    S: * 2 FETCH (UID 2 FLAGS (\\Recent \\Flagged))
    C: a2 IDLE
    S: + idling
    S: * 1 EXPUNGE
    C: DONE
    S: a2 OK {{*}}
  `);
});

test("sends only requested events of the selected mailbox, and the results of the client's own commands", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C: i2 SELECT INBOX
    S*: i2 OK {{*}}
    C2: b1 APPEND INBOX {4+}
    C2: a: 1
    S2: b1 OK {{*}}
    C: a1 NOTIFY SET (personal (MailboxName))
    S: * 1 EXISTS
    S: * 1 RECENT
    S: a1 OK {{*}}
    C2: b2 APPEND INBOX {4+}
    C2: a: 2
    S2: b2 OK {{*}}
    C: a2 NOOP
    S: a2 OK {{*}}
    C: a3 UID STORE 1 +FLAGS.SILENT (\\Deleted)
    S: * 2 EXISTS
    S: * 2 RECENT
    S: a3 OK {{*}}
    C: a4 EXPUNGE
    S: * 1 EXPUNGE
    S: a4 OK {{*}}
    C: a5 NOTIFY NONE
    S: a5 OK {{*}}
    C2: b3 APPEND INBOX {4+}
    C2: a: 3
    S2: b3 OK {{*}}
    C: a6 IDLE
    S: + idling
    C: DONE
    S: a6 OK {{*}}
  `);
});

test("sends STATUS of other mailboxes, at once and when requested", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C: i2 CREATE Lists/one
    S: i2 OK {{*}}
    C: i3 SELECT INBOX
    S*: i3 OK {{*}}
    C: a1 NOTIFY SET STATUS (subtree Lists (MessageNew MessageExpunge)) (mailboxes (Archive Nowhere) (MessageNew MessageExpunge FlagChange)) (inboxes (MessageNew MessageExpunge))
    S: * STATUS "Archive" (MESSAGES 0 UIDNEXT 1 UIDVALIDITY {{*}} HIGHESTMODSEQ {{*}})
    S: * STATUS "Junk" (MESSAGES 0 UIDNEXT 1 UIDVALIDITY {{*}})
    S: * STATUS "Lists" (MESSAGES 0 UIDNEXT 1 UIDVALIDITY {{*}})
    S: * STATUS "Lists/one" (MESSAGES 0 UIDNEXT 1 UIDVALIDITY {{*}})
    S: a1 OK {{*}}
    C2: b1 APPEND Lists/one {4+}
    C2: a: 1
    S2: b1 OK {{*}}
    S: * STATUS "Lists/one" (MESSAGES 1 UIDNEXT 2)
    C2: b2 APPEND Archive {4+}
    C2: a: 1
    S2: b2 OK {{*}}
    S: * STATUS "Archive" (MESSAGES 1 UIDNEXT 2)
    C2: b3 SELECT Archive
    S2*: b3 OK {{*}}
    C2: b4 STORE 1 +FLAGS.SILENT (\\Seen)
    S2: b4 OK {{*}}
    S: * STATUS "Archive" (UIDVALIDITY {{*}} UNSEEN 0)
    C: a2 ENABLE CONDSTORE
    S*: a2 OK {{*}}
    C2: b5 STORE 1 +FLAGS.SILENT (\\Flagged)
    S2: b5 OK {{*}}
    S: * STATUS "Archive" (UIDVALIDITY {{*}} UNSEEN 0 HIGHESTMODSEQ {{*}})
    C2: b6 APPEND Sent {4+}
    C2: a: 1
    S2: b6 OK {{*}}
    C2: b7 APPEND INBOX {4+}
    C2: a: 1
    S2: b7 OK {{*}}
    C2: b8 MOVE 1 Lists/one
    S2*: b8 OK {{*}}
    S: * STATUS "Archive" (MESSAGES 0 UIDNEXT 2 HIGHESTMODSEQ {{*}})
    S: * STATUS "Lists/one" (MESSAGES 2 UIDNEXT 3 HIGHESTMODSEQ {{*}})
    C: a3 UNAUTHENTICATE
    S: a3 OK {{*}}
    C2: b9 APPEND Archive {4+}
    C2: a: 1
    S2*: b9 OK {{*}}
    C: a4 NOOP
    S: a4 OK {{*}}
  `);
});

test("sends LIST of mailboxes that are created, deleted, renamed or subscribed", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C: a1 NOTIFY SET (personal (MailboxName SubscriptionChange))
    S: a1 OK {{*}}
    C2: b1 CREATE New
    S2: b1 OK {{*}}
    S: * LIST (\\HasNoChildren) "/" "New"
    C2: b2 CREATE New/below
    S2: b2 OK {{*}}
    S: * LIST (\\HasNoChildren) "/" "New/below"
    S: * LIST (\\HasChildren) "/" "New"
    C2: b3 SUBSCRIBE New/below
    S2: b3 OK {{*}}
    S: * LIST (\\HasNoChildren \\Subscribed) "/" "New/below"
    C2: b4 SUBSCRIBE New/below
    S2: b4 OK {{*}}
    C2: b5 RENAME New Other
    S2: b5 OK {{*}}
    S: * LIST (\\HasChildren) "/" "Other" ("OLDNAME" ("New"))
    C2: b6 DELETE Other/below
    S2: b6 OK {{*}}
    S: * LIST (\\NonExistent \\HasNoChildren) "/" "Other/below"
    S: * LIST (\\HasNoChildren) "/" "Other"
    C: a2 NOTIFY SET (subtree Work (MailboxName))
    S: a2 OK {{*}}
    C2: b7 CREATE Play
    S2: b7 OK {{*}}
    C2: b8 CREATE Work
    S2: b8 OK {{*}}
    S: * LIST (\\HasNoChildren) "/" "Work"
  `);
});

test("sends NOTIFICATIONOVERFLOW when more has happened than the log keeps", async () => {
  await using server = await startImap();
  const { agent } = server.store.ids.decode(server.robin.id)!;
  const archive = (await server.mail.findMailbox(agent, "Archive"))!;
  const message = { bytes: Buffer.from("a: 1"), flags: 0, keywords: [] };
  const happen = async (): Promise<void> => {
    await server.mail.appendMessages(nobody, agent, archive.number, [message], { source: "imap" });
    await server.store.write(nobody, "pruneChanges", { agent, before: Number.MAX_SAFE_INTEGER, limit: 100 });
  };
  // Nothing is told while a command is being sent.
  await server.converse(
    `${twoSessions}
    C: a1 NOTIFY SET (personal (MessageNew MessageExpunge))
    S: a1 OK {{*}}
    C: a2 STATUS {5}
    S: + {{*}}
    DO happen
    C: INBOX (UNSEEN)
    S: * STATUS "INBOX" (UNSEEN 0)
    S: * OK [NOTIFICATIONOVERFLOW] {{*}}
    S: a2 OK {{*}}
    C2: b1 APPEND Archive {4+}
    C2: a: 1
    S2: b1 OK {{*}}
    C: a3 NOOP
    S: a3 OK {{*}}
  `,
    { actions: { happen } },
  );
});

test("sends which annotations change, except those that the client changes itself", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C: a1 NOTIFY SET (personal (MailboxMetadataChange ServerMetadataChange)) (selected (MessageNew MessageExpunge))
    S: a1 OK {{*}}
    C2: b1 SETMETADATA INBOX (/shared/comment "x" /private/comment "y")
    S2: b1 OK {{*}}
    S: * METADATA "INBOX" /shared/comment /private/comment
    C2: b2 SETMETADATA "" (/shared/comment "x")
    S2: b2 OK {{*}}
    S: * METADATA "" /shared/comment
    # nothing changes
    C2: b3 SETMETADATA INBOX (/shared/comment "x" /private/vendor/none NIL)
    S2: b3 OK {{*}}
    C2: b4 SETMETADATA INBOX (/shared/comment NIL)
    S2: b4 OK {{*}}
    S: * METADATA "INBOX" /shared/comment
    C: a2 SETMETADATA INBOX (/private/comment NIL)
    S: a2 OK {{*}}
    C: a3 NOTIFY SET (mailboxes Archive (MailboxMetadataChange))
    S: a3 OK {{*}}
    C2: b5 SETMETADATA INBOX (/shared/comment "x")
    S2: b5 OK {{*}}
    C2: b6 SETMETADATA "" (/shared/comment "y")
    S2: b6 OK {{*}}
    C2: b7 SETMETADATA Archive (/private/comment "z")
    S2: b7 OK {{*}}
    S: * METADATA "Archive" /private/comment
  `);
});

test("sends annotations that others change at the end of commands once METADATA is enabled", async () => {
  await using server = await startImap();
  await server.converse(`${twoSessions}
    C: a1 ENABLE METADATA
    S: * ENABLED METADATA
    S: a1 OK {{*}}
    C: a2 SELECT INBOX
    S*: a2 OK {{*}}
    C2: b1 SETMETADATA INBOX (/shared/comment "x")
    S2: b1 OK {{*}}
    C2: b2 APPEND INBOX {4+}
    C2: a: 1
    S2: b2 OK {{*}}
    C: a3 SETMETADATA "" (/private/comment "own")
    S: * METADATA "INBOX" /shared/comment
    S: * 1 EXISTS
    S: * 1 RECENT
    S: a3 OK {{*}}
    C: a4 IDLE
    S: + idling
    C2: b3 SETMETADATA "" (/private/comment NIL)
    S2: b3 OK {{*}}
    S: * METADATA "" /private/comment
    C: DONE
    S: a4 OK {{*}}
    # what NOTIFY asks for comes to it
    C: a5 NOTIFY SET (mailboxes Archive (MessageNew MessageExpunge))
    S: a5 OK {{*}}
    C2: b4 SETMETADATA Sent (/shared/comment "x")
    S2: b4 OK {{*}}
    S: * METADATA "Sent" /shared/comment
    C2: b5 NOTIFY NONE
    S2: b5 OK {{*}}
    C2: b6 ENABLE METADATA
    S2: * ENABLED METADATA
    S2: b6 OK {{*}}
    C: a6 SETMETADATA Sent (/shared/comment "y")
    S: a6 OK {{*}}
    S2: * METADATA "Sent" /shared/comment
  `);
});

test("watches mailboxes of others while they are shared", async () => {
  await using shared = await startShared({ scopes: ["mail"], mailboxes: ["INBOX", "Archive"] });
  const grantAgain = () =>
    administrate(shared.server, "grant.create", {
      holder: "robin@example.test",
      target: "kim@example.test",
      scopes: ["mail"],
      mailboxes: ["INBOX"],
    });
  await shared.converse(
    `${bothLoggedIn}
    C: a1 NOTIFY SET STATUS (subtree "Other Users/kim@example.test/INBOX" (MessageNew MessageExpunge FlagChange)) (subtree "Other Users" (MailboxMetadataChange))
    S: * STATUS "Other Users/kim@example.test/INBOX" (MESSAGES 2 UIDNEXT 3 UIDVALIDITY {{*}} HIGHESTMODSEQ {{*}})
    S: a1 OK {{*}}
    C2: b1 APPEND INBOX {4+}\\r\\na: 1
    S2: b1 OK {{*}}
    S: * STATUS "Other Users/kim@example.test/INBOX" (MESSAGES 3 UIDNEXT 4)
    C2: b2 APPEND Archive {4+}\\r\\na: 1
    S2: b2 OK {{*}}
    C2: b3 SETMETADATA Archive (/shared/comment "x" /private/comment "kim's own")
    S2: b3 OK {{*}}
    S: * METADATA "Other Users/kim@example.test/Archive" /shared/comment
    DO revoke
    S: * LIST (\\NoAccess) "/" "Other Users/kim@example.test/Archive"
    S: * LIST (\\NoAccess) "/" "Other Users/kim@example.test/INBOX"
    C2: b4 APPEND INBOX {4+}\\r\\na: 1
    S2: b4 OK {{*}}
    C: a2 NOOP
    S: a2 OK {{*}}
    DO grantAgain
    S: * LIST (\\HasNoChildren) "/" "Other Users/kim@example.test/INBOX"
    C2: b5 APPEND INBOX {4+}\\r\\na: 1
    S2: b5 OK {{*}}
    S: * STATUS "Other Users/kim@example.test/INBOX" (MESSAGES 5 UIDNEXT 6)
  `,
    { grantAgain },
  );
});

test("a newly shared mailbox is sent as created, one that is no longer shared as deleted", async () => {
  await using shared = await startShared({ scopes: ["mail"], mailboxes: ["INBOX"] });
  let grant: unknown;
  const grantMore = async () => {
    const { number } = await administrate(shared.server, "grant.create", {
      holder: "robin@example.test",
      target: "kim@example.test",
      scopes: ["mail:read"],
      mailboxes: ["Archive"],
    });
    grant = number;
  };
  const revokeMore = () => administrate(shared.server, "grant.revoke", { number: grant });
  await shared.converse(
    `${bothLoggedIn}
    C: a1 NOTIFY SET (subtree "Other Users" (MailboxName))
    S: a1 OK {{*}}
    DO grantMore
    S: * LIST (\\HasNoChildren) "/" "Other Users/kim@example.test/Archive"
    S: * LIST (\\NonExistent \\HasChildren) "/" "Other Users/kim@example.test"
    DO revoke
    S: * LIST (\\NonExistent \\HasNoChildren) "/" "Other Users/kim@example.test/INBOX"
    S: * LIST (\\NonExistent \\HasChildren) "/" "Other Users/kim@example.test"
    C2: b1 RENAME Archive Elsewhere
    S2: b1 OK {{*}}
    S: * LIST (\\HasNoChildren) "/" "Other Users/kim@example.test/Elsewhere" ("OLDNAME" ("Other Users/kim@example.test/Archive"))
    DO revokeMore
    S: * LIST (\\NonExistent \\HasNoChildren) "/" "Other Users/kim@example.test/Elsewhere"
    S: * LIST (\\NonExistent \\HasNoChildren) "/" "Other Users/kim@example.test"
  `,
    { grantMore, revokeMore },
  );
});

describe("NOTIFY", () => {
  test.each([
    " NONE",
    " SET (selected NONE)",
    " set status (Selected-Delayed (messagenew messageexpunge))",
    " SET (selected (MessageNew (UID FLAGS) MessageExpunge)) (subtree (a b) (MailboxName SubscriptionChange))",
    " SET (mailboxes STATUS (MessageNew MessageExpunge FlagChange))",
    " SET (personal (MessageExpunge MessageNew))",
    " SET (inboxes (MailboxMetadataChange serverMetadataChange))",
  ])("may be%s", (text) => {
    expect(parseNotify(text)).toBeDefined();
  });

  test.each([
    ["", "BAD"],
    [" SET", "BAD"],
    [" SET STATUS", "BAD"],
    [" NONE x", "BAD"],
    [" SET (selected)", "BAD"],
    [" SET (selected ())", "BAD"],
    [" SET (elsewhere (MessageNew MessageExpunge))", "BAD"],
    [" SET (selected (MessageNew))", "BAD"],
    [" SET (selected (FlagChange))", "BAD"],
    [" SET (selected (MailboxName))", "BAD"],
    [" SET (personal (MessageNew (UID) MessageExpunge))", "BAD"],
    [" SET (selected NONE) (selected-delayed NONE)", "BAD"],
    [" SET (selected (MessageNew UID MessageExpunge))", "NO"],
    [" SET (personal (AnnotationChange))", "NO"],
    [` SET${" (personal NONE)".repeat(1001)}`, "NO"],
  ])("may not be%s", (text, status) => {
    expect(() => parseNotify(text)).toThrow(expect.objectContaining({ status }));
  });
});
