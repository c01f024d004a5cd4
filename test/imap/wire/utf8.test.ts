import { test } from "vitest";
import { startImap } from "../server.ts";

test("takes and gives UTF-8 once UTF8=ACCEPT is enabled", async () => {
  await using server = await startImap();
  await server.converse(
    `
    S: * OK {{*}}
    C: i1 LOGIN {{=login}}
    S: i1 OK [CAPABILITY {{had:.* UTF8=ACCEPT .*}}] Logged in
    C: i2 CREATE Entw&APw-rfe
    S: i2 OK {{*}}
    C: i3 ENABLE UTF8=ACCEPT
    S: * ENABLED UTF8=ACCEPT
    S: i3 OK {{*}}
    C: a1 LIST "" "Entwü*"
    S: * LIST ({{*}}) "/" "Entwürfe"
    S: a1 OK {{*}}
    C: a2 APPEND "Entwürfe" (\\Seen) UTF8 (~{16+}
    C: Subject: Grüße) UTF8 (~{4}
    S: + {{*}}
    C: a: 2)
    S: a2 OK [APPENDUID {{*}} 1:2] {{*}}
    C: a3 SELECT "Entwürfe"
    S*: a3 OK {{*}}
    C: a4 SEARCH SUBJECT "grüße"
    S: * SEARCH 1
    S: a4 OK {{*}}
    C: a5 SEARCH CHARSET UTF-8 SUBJECT "grüße"
    S: a5 BAD {{*}}
    C: a6 FETCH 1 BODY[HEADER.FIELDS (Subject)]
    S: * 1 FETCH (BODY[HEADER.FIELDS (Subject)] {18}
    S: Subject: Grüße
    S: )
    S: a6 OK {{*}}
  `,
  );
});

test("refuses text that is not UTF-8, and a malformed UTF8 wrapping", async () => {
  await using server = await startImap();
  await server.converse(`
    S: * OK {{*}}
    C: i1 LOGIN {{=login}}
    S: i1 OK {{*}}
    C: i2 ENABLE UTF8=ACCEPT
    S: * ENABLED UTF8=ACCEPT
    S: i2 OK {{*}}
    C: a1 APPEND INBOX UTF8 (~{4+}
    C: a: 1
    S: a1 BAD {{*}}
    C: a2 APPEND INBOX UTF8 ~{4+}
    C: a: 1
    S: a2 BAD {{*}}
    C: a3 APPEND INBOX UTF8 (a)
    S: a3 BAD {{*}}
  `);
});
