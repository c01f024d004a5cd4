import net from "node:net";
import { expect, test } from "vitest";
import { startImap } from "../server.ts";

/** NUL in every place that is stored: fields, parameters, names, bodies short and long. */
const stored = Buffer.from(
  [
    "Subject: a\0b",
    'From: "x\0y" <a@example.test>',
    "Content-Type: multipart/mixed; boundary=b",
    "",
    "--b",
    'Content-Type: text/plain; name="n\0m"',
    "Content-Description: d\0e",
    "",
    "short\0text",
    "--b",
    "Content-Type: application/octet-stream",
    "",
    `${"long\0".repeat(120_000)}`,
    "--b--",
    "",
  ].join("\r\n"),
  "latin1",
);

const items = [
  "BODY.PEEK[]",
  "BODY.PEEK[]<3.20>",
  "BODY.PEEK[HEADER]",
  "BODY.PEEK[HEADER.FIELDS (Subject)]",
  "BODY.PEEK[HEADER.FIELDS.NOT (From)]",
  "BODY.PEEK[TEXT]",
  "BODY.PEEK[1]",
  "BODY.PEEK[1.MIME]",
  "BODY.PEEK[2]",
  "RFC822",
  "RFC822.HEADER",
  "RFC822.TEXT",
  "ENVELOPE",
  "BODY",
  "BODYSTRUCTURE",
  "PREVIEW",
];

test("NUL is sent only in a literal8; in a literal 128 replaces it, and sizes stay", async () => {
  await using server = await startImap();
  const said = await new Promise<string>((resolve, reject) => {
    const socket = net.connect(server.port, "127.0.0.1");
    let said = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      said += chunk;
      if (said.includes("\r\nz OK ")) socket.end();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(said));
    socket.write(`l LOGIN robin@example.test "${server.robin.password}"\r\n`);
    socket.write(`a APPEND INBOX {${stored.length}+}\r\n`);
    socket.write(stored);
    socket.write("\r\ns SELECT INBOX\r\n");
    for (const [at, item] of items.entries()) socket.write(`f${at} FETCH 1 ${item}\r\n`);
    socket.write(
      "b1 FETCH 1 BINARY.PEEK[1]\r\nb2 FETCH 1 BINARY.PEEK[]\r\nb3 FETCH 1 RFC822.SIZE\r\nz NOOP\r\n",
    );
  });
  const text = stored.toString("latin1");
  const shown = text.replaceAll("\0", "\x80");
  const [plain, binary] = said.split("f15 OK ");
  expect(plain).not.toContain("\0");
  for (let at = 0; at < items.length - 1; at++) expect(plain).toContain(`\r\nf${at} OK `);
  expect(plain).toContain(`BODY[] {${stored.length}}\r\n${shown})`);
  expect(plain).toContain(`BODY[]<3> {20}\r\n${shown.slice(3, 23)})`);
  expect(plain).toContain("BODY[1] {10}\r\nshort\x80text)");
  expect(plain).toContain("BODY[HEADER.FIELDS (Subject)] {16}\r\nSubject: a\x80b\r\n\r\n)");
  expect(binary).toContain("BINARY[1] ~{10}\r\nshort\0text)");
  expect(binary).toContain(`BINARY[] ~{${stored.length}}\r\n${text})`);
  expect(binary).toContain(`RFC822.SIZE ${stored.length})`);
});
