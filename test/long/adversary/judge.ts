/** Whether a browser draws a marked sentence: two pictures of the page, one with other digits in the sentence. What makes no
 *  difference is not seen.
 *
 *  First with all sentences changed, where each sentence that stands apart must differ in its own place; then each of the others
 *  for itself, scrolled to; at last what is still not seen in pictures of the page for itself, of all that can be scrolled to, down
 *  and to the right. */
import { type Browser, type Tab, windowHeight, windowWidth } from "../../peers/browser.ts";
import { type Compared, createFrames, evaluate, inPage, type Pair } from "./frames.ts";
import { type Mark, otherDigits, wordsOf } from "./page.ts";
import {
  cutPicture,
  differencesIn,
  lightIn,
  type Rectangle,
  readLines,
  type Strip,
} from "./picture-lines.ts";

export interface Question {
  /** The page, with other digits in some of its sentences. */
  readonly write: (others: readonly number[]) => string;
  readonly marks: readonly Mark[];
}

/** At 16 pixels a digit differs from another one in 60 of them, at 7 pixels in 14, at 3 pixels in 3. */
const pixelsPerDigit = 2;
const digitsPerWord = 4;
/** Pixels by which letters reach beyond their rectangle. */
const reach = 3;
/** Pixels around a sentence. */
const around = 40;
/** Pixels of a whole page to each side, and around a sentence. */
const wholeMax = 4000;

export interface Judge {
  /** Of each page, how many pixels say what each sentence is; 0 where it is not seen. */
  seen(questions: readonly Question[]): Promise<number[][]>;
}

export async function createJudge(browser: Browser): Promise<Judge> {
  const frames = await createFrames(browser);
  const alone = await browser.openTab();
  return {
    async seen(questions) {
      const together = await frames.compare(questions.map(pairOfAll));
      const answers = questions.map(({ marks }, at) => seenApart(marks, together[at]!));
      const open = questions.flatMap(({ write, marks }, at) =>
        marks.flatMap((mark, index) => (answers[at]![index]! > 0 ? [] : [{ write, mark, at, index }])),
      );
      const apart = await frames.compare(open.map(pairOfOne));
      for (const [number, { write, mark, at, index }] of open.entries()) {
        const least = leastOf(mark);
        let pixels = lightIn(apart[number]!.strip);
        if (pixels < least) pixels = await differencesAlone(alone, write, mark);
        answers[at]![index] = pixels < least ? 0 : pixels;
      }
      return answers;
    },
  };
}

type Write = Question["write"];

function pairOfAll({ write, marks }: Question): Pair {
  const all = marks.map(({ mark }) => mark);
  return { first: write([]), second: write(all), texts: marks.map(textOf), isScrolled: false };
}

function pairOfOne({ write, mark }: { readonly write: Write; readonly mark: Mark }): Pair {
  const texts = [textOf(mark), otherDigits(textOf(mark))];
  return { first: write([]), second: write([mark.mark]), texts, isScrolled: true };
}

function textOf(mark: Mark): string {
  return wordsOf(mark).join(" ");
}

function leastOf({ words }: Mark): number {
  return words * digitsPerWord * pixelsPerDigit;
}

/** Sentences that differ in their own places, where no other sentence is near. */
function seenApart(marks: readonly Mark[], { strip, boxes }: Compared): number[] {
  return marks.map((mark, at) => {
    const others = boxes.toSpliced(at, 1).flat().map(widened);
    const pixels = boxes[at]!.reduce((sum, box) => sum + lightIn(strip, box, others), 0);
    return pixels < leastOf(mark) ? 0 : pixels;
  });
}

function widened([left, top, right, bottom]: Rectangle): Rectangle {
  return [left - reach, top - reach, right + reach, bottom + reach];
}

/** The page for itself: first where the sentence says that it is, then everything. */
async function differencesAlone(tab: Tab, write: Write, mark: Mark): Promise<number> {
  const least = leastOf(mark);
  let most = 0;
  for (const part of ["place", "whole"] as const) {
    const plain = await drawAlone(tab, write([]), textOf(mark), part);
    if (plain === undefined) continue;
    const other = await drawAlone(tab, write([mark.mark]), otherDigits(textOf(mark)), part);
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
  const box = await evaluate<Rectangle | null>(
    tab,
    `{${inPage}\nscrollTo(${JSON.stringify(text)}, document)}`,
  );
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
