import { test } from "vitest";
import { startImap } from "./server.ts";

test("fetches a range of the named messages, from either end", async () => {
  await using server = await startImap();
  const message = "{4+}\n    C: a: 1";
  await server.converse(`
    S: * OK {{*}}
    C: i1 LOGIN {{=login}}
    S: i1 OK [CAPABILITY {{had:.* PARTIAL.*}}] Logged in
    C: i2 APPEND INBOX ${Array(6).fill(message).join(" ")}
    S: i2 OK {{*}}
    C: i3 SELECT INBOX
    S*: i3 OK {{*}}
    C: i4 STORE 2 +FLAGS.SILENT (\\Deleted)
    S: i4 OK {{*}}
    C: i5 EXPUNGE
    S: * 2 EXPUNGE
    S: i5 OK {{*}}
    C: a1 UID FETCH 1:* (UID) (PARTIAL 2:3)
    S: * 2 FETCH (UID 3)
    S: * 3 FETCH (UID 4)
    S: a1 OK {{*}}
    C: a2 UID FETCH 1:5 (UID) (PARTIAL -1:-2)
    S: * 3 FETCH (UID 4)
    S: * 4 FETCH (UID 5)
    S: a2 OK {{*}}
    C: a3 UID FETCH 1:* (UID) (PARTIAL 500:400)
    S: a3 OK {{*}}
    C: a4 UID STORE 3,6 +FLAGS.SILENT (\\Seen)
    S: a4 OK {{*}}
    C: a5 UID FETCH 1:* (FLAGS MODSEQ) (PARTIAL -1:-1)
    S: * 5 FETCH (UID 6 FLAGS (\\Recent \\Seen) MODSEQ ({{now:\\d+}}))
    S: * OK [HIGHESTMODSEQ {{*}}
    S: a5 OK {{*}}
    C: a6 UID STORE 6 -FLAGS.SILENT (\\Seen)
    S: * 5 FETCH (UID 6 MODSEQ ({{*}}))
    S: a6 OK {{*}}
    C: a7 UID FETCH 1:* (UID) (PARTIAL 1:4 CHANGEDSINCE {{=now}})
    S: a7 OK {{*}}
    C: a8 UID FETCH 1:* (UID) (CHANGEDSINCE {{=now}} PARTIAL -4:-1)
    S: * 5 FETCH (UID 6 MODSEQ ({{*}}))
    S: a8 OK {{*}}
    C: b1 FETCH 1:* (UID) (PARTIAL 1:2)
    S: b1 BAD {{*}}
    C: b2 UID FETCH 1:* (UID) (PARTIAL 0:2)
    S: b2 BAD {{*}}
    C: b3 UID FETCH 1:* (UID) (PARTIAL 1:-2)
    S: b3 BAD {{*}}
    C: b4 UID FETCH 1:* (UID) (PARTIAL 1:*)
    S: b4 BAD {{*}}
    C: b5 UID FETCH 1:* (UID) (PARTIAL 1:2 PARTIAL 1:2)
    S: b5 BAD {{*}}
  `);
});
