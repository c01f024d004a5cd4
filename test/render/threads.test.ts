import dgram from "node:dgram";
import dns from "node:dns";
import net from "node:net";
import { afterAll, describe, expect, it, test, vi } from "vitest";
import { readDocument, unreadDocument } from "#/src/formats/documents/read-document.ts";
import { renderHtml } from "#/src/formats/html/render-html.ts";
import { readText, type TextToRead } from "#/src/formats/text/read-text.ts";
import { extractReply } from "#/src/formats/text/reply.ts";
import { directReaders } from "#/src/mail/content-readers.ts";
import { forCaller } from "#/src/model/caller.ts";
import { createReadingThreads } from "#/src/render/threads/reading-threads.ts";
import { bombPdf, docxOf, pdfOf } from "../support/documents.ts";

const threads = createReadingThreads();
afterAll(() => threads[Symbol.asyncDispose]());

describe("threads that read what strangers wrote", () => {
  it("give the same result as the main thread", async () => {
    const html = '<style>.a{display:none}</style><p class=a>no</p><p>yes <a href="https://x.example/">x</a>';
    expect(await threads.renderHtml(html, "markdown")).toEqual(renderHtml(html, "markdown"));
    for (const [bytes, kind] of [
      [docxOf("<w:p><w:r><w:t>words</w:t></w:r></w:p>"), "docx"],
      [pdfOf(["words"]), "pdf"],
    ] as const)
      expect(await threads.readDocument(async () => bytes, kind)).toEqual(await readDocument(bytes, kind));
    expect(await directReaders.readDocument(async () => pdfOf(["words"]), "pdf")).toEqual(unreadDocument);
  });

  it("give the same text of a long part as the main thread, and of its reply", async () => {
    const part = (reading: TextToRead["reading"], text: string): TextToRead => ({
      ...{ reading, charset: "utf-8", usualCharset: "us-ascii", form: "text" },
      bytes: Buffer.from(text),
    });
    const answer = `new words\n\nOn 1.1.2026 ada@example.org wrote:\n${"> old \u200b words\n".repeat(1000)}`;
    const event = `BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:a\nDESCRIPTION:${"words ".repeat(2000)}\nEND:VEVENT\nEND:VCALENDAR\n`;
    for (const one of [part("text", answer), part("calendar", event), part("html", `<p>${answer}`)])
      expect(await threads.readText(one)).toEqual(readText(one, renderHtml));
    expect(await threads.extractReply(answer)).toEqual(extractReply(answer));
  });

  it("read a page that is over a limit no second time within an hour", async () => {
    const page = (html: string): TextToRead => ({
      ...{ reading: "html", charset: "utf-8", usualCharset: "us-ascii", form: "text" },
      bytes: Buffer.from(html),
    });
    expect(await threads.readText(page(`<p style="${"&".repeat(5000)}">a`), "1 1 1 html")).toMatchObject({
      isOverLimit: true,
    });
    // The octets of a name never change: another page shows that it was not read.
    for (const readers of [threads, threads.listed!])
      expect(await readers.readText(page("<p>b"), "1 1 1 html")).toMatchObject({
        isOverLimit: true,
        text: "",
      });
    expect(await threads.readText(page("<p>b"), "1 1 2 html")).toMatchObject({
      isOverLimit: false,
      text: "b",
    });
  });

  it("read many documents at a time, each with its own result", async () => {
    const texts = await Promise.all(
      Array.from(
        { length: 100 },
        async (_, at) => (await threads.renderHtml(`<p>number ${at}`, "text")).text,
      ),
    );
    expect(texts).toEqual(Array.from({ length: 100 }, (_, at) => `number ${at}`));
  });

  it("do not unpack a document of some KB to hundreds of MiB, and read the next one", async () => {
    const bomb = bombPdf(200);
    expect(bomb.byteLength).toBeLessThan(10_000);
    expect(await threads.readDocument(async () => bomb, "pdf")).toEqual(unreadDocument);
    const { text } = await threads.readDocument(async () => pdfOf(["words"]), "pdf");
    expect(text).toBe("words");
  });

  it("read a document once when it unpacks to too much, is damaged or takes long", async () => {
    const reads: string[] = [];
    const read = (name: string, bytes: Buffer, kind: "pdf" | "docx") => {
      const octets = async (): Promise<Buffer> => {
        reads.push(name);
        return bytes;
      };
      const owner = { key: "reader" };
      return forCaller(
        new AbortController().signal,
        () => threads.readDocument(octets, kind, name),
        () => owner,
      );
    };
    const bomb = bombPdf(100);
    const twice = [read("bomb", bomb, "pdf"), read("bomb", bomb, "pdf")];
    expect(await Promise.all(twice)).toEqual([unreadDocument, unreadDocument]);
    const damaged = Buffer.from("%PDF-1.7 nothing");
    expect(await read("damaged", damaged, "pdf")).toEqual(await read("damaged", damaged, "pdf"));
    const long = docxOf("<w:p><w:r><w:t>words</w:t></w:r></w:p>".repeat(60_000));
    expect(await read("long", long, "docx")).toEqual(await read("long", long, "docx"));
    const short = docxOf("<w:p/>");
    await read("short", short, "docx");
    await read("short", short, "docx");
    expect(reads).toEqual(["bomb", "damaged", "long", "short", "short"]);
  });

  it("read the first document of an owner before the second one of another owner", async () => {
    const begun: string[] = [];
    const signal = new AbortController().signal;
    const read = (key: string, bytes: Buffer, kind: "pdf" | "docx") =>
      forCaller(
        signal,
        () =>
          threads.readDocument(async () => {
            begun.push(key);
            return bytes;
          }, kind),
        () => ({ key, above: `account of ${key}` }),
      );
    const bomb = bombPdf(100);
    const hostile = Array.from({ length: 4 }, () => read("hostile", bomb, "pdf"));
    await read("quiet", docxOf("<w:p/>"), "docx");
    expect(begun.slice(0, 2)).toEqual(["hostile", "quiet"]);
    await Promise.all(hostile);
  });

  it("refuse documents after they are closed", async () => {
    const refused = { code: "upstream_unavailable" };
    const closed = createReadingThreads();
    const waiting = expect(closed.readDocument(async () => pdfOf(["x"]), "pdf")).rejects.toMatchObject(
      refused,
    );
    await closed[Symbol.asyncDispose]();
    await waiting;
    await expect(closed.readDocument(async () => pdfOf(["x"]), "pdf")).rejects.toMatchObject(refused);
  });
});

