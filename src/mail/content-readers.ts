/** Conversion of HTML and documents to text. The daemon does it on threads, so that one mail does not block others. */
import {
  type DocumentKind,
  type DocumentText,
  unreadDocument,
} from "#/src/formats/documents/read-document.ts";
import { type HtmlForm, type RenderedHtml, renderHtml } from "#/src/formats/html/render-html.ts";

export interface ContentReaders {
  renderHtml(html: string, form: HtmlForm): Promise<RenderedHtml>;
  /** `read` is called when it is the document's turn, so that waiting documents take no memory. undefined: the document is too large.
   *  Throws `upstream_unavailable` or `rate_limited` if the turn does not come in time. `name`: a name for octets that never change;
   *  with it an expensive document is converted only once. */
  readDocument(
    read: () => Promise<Uint8Array | undefined>,
    kind: DocumentKind,
    name?: string,
  ): Promise<DocumentText>;
}

/** Converts HTML on this thread, where no other work waits. It reads no document: that needs a process of its own
 *  (src/threads/README.md, decision 7). */
export const directReaders: ContentReaders = {
  renderHtml: async (html, form) => renderHtml(html, form),
  readDocument: async () => unreadDocument,
};

/** Readers that convert the same page only once. For one message: its preview and its search text use the same pages. */
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
