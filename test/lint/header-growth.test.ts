/** A header has at most 256 KiB, and whoever writes a mail chooses what is in it. Each reader of a whole header takes time in proportion to its
 *  length, whatever fills it; and what a thread answers of it to the main thread
 *  has a bound. */
import { serialize } from "node:v8";
import { expect, test } from "vitest";
import { withoutForgedResults } from "#/src/evidence/authentication-results.ts";
import { formatEnvelope } from "#/src/formats/mime/envelope.ts";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { parseStructure } from "#/src/formats/mime/structure-reader.ts";
import { readKnownFields } from "#/src/mail/header-reading.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { headerBytesMax } from "#/src/model/limits.ts";
import { selectSigned } from "#/src/outbound/dkim/sign.ts";
import { readDeliveryReport } from "#/src/outbound/read-report.ts";

const growthMax = 2.5;
/** What takes less is too short to be compared. */
const quickMs = 60;
const rounds = 6;

/** Repeated until the header is full: whole fields, or values of one. */
const fields: Readonly<Record<string, string>> = {
  "the shortest fields": "a:\r\n",
  "fields without a name": ":\r\n",
  "lines that are no fields": "a\r\n",
  "folded fields": "Subject: a\r\n b\r\n\tc\r\n",
  authors: "From: a@b.example\r\n",
  recipients: "Cc: a@b.example, c@d.example\r\n",
  "fields of results": "Authentication-Results: x.example; spf=pass\r\n",
  signatures: "DKIM-Signature: v=1; a=rsa-sha256; d=x.example; s=s; h=From; bh=a; b=b\r\n",
  traces: "Received: from a by b with SMTP id c; Thu, 26 Nov 2026 10:00:00 +0000\r\n",
  types: "Content-Type: text/plain; a=b\r\n",
  identifiers: "References: <a@b.example>\r\n",
};
const values: Readonly<Record<string, readonly [name: string, piece: string]>> = {
  "a folded value": ["Subject", "a\r\n "],
  "encoded words": ["Subject", "=?utf-8?q?a=C3=A4?=\r\n "],
  "broken encoded words": ["Subject", "=?utf-8?q?a"],
  "encoded names": ["To", "=?utf-8?b?w6Q=?= <a@b.example>,\r\n "],
  "the shortest addresses": ["To", "a@b,"],
  "groups of addresses": ["Cc", "g:a@b;,"],
  "open comments": ["From", "("],
  "quoted pairs": ["From", '"\\\\'],
  identifiers: ["References", "<a@b>"],
  "open identifiers": ["In-Reply-To", "<"],
  parameters: ["Content-Type", "text/plain;a=b"],
  continuations: ["Content-Type", 'x/y;a*0="b"'],
  "open parameters": ["Content-Disposition", ';a="'],
  dates: ["Date", "Thu, "],
};

const headers: Readonly<Record<string, (length: number) => Buffer>> = {
  ...Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      `fields: ${name}`,
      (length: number) => Buffer.from(`${field.repeat(length / field.length)}\r\n`),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(values).map(([name, [field, piece]]) => [
      `${field}: ${name}`,
      (length: number) => Buffer.from(`${field}: ${piece.repeat(length / piece.length)}\r\n\r\n`),
    ]),
  ),
};

const readers: Readonly<Record<string, (header: Buffer) => unknown>> = {
  readHeaderFields: (header) => readHeaderFields(header),
  readKnownFields,
  parseStructure,
  formatEnvelope,
  selectSigned,
  prepareMessage,
  readDeliveryReport: (header) =>
    readDeliveryReport(
      Buffer.concat([
        Buffer.from(
          "Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n",
        ),
        header,
      ]),
    ),
  withoutForgedResults: (header) => withoutForgedResults(header, ["x.example"]),
};

/** Milliseconds of this thread's processor time. */
async function costOf(read: (header: Buffer) => unknown, header: Buffer): Promise<number> {
  const before = process.threadCpuUsage();
  await read(header);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

test.each(Object.entries(readers))(
  "%s takes time in proportion to a header",
  { timeout: 300_000 },
  async (_, read) => {
    const grown: string[] = [];
    for (const [name, make] of Object.entries(headers)) {
      const [half, whole] = [make(headerBytesMax / 2 - 100), make(headerBytesMax - 100)];
      let [least, leastOfHalf] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let round = 0; round < rounds; round++) {
        leastOfHalf = Math.min(leastOfHalf, await costOf(read, half));
        least = Math.min(least, await costOf(read, whole));
        if (least <= quickMs || least / leastOfHalf <= growthMax) break;
      }
      if (least > quickMs && least / leastOfHalf > growthMax)
        grown.push(`${name}: ${least} ms, half ${leastOfHalf}`);
    }
    expect(grown).toEqual([]);
  },
);

/** The main thread makes the objects of an answer in one turn of its loop: measured 60 ms of a processor for the most of them, fields of one
 *  address each. */
test.each(Object.entries(headers))("what a thread answers of a header is bounded: %s", (_, make) => {
  const answer = readKnownFields(make(headerBytesMax - 100));
  const objects = answer.reduce(
    (sum, { known }) => sum + 1 + (known?.addresses?.length ?? 0) + (known?.ids?.length ?? 0),
    0,
  );
  expect(objects).toBeLessThanOrEqual(headerBytesMax / 4);
  expect(serialize(answer).length).toBeLessThanOrEqual(4 * 1024 * 1024);
});
