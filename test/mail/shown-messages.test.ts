import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { createHeaderPicker, readHeaderFields } from "#/src/formats/mime/header.ts";
import { createMail } from "#/src/mail/mail.ts";
import type { StoredBytes } from "#/src/mail/message-bytes.ts";
import { nobody } from "#/src/model/author.ts";
import type { Uid } from "#/src/model/numbers.ts";
import { deliver } from "../support/delivery.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

const messages: readonly (readonly [what: string, bytes: Buffer])[] = [
  ["a header alone", Buffer.from("Subject: a\r\n\r\n")],
  ["a body alone", Buffer.from("\r\nHello\r\n")],
  ["a short body", Buffer.from("Subject: a\r\n\r\nHello\r\n")],
  ["a compressed body", Buffer.from(`Subject: a\r\n\r\n${"Hello\r\n".repeat(2000)}`)],
  ["octets", Buffer.concat([Buffer.from("Subject: \xe9\xff\r\n\r\n", "latin1"), randomBytes(500)])],
  ["a NUL", Buffer.from("Subject: a\0b\r\n\r\nHello\0\r\n")],
  ["UTF-8", Buffer.from("Subject: \u00e9 \ufffd\r\n\r\nHello \u4e2d \ufffd\r\n")],
  [
    "octets that are no UTF-8, as many as characters",
    Buffer.from("Subject: \xff\r\n\r\n\xe9 a \x80", "latin1"),
  ],
  ["a body with octets", Buffer.from("Subject: a\r\n\r\ncaf\xe9", "latin1")],
  ["a long body", Buffer.from(`Subject: a\r\n\r\n${"Hello\r\n".repeat(60_000)}`)],
  ["a long header", Buffer.from(`${"X-Long: header\r\n".repeat(3000)}\r\nHello\r\n`)],
];

it("the octets of a page are the stored octets", async () => {
  await using test = await openTestStore();
  const ada = await seedAgent(test.store);
  const mail = createMail(test.store);
  const appended = messages.map(([, bytes]) => ({ bytes, flags: 0, keywords: [] }));
  await mail.appendMessages(nobody, ada.agent, ada.inbox, appended, { source: "imap" });
  const trace = "Return-Path: <eve@example.net>\r\n";
  await deliver(test.store, [ada], "Delivered, so it has a trace.\r\n");
  const expected = [
    ...messages.map(([, bytes]) => bytes),
    Buffer.from(`${trace}Subject: Test\r\n\r\nDelivered, so it has a trace.\r\n`),
  ];
  const all = [[1, 99]] as const;
  for (const facet of ["header", "body"] as const)
    for await (const page of mail.shownPages(ada.agent, ada.inbox, all, [facet]))
      for (const [index, shown] of page.entries()) {
        const bytes = expected[index]!;
        const message = shown as StoredBytes;
        const endOfHeader = bytes.subarray(0, 2).toString() === "\r\n" ? 2 : bytes.indexOf("\r\n\r\n") + 4;
        const octets = mail.heldOctets(message);
        if (octets !== undefined) expect(Buffer.from(octets, "latin1").equals(bytes)).toBe(true);
        expect(octets !== undefined).toBe(facet === "body" && bytes.length < 20_000);
        const header = mail.heldHeader(message);
        if (header !== undefined)
          expect(Buffer.from(header, "latin1").equals(bytes.subarray(0, endOfHeader))).toBe(true);
        expect(header !== undefined || bytes.length > 20_000).toBe(true);
        expect((await mail.readHeader(message))!.equals(bytes.subarray(0, endOfHeader))).toBe(true);
        expect((await mail.readBytes(message)).equals(bytes)).toBe(true);
        const range = { start: 5, end: bytes.length - 3 };
        expect((await mail.readBytes(message, range)).equals(bytes.subarray(5, -3))).toBe(true);
      }
});

it("pages have the requested data, for sets of any shape", async () => {
  await using test = await openTestStore();
  const ada = await seedAgent(test.store);
  const mail = createMail(test.store);
  const bytes = Buffer.from("Subject: a\r\n\r\nHello\r\n");
  const many = Array.from({ length: 300 }, () => ({ bytes, flags: 1, keywords: [] }));
  await mail.appendMessages(nobody, ada.agent, ada.inbox, many, { source: "imap" });
  const scattered = Array.from({ length: 100 }, (_, index) => [index * 3 + 1, index * 3 + 1] as const);
  for (const set of [
    [[1, 300]],
    [
      [2, 5],
      [20, 260],
      [262, 262],
    ],
    scattered,
  ] as const)
    for (const facets of [
      [],
      ["flags"],
      ["numbers"],
      ["envelope", "bodyStructure"],
      ["flags", "bodyStructure"],
      ["thread"],
      ["header"],
      ["body"],
    ] as const) {
      const uids: Uid[] = [];
      for await (const page of mail.shownPages(ada.agent, ada.inbox, set, facets))
        for (const { uid, flags, size, envelope, thread } of page) {
          uids.push(uid);
          const isWanted = (facet: string): boolean => (facets as readonly string[]).includes(facet);
          expect(flags).toEqual(isWanted("flags") ? { mask: 1, overflow: null } : undefined);
          if (isWanted("numbers")) expect(size).toBe(bytes.length);
          expect(envelope !== undefined).toBe(isWanted("envelope"));
          expect(thread !== undefined).toBe(isWanted("thread"));
        }
      expect(uids).toEqual(
        set.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index)),
      );
    }
});

it.each([
  ["From: a\r\nTo: b\r\nSubject: c\r\n\r\n"],
  ["FROM : a\r\n b\r\n\tc\r\nfrom: d\r\nno field\r\nTo: e\r\n\r\nFrom: body\r\n"],
  ["From nobody\nFrom: a\nTo:\n\nbody"],
  [": nameless\r\nFrom: a"],
  ["X: 1\r\nFrom: a\r\n\r\n"],
  [""],
])("cuts fields out of a header as they stand: %j", (header) => {
  const bytes = Buffer.from(header, "latin1");
  const fields = readHeaderFields(bytes);
  for (const isWanted of [
    (name: string) => name === "from",
    (name: string) => name !== "from",
    () => true,
    () => false,
  ]) {
    const picker = createHeaderPicker(isWanted);
    const expected = fields
      .filter(({ name }) => isWanted(name))
      .map(({ start, end }) => header.slice(start, end))
      .join("");
    expect(picker.pick(header)).toBe(expected);
    expect(picker.pick(header)).toBe(expected);
    expect(picker.pickInPieces(header).toArray()).toEqual([]);
  }
});
