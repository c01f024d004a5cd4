/** What a page is rendered to. It stands apart from what renders, which no more than the threads need (`src/render/threads`). */
import type { Difference } from "#/src/model/differences.ts";
import type { RemovalCounts } from "#/src/model/removal.ts";
import type { ConcealedText } from "./evidence-writer.ts";
import type { FramePage } from "./frame-text.ts";
import type { PictureSizes } from "./held-pictures.ts";
import type { PageWords } from "./walk.ts";

/** What programs read. */
export const htmlForms = ["text", "markdown", "html"] as const;
/** And what a person sees who decides about a mail of somebody else. evidence: text, with a mark at each place where text is hidden.
 *  frame: the page itself, for a browser that shows it and may load nothing. */
export type HtmlForm = (typeof htmlForms)[number] | "evidence" | "frame";

export interface RenderedHtml {
  readonly text: string;
  readonly removed: RemovalCounts;
  /** What the pictures that are seen are said to show (`alt`), cleaned; "" for one that says nothing. At most `picturesMax`. */
  readonly pictures: readonly string[];
  /** Too much to be looked at: nothing of it is shown, since what would have been hidden is not known. */
  readonly isOverLimit: boolean;
  /** Of a page that was judged. */
  readonly words?: PageWords;
  /** Absent: none. */
  readonly differs?: readonly Difference[];
  /** Of the form evidence: what is hidden, in the order of the marks. */
  readonly concealed?: readonly ConcealedText[];
  /** Of the form frame. */
  readonly frame?: FramePage;
}

/** The answer for a document that is not shown. */
export const overLimit: RenderedHtml = {
  text: "",
  removed: [["over-limit", 1]],
  pictures: [],
  isOverLimit: true,
};

/** `renderHtml`, or what stands for it. */
export type RenderHtml = (
  source: string,
  form: HtmlForm,
  pictures?: PictureSizes,
  withDoubtful?: boolean,
) => RenderedHtml;
