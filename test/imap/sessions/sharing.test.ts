import { expect, test } from "vitest";
import { defaultSettings } from "#/config/schema.ts";
import { createAccounts } from "#/src/accounts/accounts.ts";
import { ownerLevel } from "#/src/accounts/other-users.ts";
import { createMailboxAccess } from "#/src/reach/mailbox-access.ts";
import { administrate, bothLoggedIn, startShared } from "../shared-server.ts";

const settings = defaultSettings();

test("lists what a grant shares behind the own mailboxes, without its special use", async () => {
  await using shared = await startShared({ scopes: ["mail:read"], mailboxes: ["INBOX", "Sent"] });
  await shared.converse(`${bothLoggedIn}
    C: a1 NAMESPACE
    S: * NAMESPACE (("" "/")) (("Other Users/" "/")) NIL
    S: a1 OK {{*}}
    C: a2 LIST "" %
    S*: * LIST (\\HasNoChildren \\Trash) "/" "Trash"
    S: * LIST (\\Noselect \\HasChildren) "/" "Other Users"
    S: a2 OK {{*}}
    C: a3 LIST "" "Other Users/%"
    S: * LIST (\\Noselect \\HasChildren) "/" "Other Users/kim@example.test"
    S: a3 OK {{*}}
    C: a4 LIST "Other Users/" "%/%" RETURN (STATUS (MESSAGES UNSEEN) MYRIGHTS)
    S: * LIST (\\HasNoChildren) "/" "Other Users/kim@example.test/INBOX"
    S: * STATUS "Other Users/kim@example.test/INBOX" (MESSAGES 2 UNSEEN 1)
    S: * MYRIGHTS "Other Users/kim@example.test/INBOX" lr
    S: * LIST (\\HasNoChildren) "/" "Other Users/kim@example.test/Sent"
    S: * STATUS "Other Users/kim@example.test/Sent" (MESSAGES 0 UNSEEN 0)
    S: * MYRIGHTS "Other Users/kim@example.test/Sent" lr
    S: a4 OK {{*}}
    C: a5 SUBSCRIBE "Other Users/kim@example.test/INBOX"
    S: a5 OK {{*}}
    C: a6 LIST (SUBSCRIBED) "" "Other*"
    S: * LIST (\\HasNoChildren \\Subscribed) "/" "Other Users/kim@example.test/INBOX"
    S: a6 OK {{*}}
    C: a7 LIST (SUBSCRIBED RECURSIVEMATCH) "" "O%"
    S: * LIST (\\Noselect \\HasChildren) "/" "Other Users" ("CHILDINFO" ("SUBSCRIBED"))
    S: a7 OK {{*}}
    C2: b1 LIST "" "Other*"
    S2: b1 OK {{*}}
    C2: b2 LIST "" Sent
    S2: * LIST (\\HasNoChildren \\Sent) "/" "Sent"
    S2: b2 OK {{*}}
  `);
});

test("a grant to read allows reading, and no change", async () => {
  await using shared = await startShared({ scopes: ["mail:read"], mailboxes: ["INBOX"] });
  await shared.converse(`${bothLoggedIn}
    C: a1 SELECT "Other Users/kim@example.test/inbox"
    S*: * OK [MAILBOXID ({{box:folder_\\w+}})] {{*}}
    S: a1 OK [READ-ONLY] {{*}}
    C2: b1 STATUS INBOX (MAILBOXID)
    S2: * STATUS "INBOX" (MAILBOXID ({{=box}}))
    S2: b1 OK {{*}}
    C: a2 FETCH 1:2 (FLAGS EMAILID)
    S: * 1 FETCH (FLAGS (\\Recent \\Seen Kims) EMAILID ({{email:\\w+}}))
    S: * 2 FETCH {{*}}
    S: a2 OK {{*}}
    C2: b2 SELECT INBOX
    S2*: b2 OK {{*}}
    C2: b3 FETCH 1 EMAILID
    S2: * 1 FETCH (EMAILID ({{=email}}))
    S2: b3 OK {{*}}
    C: a3 FETCH 2 BODY[TEXT]
    S: * 2 FETCH (BODY[TEXT] {2}
    S: b2)
    S: a3 OK {{*}}
    C: a4 STORE 1 +FLAGS (\\Flagged)
    S: a4 NO [READ-ONLY] {{*}}
    C: a5 EXPUNGE
    S: a5 NO [READ-ONLY] {{*}}
    C: a6 MOVE 1 Archive
    S: a6 NO [READ-ONLY] {{*}}
    C: a7 APPEND "Other Users/kim@example.test/INBOX" {4+}
    C: a: b
    S: a7 NO [NOPERM] {{*}}
    C: a8 COPY 1 "Other Users/kim@example.test/INBOX"
    S: a8 NO [NOPERM] {{*}}
    C: a9 SELECT "Other Users/kim@example.test/Sent"
    S: * OK [CLOSED] {{*}}
    S: a9 NO [NONEXISTENT] {{*}}
    C: c1 CREATE "Other Users/kim@example.test/New"
    S: c1 NO [NOPERM] {{*}}
    C: c2 DELETE "Other Users/kim@example.test/INBOX"
    S: c2 NO [NOPERM] {{*}}
    C: c3 CREATE "Other Users/nobody@example.test/New"
    S: c3 NO [NOPERM] {{*}}
    C: c4 CREATE "Other Users"
    S: c4 NO [NOPERM] {{*}}
    C: c5 STATUS "Other Users/kim@example.test" (MESSAGES)
    S: c5 NO [NONEXISTENT] {{*}}
    C2: b4 SELECT "Other Users/robin@example.test/INBOX"
    S2: * OK [CLOSED] {{*}}
    S2: b4 NO [NONEXISTENT] {{*}}
  `);
});

