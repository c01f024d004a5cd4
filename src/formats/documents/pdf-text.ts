/** Text of the pages of a PDF that a person sees (pdf.js from the package unpdf, loaded when it is first needed). */

import { randomUUID } from "node:crypto";
import { type CountLeftOut, cleanText } from "#/src/formats/text/clean-text.ts";
import { escapeOwnLines, leftOutLine, withLeftOut, withNotes } from "#/src/formats/text/own-lines.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { type Annotation, labelOf, notesOf, unpainted } from "./pdf-fields.ts";
import { type FontObjects, fontOf, type PageFont } from "./pdf-fonts.ts";
import { createLetterJudge } from "./pdf-letters.ts";
import { outOfOrder, textOfRuns } from "./pdf-order.ts";
import { paintOf } from "./pdf-paint.ts";
import type { TextRun } from "./pdf-painted.ts";
import { judgeRuns, type Seen } from "./pdf-visible.ts";

type PdfDocument = Awaited<ReturnType<typeof import("unpdf").getDocumentProxy>>;
type PdfPage = Awaited<ReturnType<PdfDocument["getPage"]>>;

const pagesMax = 200;
const textLengthMax = 1024 * 1024;
/** Words of a page times its fields, for which labels are looked for; more stand behind the text. */
const labelsMax = 10_000_000;

/** undefined if the bytes are not a PDF, or if it is damaged or encrypted. Rejects if a page cannot be read. Lines of the server in it are its
 *  own. */
export async function pdfText(bytes: Buffer, count: CountLeftOut): Promise<string | undefined> {
  const { getDocumentProxy, getResolvedPDFJS } = await import("unpdf");
  const { OPS } = await getResolvedPDFJS();
  let document: PdfDocument;
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
  const { info } = (await document.getMetadata()) as { readonly info: FormFacts };
  // Programs that know such a form show it in the place of the pages.
  if (info.IsXFAPresent === true && info.IsAcroFormPresent !== true) {
    count("doubtful", 1, "whole-document");
    await document.loadingTask.destroy();
    return leftOutLine(1);
  }
  const letters = createLetterJudge();
  const pages: string[] = [];
  const places = { begin: randomUUID(), end: randomUUID() };
  let length = 0;
  for (let number = 1; number <= document.numPages; number++) {
    if (number > pagesMax || length > textLengthMax) {
      count("over-limit", 1);
      break;
    }
    const read = await readablePage(document, number);
    if (read === undefined) {
      count("undecodable", 1);
      continue;
    }
    const { page, annotations } = read;
    const fonts = new Map<string, PageFont>();
    const painted = paintOf(await page.getOperatorList(), {
      ops: OPS,
      fontOf: (name) => {
        const font = fonts.get(name) ?? fontOf(page.commonObjs as FontObjects, name, OPS);
        fonts.set(name, font);
        return font;
      },
      patternOf: (name) =>
        [page.objs, page.commonObjs].find((one) => (one as FontObjects).has(name))?.get(name),
      isLayerOn: (properties) => layers.isVisible(properties as never),
    });
    const seen = judgeRuns(painted, {
      view: page.view,
      unit: page.userUnit,
      annotated: unpainted(annotations),
      letters,
    });
    const verdicts = new Map<TextRun, Seen>(painted.runs.map((run, at) => [run, seen[at]!]));
    const runs = painted.runs.filter(({ annotation }) => annotation === undefined);
    for (const run of outOfOrder(runs.filter((one) => verdicts.get(one) === "visible")))
      verdicts.set(run, { why: "order-may-differ" });
    const fields = notesOf(annotations, painted.runs, verdicts, {
      hasForm: info.IsAcroFormPresent === true,
      hasXfa: info.IsXFAPresent === true,
    });
    let leftOut = countPassages(runs, verdicts, count);
    if (fields.doubtful > 0) count("doubtful", fields.doubtful, "element-not-understood");
    leftOut += fields.doubtful;
    if (fields.hidden > 0) count("hidden-element", fields.hidden);
    if (fields.remarks > 0) count("comment", fields.remarks);
    const notes = new Map<TextRun, string>();
    const loose: string[] = [];
    const isTooMuch = fields.notes.length * runs.length > labelsMax;
    for (const note of fields.notes) {
      const said = ` ${places.begin}${note.kind}:${note.words}${places.end}`;
      const label = isTooMuch ? undefined : labelOf(note, runs);
      if (label === undefined) loose.push(said.trim());
      else notes.set(label, (notes.get(label) ?? "") + said);
    }
    const isGiven = (run: TextRun): boolean => verdicts.get(run) === "visible";
    const whole = [textOfRuns(runs, isGiven, notes), ...loose].join("\n");
    const text = withLeftOut(withNotes(escapeOwnLines(cleanText(whole, count)), places).trim(), leftOut);
    page.cleanup();
    pages.push(text);
    length += text.length;
  }
  await document.loadingTask.destroy();
  return pages.join("\n\n").trim();
}

/** undefined where the page, its contents or its annotations are damaged. */
async function readablePage(
  document: PdfDocument,
  number: number,
): Promise<{ readonly page: PdfPage; readonly annotations: readonly Annotation[] } | undefined> {
  try {
    const page = await document.getPage(number);
    // Rejects where contents can't be read. A list of operators then only ends, and nothing would tell what is missing.
    await page.getTextContent();
    return { page, annotations: await page.getAnnotations() };
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** What pdf.js says of a file that does not follow the format, or that ends too early. */
const damages = /^(?:FormatError|ParserEOFException):/;

/** pdf.js wraps it; the text of the wrapped error begins with its name. */
function isDamage(error: unknown): boolean {
  const { details } = readThrown(error).further;
  return typeof details === "string" && damages.test(details);
}

interface FormFacts {
  readonly IsXFAPresent?: boolean;
  readonly IsAcroFormPresent?: boolean;
}

/** Words one behind the other that are left out for one reason are a passage. Returns how many are in doubt. */
function countPassages(
  runs: readonly TextRun[],
  verdicts: ReadonlyMap<TextRun, Seen>,
  count: CountLeftOut,
): number {
  let doubtful = 0;
  let last: string | undefined;
  for (const run of runs) {
    const verdict = verdicts.get(run)!;
    const reason = typeof verdict === "string" ? verdict : verdict.why;
    if (reason !== last && verdict !== "visible") {
      if (typeof verdict === "string") count(verdict, 1);
      else {
        count("doubtful", 1, verdict.why);
        doubtful++;
      }
    }
    last = reason;
  }
  return doubtful;
}
