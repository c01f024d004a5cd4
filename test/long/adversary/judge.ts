/** Whether a browser draws a marked sentence: two pictures of the page, one with other digits in the sentence. What makes no
 *  difference is not seen.
 *
 *  Many pages are drawn at once, in frames of one page, as far down as small pages go: first with all sentences changed, where
 *  each sentence that stands apart must differ in its own place; then each of the others for itself; at last what is still not
 *  seen in a picture of all that can be scrolled to, down and to the right, and within boxes that scroll. */
import { readFileSync } from "node:fs";
import { type Browser, type Tab, windowHeight, windowWidth } from "../../peers/browser.ts";
import { type Mark, otherDigits, type Page, wordsOf, writePage } from "./page.ts";
import { cutPicture, differencesIn, type Rectangle, readLines, type Strip } from "./picture-lines.ts";

export interface Question {
  readonly page: Page;
  readonly marks: readonly Mark[];
}

/** Pages drawn at once. */
export const framesMax = 20;
const frameHeight = 400;
/** White lines between frames: the lines of a PNG follow from those above. */
const gapHeight = 8;
/** At 16 pixels a digit differs from another one in 60 of them, at 7 pixels in 14, at 3 pixels in 3. */
const pixelsPerDigit = 2;
const digitsPerWord = 4;
/** Pixels around a sentence. */
const around = 40;
/** Pixels of a whole page to each side, and around a sentence. */
const wholeMax = 4000;
/** Longer is a page that keeps the browser busy. */
const loadMs = 15_000;

/** Run in the page. */
const functions = readFileSync(new URL("./find-mark.js", import.meta.url), "utf8").replaceAll("export ", "");

export interface Judge {
  /** Of each page, how many pixels say what each sentence is; 0 where it is not seen. */
  seen(questions: readonly Question[]): Promise<number[][]>;
}

export async function createJudge(browser: Browser): Promise<Judge> {
  const framed = await browser.openTab();
  await framed.send("Emulation.setDeviceMetricsOverride", {
    width: windowWidth,
    height: (frameHeight + gapHeight) * framesMax,
    deviceScaleFactor: 1,
    mobile: false,
  });
  const style = `body{margin:0}div{height:${frameHeight}px;margin-bottom:${gapHeight}px;overflow:hidden}iframe{border:0;width:${windowWidth}px;height:${windowHeight}px}`;
  await framed.load(`<!doctype html><style>${style}</style><body>`);
  const alone = await browser.openTab();

  return {
    async seen(questions) {
      const together = await drawTogether(
        framed,
        questions.flatMap(({ page, marks }) => [
          { html: writePage(page), texts: marks.map(textOf) },
          {
            html: writePage(
              page,
              marks.map(({ mark }) => mark),
            ),
            texts: [],
          },
        ]),
      );
      const answers = questions.map(({ marks }, at) =>
        seenApart(marks, together[2 * at]!, together[2 * at + 1]!),
      );
      const open = questions.flatMap(({ page, marks }, at) =>
        marks.flatMap((mark, index) => (answers[at]![index]! > 0 ? [] : [{ page, mark, at, index }])),
      );
      const apart = await drawTogether(
        framed,
        open.map(({ page, mark }) => ({ html: writePage(page, [mark.mark]), texts: [] })),
      );
      for (const [number, { page, mark, at, index }] of open.entries()) {
        const least = leastOf(mark);
        let pixels = differencesIn(together[2 * at]!.strip, apart[number]!.strip);
        if (pixels < least) pixels = await differencesAlone(alone, page, mark);
        answers[at]![index] = pixels < least ? 0 : pixels;
      }
      return answers;
    },
  };
}

function textOf(mark: Mark): string {
  return wordsOf(mark).join(" ");
}

function leastOf({ words }: Mark): number {
  return words * digitsPerWord * pixelsPerDigit;
}

/** Sentences whose places differ, and touch no other sentence's. */
function seenApart(marks: readonly Mark[], plain: Drawn, other: Drawn): number[] {
  return marks.map((mark, at) => {
    const own = plain.boxes[at]!;
    const isApart = own.every((box) =>
      plain.boxes.every((boxes, index) => index === at || boxes.every((one) => !touches(box, one))),
    );
    if (!isApart) return 0;
    const pixels = own.reduce((sum, box) => sum + differencesIn(plain.strip, other.strip, box), 0);
    return pixels < leastOf(mark) ? 0 : pixels;
  });
}

function touches(one: Rectangle, other: Rectangle): boolean {
  return one[0] < other[2] + 1 && other[0] < one[2] + 1 && one[1] < other[3] + 1 && other[1] < one[3] + 1;
}