test("nothing that HTML or a document names is fetched", async () => {
  const asked: string[] = [];
  const trap = (name: string) => (): never => {
    asked.push(name);
    throw new Error(`${name} was asked for`);
  };
  using _connect = vi.spyOn(net.Socket.prototype, "connect").mockImplementation(trap("a connection"));
  using _send = vi.spyOn(dgram, "createSocket").mockImplementation(trap("a datagram"));
  using _lookup = vi.spyOn(dns, "lookup").mockImplementation(trap("a name") as never);
  using _fetch = vi.spyOn(globalThis, "fetch").mockImplementation(trap("an address"));
  const { listCorpusHtml } = await import("../support/corpus.ts");
  const named = `<base href="http://b.example/"><link rel=stylesheet href="//l.example/"><style>@import "http://i.example/";
    @font-face{src:url(http://f.example/)}p{background:url(http://u.example/)}</style><img src="http://s.example/" srcset="http://t.example/ 2x">
    <iframe src="http://r.example/"></iframe><video poster="http://p.example/"></video><object data="http://o.example/"></object>
    <a href="http://a.example/" ping="http://g.example/">a</a><meta http-equiv=refresh content="0;url=http://m.example/">`;
  for (const html of [named, ...listCorpusHtml()])
    for (const form of ["text", "markdown", "html"] as const) renderHtml(html, form);
  await readDocument(pdfOf(["http://x.example/"]), "pdf");
  await readDocument(docxOf("<w:p/>"), "docx");
  expect(asked).toEqual([]);
});