test("sends changes of a shared mailbox to its owner and to the user with the grant", async () => {
  await using shared = await startShared();
  await shared.converse(`${bothLoggedIn}
    C: a1 SELECT "Other Users/kim@example.test/INBOX"
    S*: a1 OK [READ-WRITE] {{*}}
    C2: b1 SELECT INBOX
    S2*: b1 OK [READ-WRITE] {{*}}
    C: a2 STORE 2 +FLAGS (Robins)
    S*: * 2 FETCH (FLAGS (\\Recent Robins))
    S: a2 OK {{*}}
    C2: b2 NOOP
    S2*: * 2 FETCH (FLAGS (Robins))
    S2: b2 OK {{*}}
    C: a3 IDLE
    S: + idling
    C2: b3 STORE 1 +FLAGS.SILENT (\\Deleted)
    S2: b3 OK {{*}}
    S: * 1 FETCH (FLAGS (\\Recent \\Seen \\Deleted Kims))
    C2: b4 EXPUNGE
    S2: * 1 EXPUNGE
    S2: b4 OK {{*}}
    S: * 1 EXPUNGE
    C: DONE
    S: a3 OK {{*}}
    C: a4 UID SEARCH KEYWORD Robins
    S: * SEARCH 2
    S: a4 OK {{*}}
  `);
});

test("copies and moves between owners, with flags, keywords and dates", async () => {
  await using shared = await startShared();
  await shared.converse(`${bothLoggedIn}
    C: a0 APPEND INBOX (Robins) {41+}
    C: In-Reply-To: <1@example.test>\\r\\nSubject: 1
    S: a0 OK {{*}}
    C: a1 SELECT "Other Users/kim@example.test/INBOX"
    S*: a1 OK {{*}}
    C: a2 COPY 1:2 Archive
    S: a2 OK [COPYUID {{*}} 1:2 1:2] {{*}}
    C: a3 UID MOVE 1 INBOX
    S: * OK [COPYUID {{*}} 1 2] {{*}}
    S: * 1 EXPUNGE
    S: a3 OK {{*}}
    C2: b1 STATUS INBOX (MESSAGES)
    S2: * STATUS "INBOX" (MESSAGES 1)
    S2: b1 OK {{*}}
    C: a4 SELECT INBOX
    S*: a4 OK {{*}}
    C: a5 FETCH 1:2 (FLAGS THREADID BODY.PEEK[TEXT])
    S: * 1 FETCH (FLAGS (\\Recent Robins) THREADID ({{thread:\\w+}}) BODY[TEXT] {0}
    S: )
    S: * 2 FETCH (FLAGS (\\Recent \\Seen Kims) THREADID ({{=thread}}) BODY[TEXT] {1}
    S: b)
    S: a5 OK {{*}}
    C: a6 COPY 1 "Other Users/kim@example.test/Drafts"
    S: a6 OK [COPYUID {{*}} 1 1] {{*}}
    C2: b2 SELECT Drafts
    S2*: b2 OK {{*}}
    C2: b3 FETCH 1 (FLAGS)
    S2: * 1 FETCH (FLAGS (\\Recent Robins))
    S2: b3 OK {{*}}
    C: a7 CREATE "Other Users/kim@example.test/Work/May"
    S: a7 OK [MAILBOXID {{*}}
    C: a8 RENAME "Other Users/kim@example.test/Work" "Other Users/kim@example.test/Job"
    S: a8 OK {{*}}
    C: a9 RENAME "Other Users/kim@example.test/Job" Job
    S: a9 NO [CANNOT] {{*}}
    C: c1 DELETE "Other Users/kim@example.test/Job/May"
    S: c1 OK {{*}}
    C2: b4 LIST "" "J%"
    S2: * LIST {{*}} "Job"
    S2: * LIST {{*}} "Junk"
    S2: b4 OK {{*}}
  `);
});

