/** Text of the pages of a PDF that a person sees (pdf.js from the package unpdf, loaded when it is first needed). */
import { type CountLeftOut, cleanText } from "#/src/formats/text/clean-text.ts";
import { escapeOwnLines, leftOutLine } from "#/src/formats/text/own-lines.ts";
import { paintOf } from "./pdf-paint.ts";
import { judgeItems, type TextItem } from "./pdf-visible.ts";

const pagesMax = 200;
const textLengthMax = 1024 * 1024;

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
    const painted = paintOf(await page.getOperatorList(), {
      ops: OPS,
      isFontDrawn: (name) => isDrawn(page, name),
      isLayerOn: (properties) => layers.isVisible(properties as never),
    });
    const verdicts = judgeItems(pieces, painted, page.view);
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

/** Whether the letters of a font are drawings. A font that is not known here counts as such. */
function isDrawn(
  page: { readonly commonObjs: { has(name: string): boolean; get(name: string): unknown } },
  name: string,
): boolean {
  if (!page.commonObjs.has(name)) return true;
  const font = page.commonObjs.get(name) as { readonly isType3Font?: boolean };
  return font.isType3Font === true;
}
