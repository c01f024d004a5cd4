import { expect, test } from "vitest";
import { highestMatch } from "#/protocols/imap/resynchronise/qresync.ts";
import { SessionView } from "#/protocols/imap/session/session-view.ts";
import { nobody } from "#/src/model/author.ts";
import { parseNumberSet } from "#/src/model/number-set.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { type ImapServer, startImap } from "../server.ts";

/** Five messages in INBOX; a client of QRESYNC has seen them all, then left. */
const five = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
  C: i2 APPEND INBOX {4+}
  C: a: 1 {4+}
  C: a: 2 {4+}
  C: a: 3 {4+}
  C: a: 4 {4+}
  C: a: 5
  S: i2 OK {{*}}
  C: i3 ENABLE QRESYNC
  S: * ENABLED QRESYNC
  S: i3 OK {{*}}
  C: i4 SELECT INBOX
  S*: * OK [UIDVALIDITY {{validity:\\d+}}] {{*}}
  S*: * OK [HIGHESTMODSEQ {{known:\\d+}}] {{*}}
  S*: i4 OK {{*}}
`;

/** Removes 2, 3 and 5, flags 4, in a session of an old client. */
const changed = `
  S2: * OK {{*}}
  C2: i1 LOGIN {{=login}}
  S2: i1 OK {{*}}
  C2: i2 SELECT INBOX
  S2*: i2 OK {{*}}
  C2: i3 STORE 2,3,5 +FLAGS.SILENT (\\Deleted)
  S2: i3 OK {{*}}
  C2: i4 EXPUNGE
  S2: * 2 EXPUNGE
  S2: * 2 EXPUNGE
  S2: * 3 EXPUNGE
  S2: i4 OK EXPUNGE completed
  C2: i5 STORE 2 +FLAGS.SILENT (\\Flagged)
  S2: i5 OK {{*}}
