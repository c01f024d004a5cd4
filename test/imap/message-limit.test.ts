import fc from "fast-check";
import { expect, test } from "vitest";
import { limitMessages } from "#/protocols/imap/session/message-limit.ts";
import { numberSetOf, numbersIn } from "#/src/model/number-set.ts";
import { startImap } from "./server.ts";

test("keeps the highest UIDs and names the lowest of them", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 60 })),
      fc.integer({ min: 1, max: 20 }),
      (all, limit) => {
        const { uids, lowest } = limitMessages(numberSetOf(all), limit);
        const kept = all.toSorted((a, b) => a - b).slice(-limit);
        expect([...numbersIn(uids)]).toEqual(kept);
        expect(lowest).toBe(all.length > limit ? kept[0] : undefined);
      },
    ),
  );
});

/** UIDs 2 to 6, all of them \Deleted but 4. */
const fiveMessages = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
  C: i2 APPEND INBOX (\\Deleted) {4+}\\r\\na: 1 (\\Deleted) {4+}\\r\\na: 2 (\\Deleted) {4+}\\r\\na: 3
  S: i2 OK {{*}}
  C: i3 APPEND INBOX {4+}\\r\\na: 4 (\\Deleted) {4+}\\r\\na: 5 (\\Deleted) {4+}\\r\\na: 6
  S: i3 OK {{*}}
  C: i4 SELECT INBOX
  S*: i4 OK {{*}}
  C: i5 UID EXPUNGE 1
  S: * 1 EXPUNGE
  S: i5 OK {{*}}
