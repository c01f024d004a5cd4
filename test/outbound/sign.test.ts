/** mailauth verifies our signatures. A table stands for the DNS with the keys. */
import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { expect, test } from "vitest";
import { formatDkimRecord } from "#/src/accounts/dns-records.ts";
import { readPrivateKey, type SigningKey, signMessage } from "#/src/outbound/dkim/sign.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ed25519 = generateKeyPairSync("ed25519");
const keys: SigningKey[] = [
  { domain: "example.org", selector: "r1", algorithm: "rsa", privateKey: rsa.privateKey },
  { domain: "example.org", selector: "e1", algorithm: "ed25519", privateKey: ed25519.privateKey },
];
const records: Record<string, string> = Object.fromEntries(
  keys.map((key) => {
    const privateKey = key.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
    return [`${key.selector}._domainkey.example.org`, formatDkimRecord(key.algorithm, privateKey)];
  }),
);
const at = Date.UTC(2026, 0, 5);

const message = [
  "From: Ada <ada@example.org>",
  "To: bob@example.net",
  "Subject:   A  folded",
  "\tsubject  ",
  "Date: Mon, 05 Jan 2026 00:00:00 +0000",
  "Message-ID: <1@example.org>",
  "X-Note: not signed",
  "",
  "Hello,  world. \t",
  "",
  ".dot",
  "",
  "",
  "",
].join("\r\n");

async function verify(text: string): Promise<string[]> {
  const { results } = await dkimVerify(Buffer.from(text, "latin1"), {
    resolver: async (name: string) => [[records[name]]],
    curTime: new Date(at),
  } as never);
  return results.map(({ status }: { status: { result: string } }) => status.result);
}

async function signed(text: string): Promise<string> {
  return (await signMessage(Buffer.from(text, "latin1"), keys, at)) + text;
}

test.each([
  ["folded fields, spaces and dots", message],
  ["an empty body", "From: ada@example.org\r\n\r\n"],
  ["no empty line", "From: ada@example.org\r\n"],
  ["a body without a last line end", "From: ada@example.org\r\n\r\nHello"],
  ["a body that ends in spaces", "From: ada@example.org\r\n\r\nHello \t\r\n \r\n\r\n"],
  ["octets beyond ASCII", "From: ada@example.org\r\nSubject: caf\xc3\xa9\r\n\r\nna\xefve\xa0\r\n"],
  ["no header", "\r\nHello\r\n"],
  ["two fields of one name", "From: ada@example.org\r\nReferences: <1>\r\nReferences: <2>\r\n\r\nx\r\n"],
  ["a body of several slices", `From: ada@example.org\r\n\r\n${"0123456789 \r\n".repeat(20_000)}`],
])("both signatures of a message with %s are valid", async (_, text) => {
  expect(await verify(await signed(text))).toEqual(["pass", "pass"]);
});

test("both signatures of any message are valid", async () => {
  const pieces = fc.constantFrom(" ", "\t", "\r\n", "a", ":", "\xe9", ".", "=", ";", "Subject: x", "From: y");
  const text = fc.array(pieces, { maxLength: 40 }).map((list) => list.join(""));
  await fc.assert(
    fc.asyncProperty(text, text, async (subject, body) => {
      const folded = subject.replace(/[ \t\r\n]+/g, "\r\n ");
      const results = await verify(
        await signed(`From: ada@example.org\r\nSubject: ${folded}x\r\n\r\n${body}`),
      );
      expect(results).toEqual(["pass", "pass"]);
    }),
    { numRuns: 200 },
  );
});

test("a change or addition to the shown parts of a message makes the signatures invalid", async () => {
  const text = await signed(message);
  for (const changed of [
    text.replace("Hello,", "Hullo,"),
    text.replace("Subject:   A", "Subject: B"),
    `From: eve@example.com\r\n${text}`,
    `Subject: More\r\n${text}`,
    `Reply-To: eve@example.com\r\n${text}`,
    `Content-Type: text/html\r\n${text}`,
  ])
    expect(await verify(changed)).not.toContain("pass");
});

test("added list fields and trace fields keep the signatures valid", async () => {
  const text = await signed(message);
  expect(
    await verify(`Received: by relay; x\r\nList-Id: <list.example.net>\r\nX-Note: more\r\n${text}`),
  ).toEqual(["pass", "pass"]);
});

test("lines of a signature are short", async () => {
  const lines = (await signMessage(Buffer.from(message), keys, at)).split("\r\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(78);
});

test("a key that was stored and read makes the same signature", async () => {
  const pem = ed25519.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const stored = [{ ...keys[1]!, privateKey: readPrivateKey(pem) }];
  expect(await signMessage(Buffer.from(message), stored, at)).toBe(
    await signMessage(Buffer.from(message), [keys[1]!], at),
  );
});