test("ends access at once when the grant is revoked, also of a session that waits", async () => {
  await using shared = await startShared();
  await shared.converse(`${bothLoggedIn}
    C: a1 SELECT "Other Users/kim@example.test/INBOX"
    S*: a1 OK {{*}}
    C: a2 IDLE
    S: + idling
    S3: * OK {{*}}
    C3: c1 LOGIN {{=login}}
    S3: c1 OK {{*}}
    C3: c2 SELECT "Other Users/kim@example.test/INBOX"
    S3*: c2 OK {{*}}
    S4: * OK {{*}}
    C4: d1 LOGIN {{=login}}
    S4: d1 OK {{*}}
    DO revoke
    S: * BYE [NOPERM] {{*}}
    CLOSED
    C3: c3 FETCH 1 BODY[]
    S3: * BYE [NOPERM] {{*}}
    CLOSED3
    C4: d2 SELECT "Other Users/kim@example.test/INBOX"
    S4: d2 NO [NONEXISTENT] {{*}}
    C4: d3 LIST "" "Other*"
    S4: d3 OK {{*}}
    C2: b1 SELECT INBOX
    S2*: b1 OK {{*}}
  `);
});

/** kim's mailboxes Work and Job are granted to robin by number. */
async function startWithWork() {
  const shared = await startShared({ scopes: ["send"] });
  await shared.converse(`
    S2: * OK {{*}}
    C2: i1 LOGIN {{=kim}}
    S2: i1 OK {{*}}
    C2: i2 CREATE Work
    S2: i2 OK {{*}}
    C2: i3 CREATE Job
    S2: i3 OK {{*}}
  `);
  const grant = { holder: "robin@example.test", target: "kim@example.test" };
  const create = (mailbox: string, scopes: readonly string[]) =>
    administrate(shared.server, "grant.create", { ...grant, mailboxes: [mailbox], scopes });
  return Object.assign(shared, { create });
}

test("ends access when a right of it is lost, and keeps it when the mailbox is renamed", async () => {
  await using shared = await startWithWork();
  await shared.create("Work", ["mail:read"]);
  await shared.create("Job", ["mail:read"]);
  const { number } = await shared.create("Job", ["mail"]);
  const script = `${bothLoggedIn}
    C: a1 SELECT "Other Users/kim@example.test/Job"
    S*: a1 OK [READ-WRITE] {{*}}
    DO revokeWriting
    C: a2 NOOP
    S: * BYE [NOPERM] {{*}}
    CLOSED
    S3: * OK {{*}}
    C3: c1 LOGIN {{=login}}
    S3: c1 OK {{*}}
    C3: c2 SELECT "Other Users/kim@example.test/Job"
    S3*: c2 OK [READ-ONLY] {{*}}
    C3: c3 SELECT "Other Users/kim@example.test/Work"
    S3*: c3 OK [READ-ONLY] {{*}}
    C2: b3 RENAME Work Private
    S2: b3 OK {{*}}
    C3: c4 NOOP
    S3: c4 OK {{*}}
    C3: c5 MYRIGHTS "Other Users/kim@example.test/Private"
    S3: * MYRIGHTS "Other Users/kim@example.test/Private" lr
    S3: c5 OK {{*}}
  `;
  await shared.converse(script, {
    revokeWriting: () => administrate(shared.server, "grant.revoke", { number }),
  });
});

