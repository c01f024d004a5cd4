/** Text of the pages of a PDF that a person sees (pdf.js from the package unpdf, loaded when it is first needed). */
import { type CountLeftOut, cleanText } from "#/src/formats/text/clean-text.ts";
import { escapeOwnLines, leftOutLine } from "#/src/formats/text/own-lines.ts";
import { type FontObjects, fontOf, type PageFont } from "./pdf-fonts.ts";
import { type Box, boxOf } from "./pdf-geometry.ts";
import { createLetterJudge } from "./pdf-letters.ts";
import { paintOf } from "./pdf-paint.ts";
import { judgeItems, type TextItem } from "./pdf-visible.ts";

const pagesMax = 200;
const textLengthMax = 1024 * 1024;

/** What pdf.js tells of an annotation. */
interface Annotation {
  readonly subtype: string;
  readonly rect: readonly number[];
  readonly hasAppearance?: boolean;
  /** Of a field of a form. */
  readonly backgroundColor?: unknown;
}

/** Of these nothing is painted that covers text, or pdf.js paints them itself. */
const neverPainted: ReadonlySet<string> = new Set([
  "Link",
  "Popup",
  "Text",
  "Highlight",
  "Underline",
  "Squiggly",
  "StrikeOut",
]);

/** undefined if the bytes are not a PDF, or if it is damaged or encrypted. Lines of the server in it are its own. */
export async function pdfText(bytes: Buffer, count: CountLeftOut): Promise<string | undefined> {
  const { getDocumentProxy, getResolvedPDFJS } = await import("unpdf");
  const { OPS } = await getResolvedPDFJS();
  let document: Awaited<ReturnType<typeof getDocumentProxy>>;
  try {
    document = await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      useSystemFonts: false,
      disableFontFace: true,
      disableAutoFetch: true,
      disableRange: true,
      disableStream: true,
      stopAtErrors: false,
    });
  } catch {
    return undefined;
  }
  const layers = await document.getOptionalContentConfig();
  const letters = createLetterJudge();
  const pages: string[] = [];
  let length = 0;
  for (let number = 1; number <= document.numPages; number++) {
    if (number > pagesMax || length > textLengthMax) {
      count("over-limit", 1);
      break;
    }
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const pieces = items.filter((item) => "str" in item) as unknown as (TextItem & {
      readonly hasEOL: boolean;
    })[];
    const fonts = new Map<string, PageFont>();
    const painted = paintOf(await page.getOperatorList(), {
      ops: OPS,
      fontOf: (name) => {
        const font = fonts.get(name) ?? fontOf(page.commonObjs as FontObjects, name, OPS);
        fonts.set(name, font);
        return font;
      },
      isLayerOn: (properties) => layers.isVisible(properties as never),
    });
    const verdicts = judgeItems(pieces, painted, {
      view: page.view,
      unit: page.userUnit,
      annotated: unpainted(await page.getAnnotations()),
      letters,
    });
    let text = "";
    let leftOut = 0;
    for (const [index, { str, hasEOL }] of pieces.entries()) {
      const verdict = verdicts[index]!;
      if (verdict === "visible") text += str;
      else if (typeof verdict === "string") count(verdict, 1);
      else {
        count("doubtful", 1, verdict.why);
        leftOut++;
      }
      if (hasEOL) text += "\n";
    }
    text = escapeOwnLines(cleanText(text, count)).trim();
    if (leftOut > 0) text = `${text}\n${leftOutLine(leftOut)}`.trimStart();
    page.cleanup();
    pages.push(text.trim());
    length += text.length;
  }
  await document.loadingTask.destroy();
  return pages.join("\n\n").trim();
}

/** Annotations that programs may paint although the file does not say how (ISO 32000-1 section 12.5.5). */
function unpainted(annotations: readonly Annotation[]): readonly Box[] {
  return annotations
    .filter(
      ({ subtype, hasAppearance, backgroundColor }) =>
        !neverPainted.has(subtype) &&
        (subtype === "Widget" ? backgroundColor != null : hasAppearance !== true),
    )
    .map(({ rect }) => boxOf(rect));
}
