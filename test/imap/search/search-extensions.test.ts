import { test } from "vitest";
import { startImap } from "../server.ts";

const open = `
    S: * OK {{*}}
    C: a1 LOGIN {{=login}}
    S: a1 OK {{*}}`;

function appends(...texts: string[]): string {
  return texts
    .map((text, at) => {
      const line = `Subject: ${text}\\r\\n\\r\\n`;
      return `
    C: p${at} APPEND INBOX {${Buffer.byteLength(text) + 13}+}\\r\\n${line}
    S*: p${at} OK {{*}}`;
    })
    .join("");
}

const select = `
    C: a2 SELECT INBOX
    S*: a2 OK {{*}}`;

test("answers a range of the result, from either end", async () => {
  await using server = await startImap();
  await server.converse(`${open}${appends("a", "b", "c", "d", "e")}${select}
    C: a3 SEARCH RETURN (PARTIAL 2:3) NOT 1
    S: * ESEARCH (TAG "a3") PARTIAL (2:3 3:4)
    S: a3 OK {{*}}
    C: a4 UID SEARCH RETURN (PARTIAL 3:1 COUNT) ALL
    S: * ESEARCH (TAG "a4") UID COUNT 5 PARTIAL (1:3 1:3)
    S: a4 OK {{*}}
    C: a5 SEARCH RETURN (PARTIAL -1:-2) ALL
    S: * ESEARCH (TAG "a5") PARTIAL (-1:-2 4:5)
    S: a5 OK {{*}}
    C: a6 SEARCH RETURN (PARTIAL 6:9) ALL
    S: * ESEARCH (TAG "a6") PARTIAL (6:9 NIL)
    S: a6 OK {{*}}
    C: a7 SEARCH RETURN (PARTIAL -4:-9) ALL
    S: * ESEARCH (TAG "a7") PARTIAL (-4:-9 1:2)
    S: a7 OK {{*}}
    C: a8 SEARCH RETURN (SAVE PARTIAL 2:2) ALL
    S: * ESEARCH (TAG "a8") PARTIAL (2:2 2)
    S: a8 OK {{*}}
    C: a9 SEARCH $
    S: * SEARCH 2
    S: a9 OK {{*}}
    C: a9a SEARCH RETURN (SAVE PARTIAL 2:2 MIN MAX) ALL
    S: * ESEARCH (TAG "a9a") MIN 1 MAX 5 PARTIAL (2:2 2)
    S: a9a OK {{*}}
    C: a9b SEARCH $
    S: * SEARCH 1 2 5
    S: a9b OK {{*}}
    C: a9c SEARCH RETURN (SAVE PARTIAL 2:2 MIN COUNT) ALL
    S: * ESEARCH (TAG "a9c") MIN 1 COUNT 5 PARTIAL (2:2 2)
    S: a9c OK {{*}}
    C: a9d SEARCH $
    S: * SEARCH 1 2 3 4 5
    S: a9d OK {{*}}
    C: b1 SORT RETURN (PARTIAL 1:2) (REVERSE SUBJECT) UTF-8 ALL
    S: * ESEARCH (TAG "b1") PARTIAL (1:2 5,4)
    S: b1 OK {{*}}
    C: b2 SEARCH RETURN (PARTIAL 1) ALL
    S: b2 BAD {{*}}
    C: b3 SEARCH RETURN (PARTIAL 1:-2) ALL
    S: b3 BAD {{*}}
    C: b4 SEARCH RETURN (PARTIAL 0:2) ALL
    S: b4 BAD {{*}}
    C: b5 SEARCH RETURN (PARTIAL 1:2 ALL) ALL
    S: b5 BAD {{*}}
    C: b6 SEARCH RETURN (PARTIAL 1:2 PARTIAL 3:4) ALL
    S: b6 BAD {{*}}
  `);
});

test("finds the words of a FUZZY text in any order, and answers their relevancy", async () => {
  await using server = await startImap();
  await server.converse(`${open}${appends("bread and butter", "butter on bread", "bread")}${select}
    C: a3 SEARCH SUBJECT "butter bread"
    S: * SEARCH
    S: a3 OK {{*}}
    C: a4 SEARCH FUZZY SUBJECT "butter bread"
    S: * SEARCH 1 2
    S: a4 OK {{*}}
    C: a5 SEARCH RETURN (RELEVANCY ALL) FUZZY TEXT "and butter"
    S: * ESEARCH (TAG "a5") ALL 1 RELEVANCY (100)
    S: a5 OK {{*}}
    C: a6 SEARCH RETURN (RELEVANCY ALL) FUZZY (SUBJECT "bread butter" ALL)
    S: * ESEARCH (TAG "a6") ALL 1:2 RELEVANCY (50 50)
    S: a6 OK {{*}}
    C: a7 SORT RETURN (RELEVANCY ALL) (RELEVANCY) UTF-8 FUZZY SUBJECT "on bread"
    S: * ESEARCH (TAG "a7") ALL 2 RELEVANCY (100)
    S: a7 OK {{*}}
    C: a8 SORT (RELEVANCY) UTF-8 FUZZY OR SUBJECT "butter on" SUBJECT "and bread"
    S: * SORT 2 1
    S: a8 OK {{*}}
    C: a9 SEARCH RETURN (RELEVANCY) SUBJECT bread
    S: a9 BAD {{*}}
    C: b1 SORT (RELEVANCY) UTF-8 SUBJECT bread
    S: b1 BAD {{*}}
    C: b2 SEARCH RETURN (RELEVANCY ALL) FUZZY SUBJECT "no such"
    S: * ESEARCH (TAG "b2")
    S: b2 OK {{*}}
  `);
});