test("a mailbox that is deleted leaves the grant, and the next one of its name is not in it", async () => {
  await using shared = await startWithWork();
  await shared.create("Work", ["mail"]);
  await shared.converse(`${bothLoggedIn}
    C: a1 SELECT "Other Users/kim@example.test/Work"
    S*: a1 OK [READ-WRITE] {{*}}
    C2: b1 DELETE Work
    S2: b1 OK {{*}}
    C2: b2 CREATE Work
    S2: b2 OK {{*}}
    C2: b3 GETACL Work
    S2: * ACL "Work" kim@example.test lrswikxtecd
    S2: b3 OK {{*}}
    C: a2 NOOP
    S*: * BYE {{*}}
    CLOSED
    S3: * OK {{*}}
    C3: c1 LOGIN {{=login}}
    S3: c1 OK {{*}}
    C3: c2 SELECT "Other Users/kim@example.test/Work"
    S3: c2 NO [NONEXISTENT] {{*}}
    C3: c3 LIST "" "Other*"
    S3: c3 OK {{*}}
  `);
});

test("shows rights as they are, and refuses to change them", async () => {
  await using shared = await startShared({ scopes: ["mail"], mailboxes: ["INBOX"] });
  await shared.converse(`${bothLoggedIn}
    C2: b1 MYRIGHTS INBOX
    S2: * MYRIGHTS "INBOX" lrswikxtecd
    S2: b1 OK {{*}}
    C2: b2 GETACL INBOX
    S2: * ACL "INBOX" kim@example.test lrswikxtecd robin@example.test lrswited
    S2: b2 OK {{*}}
    C2: b3 GETACL Sent
    S2: * ACL "Sent" kim@example.test lrswikxtecd
    S2: b3 OK {{*}}
    C2: b4 LISTRIGHTS INBOX robin@example.test
    S2: * LISTRIGHTS "INBOX" robin@example.test "" lr swited kxc
    S2: b4 OK {{*}}
    C2: b5 LISTRIGHTS INBOX kim@example.test
    S2: * LISTRIGHTS "INBOX" kim@example.test lrswikxtecd
    S2: b5 OK {{*}}
    C2: b6 LISTRIGHTS INBOX anyone
    S2: * LISTRIGHTS "INBOX" anyone ""
    S2: b6 OK {{*}}
    C2: b7 SETACL INBOX robin@example.test +a
    S2: b7 NO [NOPERM] {{*}}operator{{*}}
    C2: b8 DELETEACL INBOX robin@example.test
    S2: b8 NO [NOPERM] {{*}}operator{{*}}
    C2: b9 SETACL Nowhere robin@example.test lr
    S2: b9 NO [NONEXISTENT] {{*}}
    C: a1 MYRIGHTS "Other Users/kim@example.test/INBOX"
    S: * MYRIGHTS "Other Users/kim@example.test/INBOX" lrswited
    S: a1 OK {{*}}
    C: a2 MYRIGHTS "Other Users/kim@example.test/Sent"
    S: a2 NO [NONEXISTENT] {{*}}
    C: a3 GETACL "Other Users/kim@example.test/INBOX"
    S: a3 NO [NOPERM] {{*}}
    C: a4 LISTRIGHTS "Other Users/kim@example.test/INBOX" kim@example.test
    S: a4 NO [NOPERM] {{*}}
    C: a5 SETACL INBOX
    S: a5 BAD {{*}}
  `);
});

test("writes an owner's address as one level of the hierarchy, whatever characters it has", () => {
  expect(["a@b", "a/b@c", "100%*=\\@c"].map(ownerLevel)).toEqual(["a@b", "a=2Fb@c", "100=25=2A=3D=5C@c"]);
});

test("the scopes of a token limit the rights of a grant", async () => {
  await using shared = await startShared();
  const { server } = shared;
  const { token } = await administrate(server, "token.create", {
    agent: "robin@example.test",
    scopes: ["mail:read"],
  });
  const accounts = createAccounts(server.store, settings);
  const principal = await accounts.authenticateToken(token as string, "127.0.0.1");
  const access = createMailboxAccess({ rooms: { mail: server.mail, accounts }, principal });
  const rights = (await access.list()).map((mailbox) => [...mailbox.rights].join(""));
  expect(rights).toEqual(Array(12).fill("lr"));
  await expect(access.find("INBOX", "i")).rejects.toMatchObject({ code: "forbidden_scope" });
  await expect(access.place("New")).rejects.toMatchObject({ code: "forbidden_scope" });
});
