import fc from "fast-check";
import { simpleParser } from "mailparser";
import { describe, expect, it } from "vitest";
import { messageBody } from "#/protocols/json/describe/message-body.ts";
import { decodeWords } from "#/src/formats/mime/encoded-words.ts";
import { headerValues, readHeaderFields } from "#/src/formats/mime/header.ts";
import { parseStructure, walkParts } from "#/src/formats/mime/structure.ts";
import {
  type CompositionFacts,
  composeMessage,
  hasMailLines,
  type MessageBody,
} from "#/src/outbound/composition.ts";

const facts: CompositionFacts = {
  from: { name: "Ada", address: "ada@first.example" },
  date: Date.UTC(2026, 0, 5, 12),
  messageId: "own@first.example",
  references: [],
};

const body: MessageBody = {
  to: [{ name: "Bob", address: "bob@first.example" }],
  cc: [],
  bcc: [],
  subject: "Hello",
  text: "Hi.\n",
  attachments: [],
};

function typesOf(bytes: Buffer): string[] {
  return walkParts(parseStructure(bytes)).map(({ type, subtype }) => `${type}/${subtype}`);
}

describe("a composed message", () => {
  it("has the header fields that the server sets", async () => {
    const text = (
      await composeMessage(body, {
        ...facts,
        inReplyTo: "q@far.example",
        references: ["p@far.example", "q@far.example"],
        autoSubmitted: "auto-replied",
      })
    ).toString();
    for (const line of [
      "From: Ada <ada@first.example>",
      "To: Bob <bob@first.example>",
      "Message-ID: <own@first.example>",
      "Date: Mon, 05 Jan 2026 12:00:00 +0000",
      "In-Reply-To: <q@far.example>",
      "References: <p@far.example> <q@far.example>",
      "Auto-Submitted: auto-replied",
      "MIME-Version: 1.0",
    ])
      expect(text.split("\r\n")).toContain(line);
  });

  it("has a Bcc field only in a draft", async () => {
    const hidden = { ...body, bcc: [{ name: "", address: "secret@far.example" }] };
    expect((await composeMessage(hidden, facts)).toString()).not.toContain("secret");
    const draft = await composeMessage(hidden, { ...facts, hasBcc: true });
    expect(draft.toString()).toMatch(/^Bcc: secret@far\.example\r\n/);
  });

  it("says that its recipients are hidden when all of them are", async () => {
    const hidden = { ...body, to: [], bcc: [{ name: "", address: "secret@far.example" }] };
    expect((await composeMessage(hidden, facts)).toString()).toMatch(/^To: undisclosed-recipients:;\r$/m);
  });

  it("has text before html, with the images that it shows, then data for programs, then attachments", async () => {
    const bytes = await composeMessage(
      {
        ...body,
        html: '<p>Hi <img src="cid:logo"></p>',
        agentPart: { type: "https://first.example/offer", data: { price: 7 }, inReplyTo: "urn:uuid:1" },
        attachments: [
          { content: Buffer.from([1, 2, 3]), name: "logo.png", type: "image/png", cid: "logo" },
          { content: Buffer.from("a;b\n"), name: "list.csv", type: "text/csv" },
        ],
      },
      facts,
    );
    expect(typesOf(bytes)).toEqual([
      "multipart/mixed",
      "multipart/alternative",
      "text/plain",
      "multipart/related",
      "text/html",
      "image/png",
      "application/vnd.waypost.agent+json",
      "text/csv",
    ]);
    const { attachments } = await simpleParser(bytes);
    const agent = attachments.find(({ filename }) => filename === "agent.json")!;
    expect(JSON.parse(agent.content.toString())).toEqual({
      type: "https://first.example/offer",
      id: expect.stringMatching(/^urn:uuid:/),
      in_reply_to: "urn:uuid:1",
      data: { price: 7 },
    });
    expect(agent.contentDisposition).toBe("attachment");
    expect(attachments.find(({ cid }) => cid === "logo")?.content).toEqual(Buffer.from([1, 2, 3]));
  });

  it.each([
    ["long lines", "x".repeat(5000)],
    ["every line end", "a\rb\r\nc\nd"],
    ["a dot alone", ".\n..\n.x\n"],
    ["characters of every kind", "müde 漢字 🌍 \u0007 tab\there"],
    ["a From line", "From here on\nFrom there"],
    ["space at the ends", "  a  \n b \t\n\n\n"],
  ])("carries %s unharmed in lines that mail can carry", async (_, text) => {
    const html = `<p>${text}</p>`;
    const bytes = await composeMessage({ ...body, text, html }, facts);
    expect(hasMailLines(bytes)).toBe(true);
    const lines = bytes.toString("latin1").split("\r\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(998);
    const parsed = await simpleParser(bytes, { skipTextToHtml: true });
    expect(parsed.text!.trimEnd()).toBe(text.replace(/\r\n|\r/g, "\n").trimEnd());
    expect((parsed.html as string).trimEnd()).toBe(html.replace(/\r\n|\r/g, "\n"));
  });

  it("writes names and subjects that need it as encoded words, and folds what is long", async () => {
    const name = `Jürgen "der" Große, ${"x".repeat(60)}`;
    const subject = `Grüße ${"lang ".repeat(60)}漢字🌍`;
    const bytes = await composeMessage({ ...body, subject, to: [{ name, address: "j@far.example" }] }, facts);
    const header = bytes.toString("latin1").split("\r\n\r\n")[0]!;
    expect(/[^\r\n\x20-\x7e]/.test(header)).toBe(false);
    expect(header.split("\r\n").every((line) => line.length <= 78)).toBe(true);
    const parsed = await simpleParser(bytes);
    expect(parsed.subject).toBe(subject);
    expect(parsed.to).toMatchObject({ value: [{ name, address: "j@far.example" }] });
  });

  it("keeps a local part beyond ASCII and one in quotes as they are", async () => {
    const to = [
      { name: "", address: "jürgen@xn--mller-kva.example" },
      { name: "", address: '"a b"@far.example' },
    ];
    const text = (await composeMessage({ ...body, to }, facts)).toString();
    expect(text).toMatch(/^To: .*jürgen@.*"a b"@far\.example/m);
  });

  it("attaches a message unchanged, or as octets when mail cannot carry it", async () => {
    const whole = Buffer.from("Subject: x\r\n\r\nmüde\r\n");
    const attach = (content: Buffer) =>
      composeMessage({ ...body, attachments: [{ content, name: "x.eml", type: "message/rfc822" }] }, facts);
    const kept = await attach(whole);
    expect(kept.includes(whole)).toBe(true);
    expect(kept.toString("latin1")).toMatch(/Content-Type: message\/rfc822[\s\S]*8bit/i);
    const broken = await attach(Buffer.from("Subject: x\n\nlone line feeds\n"));
    expect(typesOf(broken)).toContain("application/octet-stream");
    expect(hasMailLines(broken)).toBe(true);
  });

  it("has an empty text part when the body is empty", async () => {
    const attachments = [{ content: Buffer.from("x"), name: "x.bin", type: "application/octet-stream" }];
    expect(typesOf(await composeMessage({ ...body, text: "", attachments }, facts))).toEqual([
      "multipart/mixed",
      "text/plain",
      "application/octet-stream",
    ]);
  });
});

it.each([
  ["", true],
  ["a\r\nb", true],
  [`${"x".repeat(998)}\r\n`, true],
  [`${"x".repeat(999)}\r\n`, false],
  ["x".repeat(999), false],
  ["a\nb\r\n", false],
  ["a\rb\r\n", false],
  ["\r\r\n", false],
  ["a\0\r\n", false],
])("knows whether mail can carry %j", (text, isCarried) => {
  expect(hasMailLines(Buffer.from(text))).toBe(isCarried);
});

const line = fc.oneof(
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom(
      "\r",
      "\n",
      "\0",
      "\t",
      " ",
      ":",
      "a",
      "=?",
      "?=",
      "ü",
      '"',
      "\\",
      ",",
      "<",
      ">",
      "@",
    ),
    maxLength: 30,
  }),
);

