import { test } from "vitest";
import { startImap } from "../server.ts";

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

const withAttachments = message(
  "Subject: papers",
  "Content-Type: multipart/mixed; boundary=b",
  "",
  "--b",
  "",
  "see below",
  "--b",
  "Content-Type: application/pdf",
  'Content-Disposition: attachment; filename="invoice-4711.pdf"',
  "Content-Description: =?utf-8?q?W=C3=A4rme?=",
  "Content-Transfer-Encoding: base64",
  "",
  "aGlkZGVu",
  "--b",
  "Content-Type: image/png",
  "Content-Disposition: attachment; filename*0*=utf-8''J%C3%A4n; filename*1*=ner.png",
  "",
  "x",
  "--b--",
  "",
);

test("SEARCH TEXT finds headers of parts, and so the names of attachments; BODY and HEADER do not", async () => {
  await using server = await startImap();
  await server.converse(`${filled(withAttachments, message("Subject: other", "", "text", ""))}
    C: a1 SEARCH TEXT invoice-4711
    S: * SEARCH 1
    S: a1 OK {{*}}
    C: a2 SEARCH TEXT {7+}
    C: jänner
    S: * SEARCH 1
    S: a2 OK {{*}}
    C: a3 SEARCH TEXT {6+}
    C: wärme
    S: * SEARCH 1
    S: a3 OK {{*}}
    C: a4 SEARCH BODY invoice-4711
    S: * SEARCH
    S: a4 OK {{*}}
    C: a5 SEARCH HEADER Content-Disposition invoice
    S: * SEARCH
    S: a5 OK {{*}}
    C: a8 SEARCH TEXT hidden
    S: * SEARCH
    S: a8 OK {{*}}
  `);
});

const bounce = message(
  "Subject: Undelivered",
  "Content-Type: multipart/report; report-type=delivery-status; boundary=b",
  "",
  "--b",
  "",
  "It failed.",
  "--b",
  "Content-Type: message/delivery-status",
  "",
  "Reporting-MTA: dns; mx.example.test",
  "",
  "Final-Recipient: rfc822; nobody@example.test",
  "Status: 5.1.1",
  "--b",
  "Content-Type: text/rfc822-headers",
  "",
  "Message-ID: <lost@example.test>",
  "--b--",
  "",
);
const receipt = message(
  "Subject: Read",
  "Content-Type: multipart/report; report-type=disposition-notification; boundary=b",
  "",
  "--b",
  "",
  "It was read.",
  "--b",
  "Content-Type: message/disposition-notification",
  "Content-Transfer-Encoding: quoted-printable",
  "",
  "Disposition: manual-action/MDN-sent-manually; display=",
  "ed",
  "--b--",
  "",
);
const picture = message(
  "Subject: picture",
  "Content-Type: text/html",
  "",
  '<p>Hello</p><img src="cid:x" alt="Chart of sales">',
  "",
);

test("SEARCH BODY finds the text of delivery reports and the alternative texts of pictures", async () => {
  await using server = await startImap();
  await server.converse(`${filled(bounce, receipt, picture)}
    C: a1 SEARCH BODY "5.1.1"
    S: * SEARCH 1
    S: a1 OK {{*}}
    C: a2 SEARCH BODY lost@example.test
    S: * SEARCH 1
    S: a2 OK {{*}}
    C: a3 SEARCH BODY "manually; displayed"
    S: * SEARCH 2
    S: a3 OK {{*}}
    C: a4 SEARCH BODY "chart of sales"
    S: * SEARCH 3
    S: a4 OK {{*}}
    C: a5 SEARCH TEXT nobody@example.test
    S: * SEARCH 1
    S: a5 OK {{*}}
  `);
});
