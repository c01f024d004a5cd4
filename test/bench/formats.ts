/** The cost on the main thread of reading a delivered message: structure, ENVELOPE, BODYSTRUCTURE, addresses, and the stored text of
 *  the structure. Run: node test/bench/formats.ts */
import { Buffer } from "node:buffer";
import { parseAddressList } from "#/src/formats/mime/addresses.ts";
import { formatBodyStructure } from "#/src/formats/mime/body-structure.ts";
import { formatEnvelope } from "#/src/formats/mime/envelope.ts";
import { headerValues, readHeaderFields } from "#/src/formats/mime/header.ts";
import { parseStructure, readStructure, serializeStructure } from "#/src/formats/mime/structure.ts";

const header = [
  "Return-Path: <robin@example.com>",
  ...Array.from(
    { length: 4 },
    (_, hop) =>
      `Received: from mx${hop}.example.com (mx${hop}.example.com [192.0.2.${hop}])\r\n\tby mx.example.net with ESMTPS id abcdef${hop}; Fri, 21 Nov 2025 09:55:06 +0000`,
  ),
  "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.com; s=a;\r\n\th=from:to:subject:date; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=;\r\n\tb=dGhpcyBpcyBhIHNpZ25hdHVyZSB0aGF0IGlzIGFzIGxvbmcgYXMgdGhleSBhcmU=",
  "Date: Fri, 21 Nov 2025 09:55:06 +0000",
  "From: Robin Day <robin@example.com>",
  'To: Agent <agent@example.net>, "Day, Kim" <kim@example.net>',
  "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= from the benchmark",
  "Message-ID: <20251121095506.1@example.com>",
  "References: <1@example.com> <2@example.com> <3@example.com>",
  "In-Reply-To: <3@example.com>",
  "MIME-Version: 1.0",
].join("\r\n");

function messageOf(bodyBytes: number): Buffer {
  const line = "The quick brown fox jumps over the lazy dog and comes back in the evening.\r\n";
  const text = line.repeat(Math.ceil(bodyBytes / 2 / line.length));
  const part = (type: string): string =>
    `--=_boundary\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${text}`;
  return Buffer.from(
    `${header}\r\nContent-Type: multipart/alternative; boundary="=_boundary"\r\n\r\n${part("text/plain")}${part("text/html")}--=_boundary--\r\n`,
  );
}

function prepare(bytes: Buffer): string {
  const top = parseStructure(bytes);
  const head = bytes.subarray(0, top.bodyStart);
  const fields = readHeaderFields(head);
  for (const name of ["from", "to"]) for (const value of headerValues(fields, name)) parseAddressList(value);
  formatEnvelope(head);
  formatBodyStructure(top);
  return serializeStructure(top);
}

function measure(title: string, rounds: number, run: () => void): void {
  for (let round = 0; round < rounds / 4; round++) run();
  const start = performance.now();
  for (let round = 0; round < rounds; round++) run();
  console.log(`${title}: ${(((performance.now() - start) * 1000) / rounds).toFixed(1)} µs`);
}

for (const [title, bodyBytes] of [
  ["4 KiB", 2048],
  ["36 KB", 34_000],
  ["1 MiB", 2 ** 20],
] as const) {
  const bytes = messageOf(bodyBytes);
  const stored = prepare(bytes);
  const rounds = Math.ceil(4e8 / (bytes.length + 20_000) / 4);
  measure(`${title} (${bytes.length} bytes), whole preparation`, rounds, () => prepare(bytes));
  measure(`${title}, structure alone`, rounds, () => parseStructure(bytes));
  measure(`${title}, reading the stored structure (${stored.length} bytes)`, rounds, () =>
    readStructure(stored),
  );
}