interface Drawn {
  readonly strip: Strip;
  /** The rectangles of each text. */
  readonly boxes: readonly (readonly Rectangle[])[];
}

/** The upper part of each page. */
async function drawTogether(
  tab: Tab,
  pages: readonly { readonly html: string; readonly texts: readonly string[] }[],
): Promise<Drawn[]> {
  const drawn: Drawn[] = [];
  for (let from = 0; from < pages.length; from += framesMax) {
    const some = pages.slice(from, from + framesMax);
    await evaluate(
      tab,
      `{const pages = ${JSON.stringify(some.map(({ html }) => html))};
        document.body.innerHTML = "<div><iframe></iframe></div>".repeat(pages.length);
        for (const [at, frame] of [...document.querySelectorAll("iframe")].entries()) {
          const inner = frame.contentDocument;
          inner.open();
          inner.write(pages[at]);
          inner.close();
        }}`,
    );
    const frames = `[...document.querySelectorAll("iframe")].map((frame) => frame.contentDocument)`;
    const boxes = await untilLoaded(
      tab,
      `{${functions}\nconst texts = ${JSON.stringify(some.map(({ texts }) => texts))};
        const inner = ${frames};
        inner.every(({ readyState }) => readyState === "complete")
          ? inner.map((one, at) => boxesOf(texts[at], one))
          : null}`,
    );
    const height = (frameHeight + gapHeight) * some.length;
    const lines = readLines(await tab.picture(windowWidth, height, false));
    for (const at of some.keys())
      drawn.push({
        strip: cutPicture(lines, at * (frameHeight + gapHeight), frameHeight),
        boxes: boxes[at]!,
      });
  }
  return drawn;
}

/** The page for itself: first where the sentence says that it is, then everything. */
async function differencesAlone(tab: Tab, page: Page, mark: Mark): Promise<number> {
  const least = leastOf(mark);
  let most = 0;
  for (const part of ["place", "whole"] as const) {
    const plain = await drawAlone(tab, writePage(page), textOf(mark), part);
    if (plain === undefined) continue;
    const other = await drawAlone(tab, writePage(page, [mark.mark]), otherDigits(textOf(mark)), part);
    // Sizes that follow the text show what it is.
    if (other?.stride !== plain.stride || other.height !== plain.height) return Number.POSITIVE_INFINITY;
    most = Math.max(most, differencesIn(plain, other));
    if (most >= least) break;
  }
  return most;
}

async function drawAlone(
  tab: Tab,
  html: string,
  text: string,
  part: "place" | "whole",
): Promise<Strip | undefined> {
  await tab.load(`\ufeff${html}`);
  const box = await evaluate<Rectangle | null>(tab, `{${functions}\nscrollTo(${JSON.stringify(text)})}`);
  const { cssContentSize } = await tab.send<{ cssContentSize: { width: number; height: number } }>(
    "Page.getLayoutMetrics",
  );
  const pageWidth = Math.max(windowWidth, Math.ceil(cssContentSize.width));
  const pageHeight = Math.max(windowHeight, Math.ceil(cssContentSize.height));
  const draw = async (width: number, height: number, x = 0, y = 0): Promise<Strip> => {
    const lines = readLines(await tab.picture(width, height, true, x, y));
    return cutPicture(lines, 0, lines.height);
  };
  if (part === "whole") return draw(Math.min(wholeMax, pageWidth), Math.min(wholeMax, pageHeight));
  if (box === null) return undefined;
  const x = Math.max(0, Math.floor(box[0] - around));
  const y = Math.max(0, Math.floor(box[1] - around));
  const width = Math.ceil(Math.min(x + wholeMax, pageWidth, box[2] + around) - x);
  const height = Math.ceil(Math.min(y + wholeMax, pageHeight, box[3] + around) - y);
  return width >= 1 && height >= 1 ? draw(width, height, x, y) : undefined;
}

async function evaluate<Value>(tab: Tab, expression: string): Promise<Value> {
  const { result, exceptionDetails } = await tab.send<{
    result: { value: Value };
    exceptionDetails?: object;
  }>("Runtime.evaluate", { expression, returnByValue: true });
  if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
  return result.value;
}

async function untilLoaded(tab: Tab, expression: string): Promise<Rectangle[][][]> {
  const endsAt = performance.now() + loadMs;
  for (;;) {
    const value = await evaluate<Rectangle[][][] | null>(tab, expression);
    if (value !== null) return value;
    if (performance.now() > endsAt) throw new Error("the page does not load");
  }
}
