/** Decides whether a browser shows a marked sentence: takes two pictures of the page, one with other digits in the sentence. If the
 *  pictures are equal, the sentence is not visible.
 *
 *  First it changes all sentences at once; a sentence that is away from the others must differ in its own place. Then it changes each
 *  of the remaining sentences alone and scrolls to it. At last it takes pictures of a page by itself for the sentences that are still
 *  not visible, of the whole area that can be scrolled to. */
import type { Browser, Tab } from "../../peers/browser.ts";
import { type Compared, createFrames, inPage, type Pair } from "./frames.ts";
import { type Mark, otherDigits, wordsOf } from "./page.ts";
import {
  cutPicture,
  differencesIn,
  lightIn,
  type Rectangle,
  readLines,
  type Strip,
} from "./picture-lines.ts";
import { usualWindow, type Window } from "./windows.ts";

export interface Question {
  /** Writes the page with other digits in these sentences. */
  readonly write: (others: readonly number[]) => string;
  readonly marks: readonly Mark[];
}

/** The least number of pixels that must differ for each digit. At 16 pixels two digits differ in 60, at 7 pixels in 14, at 3 in 3. */
const pixelsPerDigit = 2;
const digitsPerWord = 4;
/** Letters may reach this many pixels beyond their rectangle. */
const reach = 3;
/** Pixels around a sentence that are part of its picture. */
const around = 40;
/** The largest width and height of a picture, in pixels, and the largest number of its device pixels. */
const wholeMax = 4000;
const devicePixelsMax = 16_000_000;

export interface Judge {
  /** For each page, the number of pixels that differ with each sentence; 0 when the sentence is not visible in this window. */
  seen(questions: readonly Question[], window?: Window): Promise<number[][]>;
}

export async function createJudge(browser: Browser): Promise<Judge> {
  const frames = await createFrames(browser);
  const alone = await browser.openTab();
  return {
    async seen(questions, window = usualWindow) {
      const together = await frames.compare(questions.map(pairOfAll), window);
      const answers = questions.map(({ marks }, at) => seenApart(marks, together[at]!, window));
      const open = questions.flatMap(({ write, marks }, at) =>
        marks.flatMap((mark, index) => (answers[at]![index]! > 0 ? [] : [{ write, mark, at, index }])),
      );
      const apart = await frames.compare(open.map(pairOfOne), window);
      if (open.length > 0) await alone.setWindow(window);
      for (const [number, { write, mark, at, index }] of open.entries()) {
        const least = leastOf(mark, window);
        let pixels = lightIn(apart[number]!.strip);
        if (pixels < least) pixels = await differencesAlone(alone, write, mark, window);
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

function leastOf({ words }: Mark, { density }: Window): number {
  return Math.floor(words * digitsPerWord * pixelsPerDigit * density ** 2);
}

/** Differences of sentences in their own places, without the places that are near another sentence. */
function seenApart(marks: readonly Mark[], { strip, boxes }: Compared, window: Window): number[] {
  const px = reach * window.density;
  const widened = ([left, top, right, bottom]: Rectangle): Rectangle => [
    left - px,
    top - px,
    right + px,
    bottom + px,
  ];
  return marks.map((mark, at) => {
    const others = boxes.toSpliced(at, 1).flat().map(widened);
    const pixels = boxes[at]!.reduce((sum, box) => sum + lightIn(strip, box, others), 0);
    return pixels < leastOf(mark, window) ? 0 : pixels;
  });
}

/** Compares pictures of the page by itself: first the place of the sentence, then the whole page. */
async function differencesAlone(tab: Tab, write: Write, mark: Mark, window: Window): Promise<number> {
  const least = leastOf(mark, window);
  let most = 0;
  for (const part of ["place", "whole"] as const) {
    const plain = await drawAlone(tab, write([]), textOf(mark), part, window);
    if (plain === undefined) continue;
    const other = await drawAlone(tab, write([mark.mark]), otherDigits(textOf(mark)), part, window);
    // When the size of the page depends on the text, the text is visible in it.
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
  window: Window,
): Promise<Strip | undefined> {
  await tab.load(`\ufeff${html}`);
  const box = await tab.evaluate<Rectangle | null>(
    `{${inPage}\nscrollTo(${JSON.stringify(text)}, document)}`,
  );
  const content = await tab.contentSize();
  const pageWidth = Math.max(window.width, Math.ceil(content.width));
  const pageHeight = Math.max(window.height, Math.ceil(content.height));
  const draw = async (width: number, height: number, x = 0, y = 0): Promise<Strip> => {
    const lines = readLines(await tab.picture(width, height, true, x, y));
    return cutPicture(lines, 0, lines.height);
  };
  if (part === "whole") {
    const wide = Math.min(wholeMax, pageWidth);
    return draw(
      wide,
      Math.min(wholeMax, pageHeight, Math.floor(devicePixelsMax / (wide * window.density ** 2))),
    );
  }
  if (box === null) return undefined;
  const x = Math.max(0, Math.floor(box[0] - around));
  const y = Math.max(0, Math.floor(box[1] - around));
  const width = Math.ceil(Math.min(x + wholeMax, pageWidth, box[2] + around) - x);
  const height = Math.ceil(Math.min(y + wholeMax, pageHeight, box[3] + around) - y);
  return width >= 1 && height >= 1 ? draw(width, height, x, y) : undefined;
}
