/** Whoever makes text of HTML and of documents: threads in the daemon, so that no mail holds up the others. */
import { type DocumentKind, type DocumentText, readDocument } from "#/src/formats/documents/read-document.ts";
import { type HtmlForm, type RenderedHtml, renderHtml } from "#/src/formats/html/render-html.ts";

export interface ContentReaders {
  renderHtml(html: string, form: HtmlForm): Promise<RenderedHtml>;
  readDocument(bytes: Uint8Array, kind: DocumentKind): Promise<DocumentText>;
}

/** On this thread: for who has no other to keep waiting. */
export const directReaders: ContentReaders = {
  renderHtml: async (html, form) => renderHtml(html, form),
  readDocument: (bytes, kind) => readDocument(bytes, kind),
};
