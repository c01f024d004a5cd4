import { describe, test } from "vitest";
import { startImap } from "../server.ts";

/** APPEND of messages given as header lines, each with a body of its number. */
function appends(...headers: string[]): string {
  return headers
    .map((header, at) => {
      const text = `${header.replaceAll("\n", "\r\n")}\r\n\r\n${"x".repeat(at)}`;
      const day = String(at + 1).padStart(2, "0");
      const lines = text.replaceAll("\r", "\\r").replaceAll("\n", "\\n");
      return `
    C: p${at} APPEND INBOX " ${day}-Nov-2026 10:00:00 +0000" {${Buffer.byteLength(text)}+}\\r\\n${lines}
    S*: p${at} OK {{*}}`.replace('" ', '"');
    })
    .join("");
}

const login = `
    S: * OK {{*}}
    C: a1 LOGIN {{=login}}
    S: a1 OK {{*}}`;

const select = `
    C: a2 SELECT INBOX
    S*: a2 OK {{*}}`;

test("sorts by every key, ties by number, and REVERSE turns one criterion only", async () => {
  await using server = await startImap();
  await server.converse(`${login}${appends(
    "Subject: Re: beta\nFrom: Zoe <carl@x.test>\nTo: b@x.test\nCc: z@x.test\nDate: Wed, 18 Nov 2026 10:00:00 +0200",
    "Subject: Alpha\nFrom: ann@x.test\nTo: =?utf-8?Q?=C3=84nne?= <c@x.test>\nDate: Wed, 18 Nov 2026 10:00:00 +0000",
    "Subject: BETA\nFrom: =?utf-8?Q?=C3=89mile?= <bob@x.test>\nTo: a@x.test\nCc: a@x.test",
    "From: friends: ann@x.test;\nSubject: [list] Fwd: gamma (fwd)\nDate: Mon, 16 Nov 2026 10:00:00 +0000",
  )}${select}
    C: a3 SORT (ARRIVAL) UTF-8 ALL
    S: * SORT 1 2 3 4
    S: a3 OK SORT completed
    C: a4 SORT (REVERSE ARRIVAL) UTF-8 ALL
    S: * SORT 4 3 2 1
    S: a4 OK {{*}}
    # the third has no Date: when it arrived counts
    C: a5 SORT (DATE) US-ASCII ALL
    S: * SORT 3 4 1 2
    S: a5 OK {{*}}
    C: a6 SORT (SUBJECT) UTF-8 ALL
    S: * SORT 2 1 3 4
    S: a6 OK {{*}}
    C: a7 SORT (SUBJECT REVERSE SIZE) UTF-8 NOT 4
    S: * SORT 2 1 3
    S: a7 OK {{*}}
    C: a8 SORT (FROM) UTF-8 ALL
    S: * SORT 2 3 1 4
    S: a8 OK {{*}}
    C: a9 SORT (TO) UTF-8 ALL
    S: * SORT 4 3 1 2
    S: a9 OK {{*}}
    C: b1 SORT (REVERSE CC) UTF-8 ALL
    S: * SORT 1 3 2 4
    S: b1 OK {{*}}
    C: b2 SORT (DISPLAYFROM) UTF-8 ALL
    S: * SORT 2 3 4 1
    S: b2 OK {{*}}
    C: b3 SORT (DISPLAYTO) UTF-8 ALL
    S: * SORT 4 3 2 1
    S: b3 OK {{*}}
    C: b4 UID SORT (REVERSE SUBJECT) UTF-8 TEXT beta
    S: * SORT 1 3
    S: b4 OK UID SORT completed
    C: b5 SORT (SUBJECT) UTF-8 TEXT absent
    S: * SORT
    S: b5 OK {{*}}
    C: b6 SORT (SUBJECT) X-NONE ALL
    S: b6 NO [BADCHARSET (UTF-8 US-ASCII)] {{*}}
    C: b7 SORT (COLOUR) UTF-8 ALL
    S: b7 BAD Unknown sort key
    C: b8 SORT () UTF-8 ALL
    S: b8 BAD {{*}}
    C: b9 SORT (SUBJECT) UTF-8
    S: b9 BAD {{*}}
  `);
});