`;

test("sends UIDs of expunged messages, and HIGHESTMODSEQ after its own EXPUNGE", async () => {
  await using server = await startImap();
  await server.converse(`${five}
    ${changed}
    C: a1 NOOP
    S: * VANISHED 2:3,5
    S: * 2 FETCH (UID 4 FLAGS (\\Recent \\Flagged) MODSEQ ({{*}}))
    S: a1 OK {{*}}
    C: a2 UID STORE 4 +FLAGS.SILENT (\\Deleted)
    S: * 2 FETCH (UID 4 MODSEQ ({{*}}))
    S: a2 OK {{*}}
    C: a3 UID EXPUNGE 1:*
    S: * VANISHED 4
    S: a3 OK [HIGHESTMODSEQ {{now:\\d+}}] {{*}}
    C: a4 EXPUNGE
    S: a4 OK EXPUNGE completed
    C: a5 MOVE 1 Archive
    S: * OK [COPYUID {{*}}] Moved
    S: * VANISHED 1
    S: a5 OK [HIGHESTMODSEQ {{*}}] {{*}}
    C: a6 SELECT INBOX (QRESYNC ({{=validity}} {{=now}}))
    S: * OK [CLOSED] {{*}}
    S*: * VANISHED (EARLIER) 1
    S: a6 OK {{*}}
    C: a7 CLOSE
    S: a7 OK CLOSE completed
  `);
});

test("keeps VANISHED back while sequence numbers are in use", async () => {
  await using server = await startImap();
  await server.converse(`${five}
    ${changed}
    C: a1 FETCH 4 (UID)
    S: * 4 FETCH (UID 4)
    S: * 4 FETCH (UID 4 FLAGS (\\Recent \\Flagged) MODSEQ ({{*}}))
    S: * OK [HIGHESTMODSEQ {{delayed:\\d+}}] {{*}}
    S: a1 OK {{*}}
    C: a2 UID FETCH 4 (FLAGS)
    S: * 4 FETCH (UID 4 FLAGS (\\Recent \\Flagged))
    S: * VANISHED 2:3,5
    S: a2 OK {{*}}
  `);
});

test("names the HIGHESTMODSEQ before a delayed EXPUNGE, so that a disconnected client misses none", async () => {
  await using server = await startImap();
  await server.converse(`${five}
    ${changed}
    C: a1 STORE 1 FLAGS (\\Answered)
    S: * 1 FETCH (UID 1 FLAGS (\\Recent \\Answered) MODSEQ ({{*}}))
    S: * 4 FETCH (UID 4 FLAGS (\\Recent \\Flagged) MODSEQ ({{*}}))
    S: * OK [HIGHESTMODSEQ {{safe:\\d+}}] {{*}}
    S: a1 OK {{*}}
    # the client is cut off, and comes again with what it was told
    S3: * OK {{*}}
    C3: i1 LOGIN {{=login}}
    S3: i1 OK {{*}}
    C3: i2 ENABLE QRESYNC
    S3*: i2 OK {{*}}
    C3: b1 SELECT INBOX (QRESYNC ({{=validity}} {{=safe}}))
    S3*: * VANISHED (EARLIER) 2:3,5
    S3*: b1 OK {{*}}
    # and once it is told, there is nothing to wait for
    C: a2 NOOP
    S: * VANISHED 2:3,5
    S: a2 OK {{*}}
    C: a3 FETCH 1 (FLAGS)
    S: * 1 FETCH (FLAGS (\\Recent \\Answered))
    S: a3 OK {{*}}
  `);
});

test("sends the changes that were missed when a mailbox is selected again", async () => {
  await using server = await startImap();
  await server.converse(`${five}
    C: a0 UNSELECT
    S: a0 OK {{*}}
    ${changed}
    C: a1 SELECT INBOX (QRESYNC ({{=validity}} {{=known}}))
    S: * FLAGS {{*}}
    S: * OK [PERMANENTFLAGS {{*}}
    S: * 2 EXISTS
    S: * 0 RECENT
    S: * OK [UNSEEN 1] {{*}}
    S: * OK [UIDVALIDITY {{=validity}}] {{*}}
    S: * OK [UIDNEXT 6] {{*}}
    S: * OK [HIGHESTMODSEQ {{now:\\d+}}] {{*}}
    S: * OK [MAILBOXID {{*}}
    S: * VANISHED (EARLIER) 2:3,5
    S: * 2 FETCH (UID 4 FLAGS (\\Flagged) MODSEQ ({{*}}))
    S: a1 OK [READ-WRITE] {{*}}
    C: a2 SELECT INBOX (QRESYNC ({{=validity}} {{=now}}))
    S*: * OK [MAILBOXID {{*}}
    S: a2 OK {{*}}
    C: a3 SELECT INBOX (QRESYNC (1 {{=known}}))
    S*: * OK [MAILBOXID {{*}}
    S: a3 OK {{*}}
    C: a4 SELECT INBOX (QRESYNC ({{=validity}} {{=known}} 3:4 (1 1)))
    S*: * VANISHED (EARLIER) 3
    S: * 2 FETCH (UID 4 {{*}}
    S: a4 OK {{*}}
    C: a5 EXAMINE INBOX (QRESYNC ({{=validity}} {{=known}} (1:2 1,4)) CONDSTORE)
    S*: * VANISHED (EARLIER) 5
    S: * 2 FETCH (UID 4 {{*}}
    S: a5 OK [READ-ONLY] {{*}}
    C: a6 UID FETCH 1:4 (FLAGS) (CHANGEDSINCE {{=known}} VANISHED)
    S: * VANISHED (EARLIER) 2:3
    S: * 2 FETCH (UID 4 FLAGS (\\Flagged) MODSEQ ({{*}}))
    S: a6 OK {{*}}
    C: a7 UID FETCH 1:* (FLAGS) (VANISHED CHANGEDSINCE {{=now}})
    S: a7 OK {{*}}
  `);
});

test("compares with the mailbox itself if the log does not reach back to the client's state", async () => {
  await using server = await startImap();
  const kept = await server.converse(`${five}
    C: a0 UNSELECT
    S: a0 OK {{*}}
    ${changed}
  `);
  await forgetChanges(server);
  await server.converse(
    `
    S: * OK {{*}}
    C: i1 LOGIN {{=login}}
    S: i1 OK {{*}}
    C: i2 ENABLE CONDSTORE QRESYNC
    S: * ENABLED CONDSTORE QRESYNC
    S: i2 OK {{*}}
    C: a1 SELECT INBOX (QRESYNC ({{=validity}} {{=known}}))
    S*: * VANISHED (EARLIER) 2:3,5
    S: * 2 FETCH (UID 4 FLAGS (\\Flagged) MODSEQ ({{*}}))
    S: a1 OK {{*}}
    C: a2 SELECT INBOX (QRESYNC ({{=validity}} {{=known}} 1:3 (1:2 1,4)))
    S*: * OK [MAILBOXID {{*}}
    S: a2 OK {{*}}
    C: a3 UID FETCH 1:3 (FLAGS) (CHANGEDSINCE {{=known}} VANISHED)
    S: * VANISHED (EARLIER) 2:3
    S: a3 OK {{*}}
    C: a4 FETCH 1:* (UID) (CHANGEDSINCE {{=known}})
    S: * 2 FETCH (UID 4 MODSEQ ({{*}}))
    S: a4 OK {{*}}
    C: a5 SELECT Drafts (QRESYNC ({{=validity}} 1))
    S*: a5 OK {{*}}
  `,
    { variables: kept },
  );
});

async function forgetChanges(server: ImapServer): Promise<void> {
  const { agent } = server.store.ids.decode(server.robin.id)!;
  expect(await findAgent(server.store, agent)).toBeDefined();
  await server.store.write(nobody, "pruneChanges", { agent, before: Number.MAX_SAFE_INTEGER, limit: 1000 });
}

test("refuses QRESYNC where it was not enabled or is not grammar", async () => {
  await using server = await startImap();
  await server.converse(`
    S: * OK {{*}}
    C: i1 LOGIN {{=login}}
    S: i1 OK [CAPABILITY {{before:.* QRESYNC .*}}] Logged in
    C: a1 SELECT INBOX (QRESYNC (1 1))
    S: a1 BAD {{*}}
    C: a2 SELECT INBOX
    S*: a2 OK {{*}}
    C: a3 UID FETCH 1:* (FLAGS) (CHANGEDSINCE 1 VANISHED)
    S: a3 BAD {{*}}
    C: a4 ENABLE QRESYNC
    S: * ENABLED QRESYNC
    S: * OK [HIGHESTMODSEQ {{*}}
    S: a4 OK {{*}}
    C: b1 FETCH 1:* (FLAGS) (CHANGEDSINCE 1 VANISHED)
    S: b1 BAD {{*}}
    C: b2 UID FETCH 1:* (FLAGS) (VANISHED)
    S: b2 BAD {{*}}
    C: b3 UID FETCH 1:* (FLAGS) (CHANGEDSINCE 1 CHANGEDSINCE 1)
    S: b3 BAD {{*}}
    C: b4 SELECT INBOX (QRESYNC (0 1))
    S: b4 BAD {{*}}
    C: b5 SELECT INBOX (QRESYNC (1 0))
    S: b5 BAD {{*}}
    C: b6 SELECT INBOX (QRESYNC (1 1 1:*))
    S: b6 BAD {{*}}
    C: b7 SELECT INBOX (QRESYNC (1 1 $))
    S: b7 BAD {{*}}
    C: b8 SELECT INBOX (QRESYNC (1 1 1 (1)))
    S: b8 BAD {{*}}
    C: b9 SELECT INBOX (QRESYNC (1 1) QRESYNC (1 1))
    S: b9 BAD {{*}}
    C: c1 SELECT INBOX (QRESYNC 1)
    S: c1 BAD {{*}}
    C: c2 SELECT INBOX (QRESYNC (1 1 1 (1:4294967295 1:4294967295)))
    S*: c2 OK {{*}}
  `);
});

test.each([
  ["1", "1", 1],
  ["2", "9", 0],
  ["1,3", "1,9", 9],
  ["1:3", "1,4,9", 9],
  ["1:3", "2,5,9", 9],
  ["3,1000", "9,2000", 9],
  ["1:4294967295", "1:4294967295", 1],
  ["1:3", "1", 1],
])("sequence numbers %s sent as UIDs %s are right up to UID %i", (seqs, uids, highest) => {
  const view = new SessionView([1, 5, 9]);
  expect(highestMatch(view, parseNumberSet(seqs), parseNumberSet(uids))).toBe(highest);
});