it("has its header fields and no others, whatever the input contains", async () => {
  await fc.assert(
    fc.asyncProperty(line, line, line, async (subject, name, fileName) => {
      const input = {
        subject,
        to: [{ name, address: "b@x.example" }],
        attachments: [{ data: "eA==", name: fileName }],
      };
      // What the schema refuses never comes here.
      if (!messageBody.safeParse(input).success) return;
      const attachments = [{ content: Buffer.from("x"), name: fileName, type: "application/octet-stream" }];
      const bytes = await composeMessage({ ...body, ...input, attachments }, facts);
      const fields = readHeaderFields(bytes);
      const names = fields.map((field) => field.name).filter((one) => one !== "subject");
      expect(names.toSorted().join(" ")).toBe("content-type date from message-id mime-version to");
      const shown = decodeWords(headerValues(fields, "subject")[0] ?? "");
      expect(shown.replace(/\s+/g, " ").trim()).toBe(subject.replace(/\s+/g, " ").trim());
      expect(hasMailLines(bytes)).toBe(true);
      expect(typesOf(bytes)).toEqual(["multipart/mixed", "text/plain", "application/octet-stream"]);
      const [attached] = (await simpleParser(bytes)).attachments;
      expect(attached?.content.toString()).toBe("x");
    }),
    { numRuns: 300 },
  );
});