test("answers SORT RETURN in the order of the result, and keeps it in $", async () => {
  await using server = await startImap();
  await server.converse(`${login}${appends("Subject: c", "Subject: b", "Subject: a", "Subject: d")}${select}
    C: a3 SORT RETURN () (SUBJECT) UTF-8 ALL
    S: * ESEARCH (TAG "a3") ALL 3,2,1,4
    S: a3 OK SORT completed
    C: a4 UID SORT RETURN (MIN MAX COUNT) (SUBJECT) UTF-8 ALL
    S: * ESEARCH (TAG "a4") UID MIN 3 MAX 4 COUNT 4
    S: a4 OK {{*}}
    C: a5 SORT RETURN (SAVE MIN) (SUBJECT) UTF-8 ALL
    S: * ESEARCH (TAG "a5") MIN 3
    S: a5 OK {{*}}
    C: a6 SEARCH $
    S: * SEARCH 3
    S: a6 OK {{*}}
    C: a7 SORT RETURN (ALL) (ARRIVAL) UTF-8 2:4
    S: * ESEARCH (TAG "a7") ALL 2:4
    S: a7 OK {{*}}
    C: a8 SORT (SUBJECT) UTF-8 MODSEQ 1 1:2
    S: * SORT 2 1 (MODSEQ {{modseq:\\d+}})
    S*: a8 OK {{*}}
  `);
});

describe("threads", () => {
  test("by subject: the first message above all others, threads by their first", async () => {
    await using server = await startImap();
    await server.converse(`${login}${appends("Subject: a", "Subject: b", "Subject: RE: A", "Subject: a", "")}${select}
    C: a3 THREAD ORDEREDSUBJECT UTF-8 ALL
    S: * THREAD (1 (3)(4))(2)(5)
    S: a3 OK THREAD completed
    C: a4 UID THREAD ORDEREDSUBJECT UTF-8 2:4
    S: * THREAD (2)(3 4)
    S: a4 OK UID THREAD completed
    C: a5 THREAD ORDEREDSUBJECT UTF-8 SUBJECT absent
    S: * THREAD
    S: a5 OK {{*}}
    C: a6 THREAD REFS UTF-8 ALL
    S: a6 BAD Unknown threading algorithm
    `);
  });

  test.each([
    [
      "chains and branches",
      [
        "Message-ID: <a@x>",
        "Message-ID: <b@x>\nReferences: <a@x>",
        "References: <a@x> <b@x>",
        "In-Reply-To: <a@x>",
      ],
      "(1 (2 3)(4))",
    ],
    [
      "a missing parent of several",
      ["References: <gone@x>", "References: <gone@x>", "Subject: other"],
      "((1)(2))(3)",
    ],
    ["a missing parent of one", ["References: <gone@x>"], "(1)"],
    [
      "missing messages between",
      ["Message-ID: <a@x>", "References: <a@x> <g1@x> <g2@x>", "References: <a@x> <g1@x>"],
      "(1 (2)(3))",
    ],
    ["one subject without references", ["Subject: Plan", "Subject: Re: plan", "Subject: plan"], "((1 2)(3))"],
    ["an answer before what it answers", ["Subject: Re: plan", "Subject: plan"], "(2 1)"],
    [
      "ids that contradict each other",
      ["Message-ID: <a@x>\nReferences: <b@x>", "Message-ID: <b@x>\nReferences: <a@x>"],
      "(2 1)",
    ],
    [
      "the same id twice",
      ["Message-ID: <a@x>", "Message-ID: <a@x>\nSubject: x", "References: <a@x>"],
      "(1 3)(2)",
    ],
    [
      "a parent that the message itself denies",
      [
        "Message-ID: <a@x>",
        "Message-ID: <b@x>\nReferences: <a@x> <c@x>",
        "Message-ID: <c@x>\nReferences: <b@x>",
      ],
      "(1)(3 2)",
    ],
    ["a message that refers to itself", ["Message-ID: <a@x>\nReferences: <a@x>"], "(1)"],
    ["a quoted local part", ['Message-ID: <"a"@x>', "References: <a@x>"], "(1 2)"],
  ])("by references: %s", async (_what, headers, threads) => {
    await using server = await startImap();
    await server.converse(`${login}${appends(...headers)}${select}
    C: a3 THREAD REFERENCES UTF-8 ALL
    S: * THREAD ${threads}
    S: a3 OK {{*}}
    `);
  });
});
