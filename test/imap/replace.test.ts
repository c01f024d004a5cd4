import { test } from "vitest";
import { startImap } from "./server.ts";

/** Two sessions in Drafts with messages 1 to 3. */
const drafts = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK [CAPABILITY {{had:.* REPLACE.*}}] Logged in
  C: i2 APPEND Drafts {4+}
  C: a: 1 (\\Draft) {4+}
  C: a: 2 {4+}
  C: a: 3
  S: i2 OK {{*}}
  C: i3 SELECT Drafts
  S*: i3 OK {{*}}
  S2: * OK {{*}}
  C2: i1 LOGIN {{=login}}
  S2: i1 OK {{*}}
  C2: i2 SELECT Drafts
  S2*: i2 OK {{*}}
`;

test("replaces a message by another in one command", async () => {
  await using server = await startImap();
  await server.converse(`${drafts}
    C: a1 REPLACE 2 Drafts (\\Seen \\Draft) "14-Jul-2026 02:44:25 -0700" {8}
    S: + {{*}}
    C: a: newer
    S: * OK [APPENDUID {{validity:\\d+}} 4] {{*}}
    S: * 2 EXPUNGE
    S: * 3 EXISTS
    S: * 3 RECENT
    S: a1 OK REPLACE completed
    C2: b1 NOOP
    S2: * 2 EXPUNGE
    S2: * 3 EXISTS
    S2: * 0 RECENT
    S2: b1 OK {{*}}
    C: a2 UID FETCH 4 (FLAGS INTERNALDATE BODY.PEEK[])
    S: * 3 FETCH (UID 4 FLAGS (\\Recent \\Seen \\Draft) INTERNALDATE "14-Jul-2026 09:44:25 +0000" BODY[] {8}
    S: a: newer)
    S: a2 OK {{*}}
    C2: b2 UID REPLACE 4 Sent {4+}
    C2: a: 5
    S2: * OK [APPENDUID {{*}} 1] {{*}}
    S2: * 3 EXPUNGE
    S2: b2 OK UID REPLACE completed
    C: a3 REPLACE 3 Drafts {4+}
    C: a: 6
    S: a3 NO [EXPUNGEISSUED] {{*}}
    C: a4 ENABLE QRESYNC
    S: * ENABLED QRESYNC
    S: * VANISHED 4
    S: * OK [HIGHESTMODSEQ {{*}}
    S: a4 OK {{*}}
    C: a5 REPLACE * Drafts {4+}
    C: a: 7
    S: * OK [APPENDUID {{=validity}} 5] {{*}}
    S: * VANISHED 3
    S: * 2 EXISTS
    S: * 2 RECENT
    S: a5 OK [HIGHESTMODSEQ {{*}}] {{*}}
  `);
});

test("keeps the old message when the new one cannot be stored", async () => {
  await using server = await startImap({ maxAppendBytes: 100 });
  await server.converse(`${drafts}
    C: a1 REPLACE 2 Nowhere {4+}
    C: a: 4
    S: a1 NO [TRYCREATE] {{*}}
    C: a2 REPLACE 2 Drafts {101}
    S: a2 NO [TOOBIG] {{*}}
    C: a3 REPLACE 9 Drafts {4+}
    C: a: 4
    S: a3 BAD {{*}}
    C: a4 UID REPLACE 9 Drafts {4+}
    C: a: 4
    S: a4 NO [NONEXISTENT] {{*}}
    C: a5 REPLACE 1:2 Drafts {4+}
    C: a: 4
    S: a5 BAD {{*}}
    C: a6 REPLACE 2 Drafts {0+}
    C:
    S: a6 NO [CANNOT] {{*}}
    C: a7 REPLACE 2 Drafts {4+}
    C: a: 4 {4+}
    C: a: 5
    S: a7 BAD {{*}}
    C: a8 UID FETCH 1:* (UID)
    S: * 1 FETCH (UID 1)
    S: * 2 FETCH (UID 2)
    S: * 3 FETCH (UID 3)
    S: a8 OK {{*}}
    C: a9 EXAMINE Drafts
    S*: a9 OK {{*}}
    C: b1 REPLACE 2 Drafts {4+}
    C: a: 4
    S: b1 NO [READ-ONLY] {{*}}
    C: b2 UNSELECT
    S: b2 OK {{*}}
    C: b3 REPLACE 2 Drafts {4+}
    C: a: 4
    S: b3 BAD {{*}}
  `);
});