test("sends messages that enter or leave a search result, by this session and others", async () => {
  await using server = await startImap();
  await server.converse(`${open}${appends("one", "two", "three")}${select}
    C: s1 SEARCH RETURN (UPDATE ALL) FLAGGED
    S: * ESEARCH (TAG "s1")
    S: s1 OK {{*}}
    C: s2 UID SEARCH RETURN (UPDATE COUNT) NOT SUBJECT three
    S: * ESEARCH (TAG "s2") UID COUNT 2
    S: s2 OK {{*}}
    C: a3 STORE 1,3 +FLAGS (\\Flagged)
    S: * 1 FETCH (FLAGS (\\Recent \\Flagged))
    S: * 3 FETCH (FLAGS (\\Recent \\Flagged))
    S: * ESEARCH (TAG "s1") ADDTO (0 1,3)
    S: a3 OK {{*}}
    S2: * OK {{*}}
    C2: a1 LOGIN {{=login}}
    S2: a1 OK {{*}}
    C2: a2 SELECT INBOX
    S2*: a2 OK {{*}}
    C2: a3 STORE 1 -FLAGS.SILENT (\\Flagged)
    S2: a3 OK {{*}}
    C2: a4 APPEND INBOX (\\Flagged) {17+}\\r\\nSubject: four\\r\\n\\r\\n
    S2*: a4 OK {{*}}
    C2: a5 STORE 2 +FLAGS.SILENT (\\Deleted)
    S2: a5 OK {{*}}
    C2: a6 EXPUNGE
    S2: * 2 EXPUNGE
    S2: a6 OK {{*}}
    C: a4 NOOP
    S: * ESEARCH (TAG "s2") UID REMOVEFROM (0 2)
    S: * 2 EXPUNGE
    S: * 3 EXISTS
    S: * 2 RECENT
    S: * 1 FETCH (FLAGS (\\Recent))
    S: * ESEARCH (TAG "s1") REMOVEFROM (0 1)
    S: * ESEARCH (TAG "s1") ADDTO (0 3)
    S: * ESEARCH (TAG "s2") UID ADDTO (0 4)
    S: a4 OK {{*}}
    C: s1 SEARCH RETURN (UPDATE) ALL
    S: s1 BAD A search of this tag is kept up to date
    C: a5 CANCELUPDATE "s1" "none"
    S: a5 BAD {{*}}
    C: a6 CANCELUPDATE "s1"
    S: a6 OK CANCELUPDATE completed
    C: a7 STORE 1 +FLAGS.SILENT (\\Flagged)
    S: a7 OK {{*}}
    C: a8 CANCELUPDATE
    S: a8 BAD {{*}}
  `);
});

test("limits the searches that are kept up to date, and says so", async () => {
  await using server = await startImap();
  await server.converse(`${open}${appends("one")}${select}
    C: s1 SEARCH RETURN (UPDATE CONTEXT COUNT) ALL
    S: * ESEARCH (TAG "s1") COUNT 1
    S: s1 OK {{*}}
    C: s2 SEARCH RETURN (UPDATE COUNT) ALL
    S: * ESEARCH (TAG "s2") COUNT 1
    S: s2 OK {{*}}
    C: s3 SEARCH RETURN (UPDATE COUNT) ALL
    S: * ESEARCH (TAG "s3") COUNT 1
    S: s3 OK {{*}}
    C: s4 SEARCH RETURN (UPDATE COUNT) ALL
    S: * ESEARCH (TAG "s4") COUNT 1
    S: s4 OK {{*}}
    C: s5 SEARCH RETURN (UPDATE COUNT) ALL
    S: * ESEARCH (TAG "s5") COUNT 1
    S: * NO [NOUPDATE "s5"] {{*}}
    S: s5 OK {{*}}
    C: s6 SORT RETURN (UPDATE COUNT) (ARRIVAL) UTF-8 ALL
    S: * ESEARCH (TAG "s6") COUNT 1
    S: * NO [NOUPDATE "s6"] {{*}}
    S: s6 OK {{*}}
  `);
});

