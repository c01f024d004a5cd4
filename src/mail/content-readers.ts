/** Conversion of parts of mails to text. The daemon does it on threads, so that one mail does not block others. */
import {
  type DocumentKind,
  type DocumentText,
  unreadDocument,
} from "#/src/formats/documents/read-document.ts";
import type { HtmlForm, RenderedHtml, RenderHtml } from "#/src/formats/html/rendered-html.ts";
import { differs } from "#/src/formats/text/divergence.ts";
import { type ReadText, readText, type TextToRead } from "#/src/formats/text/read-text.ts";
import { extractReply, type Reply } from "#/src/formats/text/reply.ts";

export interface ContentReaders {
  /** `name`: a name for octets that never change; with it a text that went over a limit is read again only after an hour. */
  readText(part: TextToRead, name?: string): Promise<ReadText>;
  renderHtml(html: string, form: HtmlForm): Promise<RenderedHtml>;
  extractReply(text: string): Promise<Reply>;
  /** Whether one alternative of a body says what the one that is shown does not. */
  differs(other: string, shown: string): Promise<boolean>;
  /** `read` is called when it is the document's turn, so that waiting documents take no memory. undefined: the document is too large.
   *  Throws `upstream_unavailable` or `rate_limited` if the turn does not come in time. `name`: as above; with it an expensive document
   *  is converted only once. */
  readDocument(
    read: () => Promise<Uint8Array | undefined>,
    kind: DocumentKind,
    name?: string,
  ): Promise<DocumentText>;
  /** The same for listings, which never read again what went over a limit. */
  readonly listed?: ContentReaders;
}

function readersWith(load: () => RenderHtml | Promise<RenderHtml>): ContentReaders {
  return {
    readText: async (part) => readText(part, await load()),
    renderHtml: async (html, form) => (await load())(html, form),
    extractReply: async (text) => extractReply(text),
    differs: async (other, shown) => differs(other, shown),
    readDocument: async () => unreadDocument,
  };
}

/** Reads on this thread, where no other work waits. It reads no document: that needs a process of its own
 *  (src/threads/README.md, decision 7). What renders pages is loaded at the first text: the daemon's main thread has none. */
export const directReaders: ContentReaders = readersWith(
  async () => (await import("#/src/formats/html/render-html.ts")).renderHtml,
);

/** Readers that render the same page only once. For one message: its preview and its search text use the same pages. */
export function readingOnce(render: RenderHtml): ContentReaders {
  const pages = new Map<string, RenderedHtml>();
  return readersWith(() => (html, form, pictures) => {
    const name = `${form} ${[...(pictures ?? [])].map(([cid, { width, height }]) => `${cid} ${width} ${height}`).join()} ${html}`;
    const page = pages.get(name) ?? render(html, form, pictures);
    pages.set(name, page);
    return page;
  });
}