`;

test("a command applies to the last messages, and its answer says where it stopped", async () => {
  await using server = await startImap({ messageLimit: 3 });
  await server.converse(`${fiveMessages}
    C: a0 CAPABILITY
    S: * CAPABILITY {{*}} MESSAGELIMIT=3{{*}}
    S: a0 OK {{*}}
    C: a1 FETCH 1:4 UID
    S: * 2 FETCH (UID 3)
    S: * 3 FETCH (UID 4)
    S: * 4 FETCH (UID 5)
    S: a1 OK [MESSAGELIMIT 3 3] {{*}}
    C: a2 UID FETCH 1:2 UID
    S: * 1 FETCH (UID 2)
    S: a2 OK UID FETCH completed
    C: a3 UID STORE 1:* +FLAGS.SILENT (\\Seen)
    S: a3 OK [MESSAGELIMIT 3 4] {{*}}
    # messages that are looked at count, not those that are found
    C: a4 UID SEARCH NOT SEEN
    S: * SEARCH
    S: a4 OK [MESSAGELIMIT 3 4] {{*}}
    C: a5 UID SEARCH UIDBEFORE 4 NOT SEEN
    S: * SEARCH 2 3
    S: a5 OK UID SEARCH completed
    C: a6 UID SEARCH UIDAFTER 4
    S: * SEARCH 5 6
    S: a6 OK UID SEARCH completed
    C: a7 UID SEARCH RETURN (SAVE) ALL
    S: a7 OK [MESSAGELIMIT 3 4] {{*}}
    C: a8 FETCH $ UID
    S: * 3 FETCH (UID 4)
    S: * 4 FETCH (UID 5)
    S: * 5 FETCH (UID 6)
    S: a8 OK FETCH completed
    C: a9 UID SEARCH UIDBEFORE 1
    S: * SEARCH
    S: a9 OK UID SEARCH completed
  `);
});

test("a command that applies to all messages or none is refused beyond the limit", async () => {
  await using server = await startImap({ messageLimit: 3 });
  await server.converse(`${fiveMessages}
    C: a1 UID COPY 1:* Archive
    S: a1 NO [MESSAGELIMIT 3 4] {{*}}
    C: a2 STATUS Archive (MESSAGES)
    S: * STATUS "Archive" (MESSAGES 0)
    S: a2 OK {{*}}
    C: a3 COPY 1:3 Archive
    S: a3 OK [COPYUID {{*}} 2:4 1:3] {{*}}
    C: a4 UID FETCH 1:* (UID) (PARTIAL -1:-4)
    S: a4 NO [MESSAGELIMIT 3] {{*}}
    C: a5 UID FETCH 1:* (UID) (PARTIAL -1:-2)
    S: * 4 FETCH (UID 5)
    S: * 5 FETCH (UID 6)
    S: a5 OK UID FETCH completed
    C: a6 SEARCH RETURN (PARTIAL 1:4) ALL
    S: a6 NO [MESSAGELIMIT 3] {{*}}
    C: a7 SORT (SUBJECT) UTF-8 ALL
    S: a7 NO [MESSAGELIMIT 3] {{*}}
    C: a8 UID THREAD REFERENCES UTF-8 ALL
    S: a8 NO [MESSAGELIMIT 3] {{*}}
    C: a9 UID THREAD REFERENCES UTF-8 UID 2:3
    S: * THREAD (2)(3)
    S: a9 OK {{*}}
  `);
});

test("MOVE and UID EXPUNGE take the last messages, EXPUNGE and CLOSE take all", async () => {
  await using server = await startImap({ messageLimit: 2 });
  await server.converse(`${fiveMessages}
    C: a1 UID EXPUNGE 1:*
    S: * 4 EXPUNGE
    S: * 4 EXPUNGE
    S: a1 OK [MESSAGELIMIT 2 5] {{*}}
    C: a2 UID MOVE 1:* Archive
    S: * OK [COPYUID {{*}} 3:4 1:2] {{*}}
    S: * 2 EXPUNGE
    S: * 2 EXPUNGE
    S: a2 OK [MESSAGELIMIT 2 3] {{*}}
    C: a3 ENABLE QRESYNC
    S*: a3 OK {{*}}
    C: a4 APPEND INBOX (\\Deleted) {4+}\\r\\na: 7 (\\Deleted) {4+}\\r\\na: 8
    S*: a4 OK {{*}}
    # a code of its own stands in the answer, the limit before it
    C: a5 UID MOVE 1:* Archive
    S: * OK [COPYUID {{*}} 7:8 3:4] {{*}}
    S: * NO [MESSAGELIMIT 2 7] {{*}}
    S: * VANISHED 7:8
    S: a5 OK [HIGHESTMODSEQ {{*}}] {{*}}
    C: a6 UID STORE 1:* (UNCHANGEDSINCE 1) +FLAGS (\\Deleted)
    S: a6 OK [MODIFIED 2] {{*}}
    C: a7 SELECT Archive
    S*: a7 OK {{*}}
    C: a8 STORE 1:2 +FLAGS.SILENT (\\Deleted)
    S*: a8 OK {{*}}
    C: a9 EXPUNGE
    S: * VANISHED 1:4
    S: a9 OK [HIGHESTMODSEQ {{*}}] {{*}}
  `);
});

test("with expunged messages, EXPUNGEISSUED is the answer and the limit is sent before it", async () => {
  await using server = await startImap({ messageLimit: 2 });
  await server.converse(`${fiveMessages}
    S2: * OK {{*}}
    C2: b1 LOGIN {{=login}}
    S2: b1 OK {{*}}
    C2: b2 SELECT INBOX
    S2*: b2 OK {{*}}
    C2: b3 UID EXPUNGE 6
    S2: * 5 EXPUNGE
    S2: b3 OK {{*}}
    C: a0 FETCH 1 UID
    S: * 1 FETCH (UID 2)
    S: a0 OK {{*}}
    C: a1 FETCH 1:5 UID
    S: * 3 FETCH (UID 4)
    S: * 4 FETCH (UID 5)
    S: * NO [MESSAGELIMIT 2 4] {{*}}
    S: a1 OK [EXPUNGEISSUED] {{*}}
  `);
});

test("an APPEND of more messages than the limit stores none", async () => {
  await using server = await startImap();
  const messages = " {1+}\\r\\na".repeat(1001);
  await server.converse(`
    S: * OK {{*}}
    C: i1 LOGIN {{=login}}
    S: i1 OK {{*}}
    C: a1 APPEND INBOX${messages}
    S: a1 NO [MESSAGELIMIT 1000] {{*}}
    C: a2 STATUS INBOX (MESSAGES)
    S: * STATUS "INBOX" (MESSAGES 0)
    S: a2 OK {{*}}
  `);
});
