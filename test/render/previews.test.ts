import { expect, test } from "vitest";
import { renderHtml } from "#/src/formats/html/render-html.ts";
import { readingOnce } from "#/src/mail/content-readers.ts";
import { createMail } from "#/src/mail/mail.ts";
import { nobody } from "#/src/model/author.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import { openTextIndex } from "#/src/render/indexing/open-text-index.ts";
import { previewOf } from "#/src/render/preview.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

const hiding = `Subject: a\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<head><style>${"p{color:#111}".repeat(2000)}.x{display:none}</style></head>
<div class=x>preheader</div><p>Seen \u{1f600} text</p><p>${"more words ".repeat(100)}</p>`;
const long = `Subject: b\r\n\r\n${"word ".repeat(200_000)}`;

test("previews are made of visible text, after the delivery, and again after the index is lost", async () => {
  await using opened = await openTestStore();
  const { agent } = await seedAgent(opened.store);
  let numbers: MessageNumber[] = [];
  for (const attempt of ["made", "kept", "made again"]) {
    await using index = await openTextIndex(opened.store);
    const mail = createMail(opened.store, index);
    const direct = createMail(opened.store);
    if (attempt === "made") {
      const inbox = (await mail.findMailbox(agent, "inbox"))!;
      const messages = [hiding, long].map((text) => ({ bytes: Buffer.from(text), flags: 0, keywords: [] }));
      await mail.appendMessages(nobody, agent, inbox.number, messages, { source: "imap" });
      numbers = (await mail.listNewestMessages(agent, { limit: 2 })).map(({ number }) => number);
    }
    await index.settle();
    const stored = await mail.findPreviews(agent, [...numbers, 999 as MessageNumber]);
    expect([...stored.keys()]).toEqual(numbers);
    for (const number of numbers) {
      const message = (await mail.findMessage(agent, number))!;
      expect(stored.get(number)).toBe(await previewOf(direct, agent, number, message));
    }
    expect(stored.get(numbers.at(-1)!)).toMatch(/^Seen 😀 text more words more/);
    expect([...stored.values()].map((text) => [...text].length)).toEqual([256, 256]);
  }
});

test("readers that read once render a page once for each form", async () => {
  let count = 0;
  const readers = readingOnce((html, form) => {
    count++;
    return renderHtml(html, form);
  });
  const first = await readers.renderHtml("<p>one", "text");
  expect(await readers.renderHtml("<p>one", "text")).toBe(first);
  expect((await readers.renderHtml("<p>two", "text")).text).toBe("two");
  expect((await readers.renderHtml("<p>one", "html")).text).toBe("<p>one</p>");
  expect(count).toBe(3);
});
