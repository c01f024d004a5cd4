import { expect, test } from "vitest";
import { parseStructure } from "#/src/formats/mime/structure.ts";
import { startImap } from "./server.ts";

const loggedIn = `
  S: * OK {{*}}
  C: i1 LOGIN {{=login}}
  S: i1 OK {{*}}
`;

function message(...lines: string[]): string {
  return lines.join("\r\n");
}

/** Appends messages to INBOX and selects it. */
function filled(...messages: readonly string[]): string {
  const appends = messages.map(
    (text, at) => `
    C: m${at} APPEND INBOX {${Buffer.byteLength(text)}+}
    C: ${text.replaceAll("\r\n", "\\r\\n")}
    S: m${at} OK {{*}}`,
  );
  return `${loggedIn}${appends.join("")}
    C: i2 SELECT INBOX
    S*: i2 OK {{*}}
`;
}

test("a part that BODYSTRUCTURE shows can be fetched, even if its multipart is empty", async () => {
  const noBoundary = message("Subject: 1", "Content-Type: multipart/mixed; boundary=never", "", "text", "");
  const encoded = message(
    "Subject: 2",
    "Content-Type: message/rfc822",
    "Content-Transfer-Encoding: base64",
    "",
    "U3ViamVjdDogeA0KDQp5",
    "",
  );
  expect(parseStructure(Buffer.from(noBoundary)).parts).toEqual([]);
  await using server = await startImap();
  const empty = '("text" "plain" ("charset" "us-ascii") NIL NIL "7bit" 0 0)';
  await server.converse(`${filled(noBoundary, encoded)}
    C: a1 FETCH 1 BODY
    S: * 1 FETCH (BODY (${empty} "mixed"))
    S: a1 OK {{*}}
    C: a2 FETCH 1 (BODY.PEEK[1] BODY.PEEK[1.MIME] BODY.PEEK[1]<0.10> BINARY.PEEK[1] BINARY.SIZE[1])
    S: * 1 FETCH (BODY[1] {0}
    S:  BODY[1.MIME] {0}
    S:  BODY[1]<0> {0}
    S:  BINARY[1] {0}
    S:  BINARY.SIZE[1] 0)
    S: a2 OK {{*}}
    C: a3 FETCH 1 (BODY.PEEK[2] BODY.PEEK[1.1] BODY.PEEK[1.TEXT])
    S: * 1 FETCH (BODY[2] NIL BODY[1.1] NIL BODY[1.TEXT] NIL)
    S: a3 OK {{*}}
    C: a4 FETCH 1 BODY.PEEK[TEXT]
    S: * 1 FETCH (BODY[TEXT] {6}
    S: text
    S: )
    S: a4 OK {{*}}
    C: a5 FETCH 2 BODY
    S: * 2 FETCH (BODY ("message" "rfc822" NIL NIL NIL "base64" 22 (NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL) ${empty} 1))
    S: a5 OK {{*}}
    C: a6 FETCH 2 (BODY.PEEK[1.HEADER] BODY.PEEK[1.TEXT] BODY.PEEK[1.1] BODY.PEEK[1.2])
    S: * 2 FETCH (BODY[1.HEADER] {0}
    S:  BODY[1.TEXT] {0}
    S:  BODY[1.1] {0}
    S:  BODY[1.2] NIL)
    S: a6 OK {{*}}
  `);
});
