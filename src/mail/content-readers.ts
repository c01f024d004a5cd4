/** Whoever makes text of HTML and of documents: threads in the daemon, so that no mail holds up the others. */
import {
  type DocumentKind,
  type DocumentText,
  readDocument,
  unreadDocument,
} from "#/src/formats/documents/read-document.ts";
import { type HtmlForm, type RenderedHtml, renderHtml } from "#/src/formats/html/render-html.ts";

export interface ContentReaders {
  renderHtml(html: string, form: HtmlForm): Promise<RenderedHtml>;
  /** `read` is called when the document's turn has come, so that those that wait take no memory. undefined: it is too large. Throws
   *  `upstream_unavailable` or `rate_limited` when the turn does not come in time. `name`: of octets that never change; with it what
   *  costs much to be read is read once. */
  readDocument(
    read: () => Promise<Uint8Array | undefined>,
    kind: DocumentKind,
    name?: string,
  ): Promise<DocumentText>;
}

/** On this thread: for who has no other to keep waiting. */
export const directReaders: ContentReaders = {
  renderHtml: async (html, form) => renderHtml(html, form),
  async readDocument(read, kind) {
    const bytes = await read();
    return bytes === undefined ? unreadDocument : readDocument(bytes, kind);
  },
};

/** Readers that make text of the same page once. For one message: its preview and its search text are made of the same pages. */
export function readingOnce(readers: ContentReaders): ContentReaders {
  const pages = new Map<string, Promise<RenderedHtml>>();
  return {
    ...readers,
    renderHtml(html, form) {
      const name = `${form} ${html}`;
      const known = pages.get(name);
      if (known !== undefined) return known;
      const page = readers.renderHtml(html, form);
      pages.set(name, page);
      return page;
    },
  };
}
