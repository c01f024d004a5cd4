import { describe, expect, test } from "vitest";
import { type NotifyArguments, readNotifyArguments } from "#/protocols/imap/notify-grammar.ts";
import { NotifyWatch } from "#/protocols/imap/notify-watch.ts";
import { ResponseWriter } from "#/protocols/imap/response-writer.ts";
import type { Session } from "#/protocols/imap/session.ts";
import { WireReader } from "#/protocols/imap/wire-reader.ts";
import { createFeed } from "#/src/feed/feed.ts";
import { startImap } from "./server.ts";

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

test("tells of the selected mailbox between commands, with what was asked for of new messages", async () => {
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
    S: * 1 FETCH (UID 2 BODY[HEADER.FIELDS (Subject)] {2}
    S:
    S: )
    S: a4 OK {{*}}
    C2: b6 NOOP
    S2: * 1 EXISTS
    S2: * 0 RECENT
    S2: b6 OK {{*}}
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

test("tells nothing of the selected mailbox that was not asked for, but what the client does itself", async () => {
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

test("tells STATUS of other mailboxes, at once and when asked for", async () => {
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

test("tells LIST of mailboxes that come, go, change their name or are subscribed", async () => {
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

test("says when more has happened than the log keeps", async () => {
  await using server = await startImap();
  const { agent } = server.store.ids.decode(server.robin.id)!;
  const [robin] = await server.mail.listMailboxes(agent);
  const lines: string[] = [];
  const out = new ResponseWriter(async (data) => void lines.push(String(data)));
  const rooms = { mail: server.mail, feed: createFeed(server.store) };
  const { groups } = parseNotify(" SET (personal (MessageNew MessageExpunge))");
  const watch = await NotifyWatch.open(rooms, agent, groups);
  const message = { bytes: Buffer.from("a: 1"), flags: 0, keywords: [] };
  await server.mail.appendMessages(agent, robin!.number, [message], { source: "imap" });
  await server.store.write("pruneChanges", { agent, before: Number.MAX_SAFE_INTEGER, limit: 100 });
  const session = { state: "authenticated" } as Session;
  await watch.tell(session, out);
  await watch.tell(session, out);
  await out.flush();
  expect(lines.join("")).toMatch(/^\* OK \[NOTIFICATIONOVERFLOW\] [^\n]*\n$/);
  watch.close();
});

describe("NOTIFY", () => {
  test.each([
    " NONE",
    " SET (selected NONE)",
    " set status (Selected-Delayed (messagenew messageexpunge))",
    " SET (selected (MessageNew (UID FLAGS) MessageExpunge)) (subtree (a b) (MailboxName SubscriptionChange))",
    " SET (mailboxes STATUS (MessageNew MessageExpunge FlagChange))",
    " SET (personal (MessageExpunge MessageNew))",
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
