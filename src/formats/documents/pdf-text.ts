/** Text of the pages of a PDF (pdf.js from the package unpdf, loaded when it is first needed). The colour of the text and drawings
 *  over it are ignored. */
import { type CountRemoval, cleanText } from "#/src/formats/text/clean-text.ts";

const pagesMax = 200;
const textLengthMax = 1024 * 1024;

/** undefined if the bytes are not a PDF, or if it is damaged or encrypted. */
export async function pdfText(bytes: Buffer, count: CountRemoval): Promise<string | undefined> {
  const { getDocumentProxy } = await import("unpdf");
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
  const pages: string[] = [];
  let length = 0;
  for (let number = 1; number <= document.numPages; number++) {
    if (number > pagesMax || length > textLengthMax) {
      count("over-limit", 1);
      break;
    }
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    let text = "";
    for (const item of items) if ("str" in item) text += item.str + (item.hasEOL ? "\n" : "");
    page.cleanup();
    pages.push(text.trim());
    length += text.length;
  }
  await document.loadingTask.destroy();
  return cleanText(pages.join("\n\n"), count).trim();
}