test("searches several mailboxes at once, and sends no response for those without a result", async () => {
  await using server = await startImap();
  await server.converse(`${open}${appends("bread", "butter")}
    C: a2 CREATE Work
    S: a2 OK {{*}}
    C: a4 CREATE Work/Inner/Most
    S: a4 OK {{*}}
    C: a5 APPEND Work {18+}\\r\\nSubject: bread\\r\\n\\r\\n
    S: a5 OK {{*}}
    C: a6 APPEND Work/Inner/Most {18+}\\r\\nSubject: bread\\r\\n\\r\\n
    S: a6 OK {{*}}
    C: b1 ESEARCH IN (personal) SUBJECT bread
    S: * ESEARCH (TAG "b1" MAILBOX "INBOX" UIDVALIDITY {{inbox:\\d+}}) UID ALL 1
    S: * ESEARCH (TAG "b1" MAILBOX "Work" UIDVALIDITY {{work:\\d+}}) UID ALL 1
    S: * ESEARCH (TAG "b1" MAILBOX "Work/Inner/Most" UIDVALIDITY {{most:\\d+}}) UID ALL 1
    S: b1 OK ESEARCH completed
    C: b2 ESEARCH IN (subtree-one Work inboxes) RETURN (COUNT MAX) ALL
    S: * ESEARCH (TAG "b2" MAILBOX "INBOX" UIDVALIDITY {{=inbox}}) UID MAX 2 COUNT 2
    S: * ESEARCH (TAG "b2" MAILBOX "Work" UIDVALIDITY {{=work}}) UID MAX 1 COUNT 1
    S: b2 OK {{*}}
    C: b3 ESEARCH IN (mailboxes ("Work/Inner/Most" none)) RETURN (ALL) CHARSET UTF-8 FUZZY TEXT bread
    S: * ESEARCH (TAG "b3" MAILBOX "Work/Inner/Most" UIDVALIDITY {{=most}}) UID ALL 1
    S: b3 OK {{*}}
    C: b4 ESEARCH IN (subtree Work) SUBJECT butter
    S: b4 OK {{*}}
    C: b5 ESEARCH SUBJECT butter
    S: b5 BAD No mailbox is selected
    C: b6 SELECT INBOX
    S*: b6 OK {{*}}
    C: b7 ESEARCH SUBJECT butter
    S: * ESEARCH (TAG "b7" MAILBOX "INBOX" UIDVALIDITY {{=inbox}}) UID ALL 2
    S: b7 OK {{*}}
    C: b8 ESEARCH IN (selected subscribed) RETURN (PARTIAL 1:1) SUBJECT b
    S: * ESEARCH (TAG "b8" MAILBOX "INBOX" UIDVALIDITY {{=inbox}}) UID PARTIAL (1:1 1)
    S*: b8 OK {{*}}
    C: b9 ESEARCH IN (personal) 1:2
    S: b9 BAD {{*}}
    C: c1 ESEARCH IN (personal) UID 1:2
    S: c1 BAD {{*}}
    C: c2 ESEARCH IN (personal) RETURN (SAVE) ALL
    S: c2 BAD {{*}}
    C: c3 ESEARCH IN (elsewhere) ALL
    S: c3 BAD {{*}}
    C: c4 ESEARCH IN () ALL
    S: c4 BAD {{*}}
    C: c5 ESEARCH IN (personal)
    S: c5 BAD {{*}}
  `);
});

test("a search that saves and fails with NO empties $, one that is BAD leaves it", async () => {
  await using server = await startImap({ messageLimit: 4 });
  const refused = [
    ["SEARCH RETURN (SAVE) CHARSET klingon TEXT x", "NO"],
    ["SEARCH RETURN (SAVE PARTIAL 1:9) ALL", "NO"],
    ["SORT RETURN (SAVE) (ARRIVAL) klingon ALL", "NO"],
    ["UID SEARCH RETURN (COUNT SAVE) CHARSET klingon ALL", "NO"],
    ["SEARCH RETURN (SAVE RELEVANCY) ALL", "BAD"],
    ["SEARCH RETURN (SAVE) FOO", "BAD"],
    ["SEARCH RETURN (SAVE) CHARSET klingon FOO", "BAD"],
    ["SEARCH RETURN (MIN) CHARSET klingon ALL", "NO, without SAVE"],
  ] as const;
  const script = refused.map(
    ([search, answer], at) => `
    C: s${at} SEARCH RETURN (SAVE) ALL
    S: s${at} OK {{*}}
    C: t${at} ${search}
    S: t${at} ${answer.slice(0, 3).replace(",", "")} {{*}}
    C: u${at} SEARCH RETURN (COUNT) $
    S: * ESEARCH (TAG "u${at}") COUNT ${answer === "NO" ? 0 : 2}
    S: u${at} OK {{*}}`,
  );
  await server.converse(`
    S: * OK {{*}}
    C: i1 LOGIN {{=login}}
    S: i1 OK {{*}}
    C: i2 APPEND INBOX {3+}
    C: a:b {3+}
    C: a:c
    S: i2 OK {{*}}
    C: i3 SELECT INBOX
    S*: i3 OK {{*}}${script.join("")}
  `);
});
