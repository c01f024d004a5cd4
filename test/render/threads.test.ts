import dgram from "node:dgram";
import dns from "node:dns";
import net from "node:net";
import { afterAll, describe, expect, it, test, vi } from "vitest";
import { renderHtml } from "#/src/formats/html/render-html.ts";
import { directReaders } from "#/src/mail/content-readers.ts";
import { createReadingThreads } from "#/src/render/threads/reading-threads.ts";
import { docxOf, pdfOf } from "../support/documents.ts";

const threads = createReadingThreads();
afterAll(() => threads[Symbol.asyncDispose]());

describe("threads that read what strangers wrote", () => {
  it("say what is said without them", async () => {
    const html = '<style>.a{display:none}</style><p class=a>no</p><p>yes <a href="https://x.example/">x</a>';
    expect(await threads.renderHtml(html, "markdown")).toEqual(renderHtml(html, "markdown"));
    for (const [bytes, kind] of [
      [docxOf("<w:p><w:r><w:t>words</w:t></w:r></w:p>"), "docx"],
      [pdfOf(["words"]), "pdf"],
    ] as const)
      expect(await threads.readDocument(bytes, kind)).toEqual(await directReaders.readDocument(bytes, kind));
  });

  it("read many at a time, each its own", async () => {
    const texts = await Promise.all(
      Array.from(
        { length: 100 },
        async (_, at) => (await threads.renderHtml(`<p>number ${at}`, "text")).text,
      ),
    );
    expect(texts).toEqual(Array.from({ length: 100 }, (_, at) => `number ${at}`));
  });

  it("refuse what comes when they are closed", async () => {
    const closed = createReadingThreads();
    const waiting = closed.renderHtml("<p>x", "text");
    await closed[Symbol.asyncDispose]();
    expect((await waiting).isOverLimit).toBe(true);
    expect((await closed.renderHtml("<p>x", "text")).isOverLimit).toBe(true);
  });
});

test("nothing that HTML or a document names is asked for", async () => {
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
  await directReaders.readDocument(pdfOf(["http://x.example/"]), "pdf");
  await directReaders.readDocument(docxOf("<w:p/>"), "docx");
  expect(asked).toEqual([]);
});
