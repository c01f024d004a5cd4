import { test } from "vitest";
import { startImap } from "../server.ts";

test("divides a mailbox into batches, the newest first", async () => {
  await using server = await startImap();
  const message = "{1+}\n    C: a";
  await server.converse(`
    S: * OK {{*}}
    C: i1 LOGIN {{=login}}
    S: i1 OK [CAPABILITY {{had:.* UIDBATCHES.*}}] Logged in
    C: i2 SELECT INBOX
    S*: i2 OK {{*}}
    C: a1 UIDBATCHES 500
    S: * UIDBATCHES (TAG "a1")
    S: a1 OK {{*}}
    C: i3 APPEND INBOX ${Array(999).fill(message).join(" ")}
    S*: i3 OK {{*}}
    C: i3a APPEND INBOX ${message}
    S*: i3a OK {{*}}
    C: i4 STORE 1,400 +FLAGS.SILENT (\\Deleted)
    S: i4 OK {{*}}
    C: i5 EXPUNGE
    S*: i5 OK {{*}}
    # UIDs 2 to 399 and 401 to 1000
    C: a2 UIDBATCHES 600
    S: * UIDBATCHES (TAG "a2") 1000:401,399:1
    S: a2 OK {{*}}
    C: a3 UIDBATCHES 5000
    S: * UIDBATCHES (TAG "a3") 1000:1
    S: a3 OK {{*}}
    C: a4 UIDBATCHES 500 2:9
    S: * UIDBATCHES (TAG "a4") 500:1
    S: a4 OK {{*}}
    C: a5 UIDBATCHES 601 1:1
    S: * UIDBATCHES (TAG "a5") 1000:399
    S: a5 OK {{*}}
    C: a7 UIDBATCHES 499
    S: a7 NO [TOOFEW] {{*}}
    C: a6 UIDBATCHES 500 4:4294967295
    S: * UIDBATCHES (TAG "a6")
    S: a6 OK {{*}}
    C: b1 UIDBATCHES 0
    S: b1 BAD [CLIENTBUG] {{*}}
    C: b2 UIDBATCHES 1 0:5
    S: b2 BAD [CLIENTBUG] {{*}}
    C: b3 UIDBATCHES 1 6:5
    S: b3 BAD [CLIENTBUG] {{*}}
    C: b4 UIDBATCHES 1 6
    S: b4 BAD {{*}}
    C: b5 UIDBATCHES
    S: b5 BAD {{*}}
    C: b6 UNSELECT
    S: b6 OK {{*}}
    C: b7 UIDBATCHES 1
    S: b7 BAD {{*}}
  `);
});
