/** Compares pairs of pages, many at once. Each pair is in two frames of one page, the second on top of the first with
 *  `mix-blend-mode: difference`, so the picture is black where they are equal. */
import { readFileSync } from "node:fs";
import type { Browser, Tab } from "../../peers/browser.ts";
import { cutPicture, type Rectangle, readLines, type Strip } from "./picture-lines.ts";
import type { Window } from "./windows.ts";

/** The largest number of pairs in one page. */
const pairsMax = 40;
const heights = {
  /** The smallest height of a pair. */
  atLeast: 120,
  /** Lines that are shown above and below the sentences. */
  around: 40,
  /** Black lines between pairs, because each line of the PNG is coded as the difference from the line above. */
  gap: 2,
};
/** The largest number of device pixels in one picture. */
const pixelsMost = 8_000_000;
/** A page that takes longer keeps the browser busy for ever. */
const loadMs = 30_000;

const style = `body{margin:0;background:black}div{position:relative;overflow:hidden;isolation:isolate;background:white;margin-bottom:${heights.gap}px}div[hidden]{display:none}iframe{position:absolute;left:0;border:0;background:white;width:var(--width);height:var(--height)}iframe+iframe{mix-blend-mode:difference}`;

/** Code that runs in the page. */
export const inPage = readFileSync(new URL("./in-page.js", import.meta.url), "utf8").replaceAll(
  "export ",
  "",
);

export interface Pair {
  readonly first: string;
  readonly second: string;
  /** Texts whose places in the first page are returned. */
  readonly texts: readonly string[];
  /** Whether the page scrolls to the texts, in whichever document they are. */
  readonly isScrolled: boolean;
}

export interface Compared {
  /** The difference of the two pages, in the lines with the texts. */
  readonly strip: Strip;
  /** The rectangles of each text in the strip. */
  readonly boxes: readonly (readonly Rectangle[])[];
}

interface Placed {
  readonly picture: number;
  readonly from: number;
  readonly height: number;
  readonly boxes: readonly (readonly Rectangle[])[];
}

export interface Frames {
  compare(pairs: readonly Pair[], window: Window): Promise<Compared[]>;
}

export async function createFrames(browser: Browser): Promise<Frames> {
  const tab = await browser.openTab();
  await tab.load(`<!doctype html><style>${style}</style><body>`);
  await tab.evaluate(`{${inPage}\nObject.assign(window, { writePairs, placePairs, showPicture }); 0}`);
  return {
    async compare(pairs, window) {
      const most = Math.floor(pixelsMost / (window.width * window.density ** 2));
      await tab.setWindow({ ...window, height: Math.max(most, window.height) });
      const sizes = `--width:${window.width}px;--height:${window.height}px`;
      await tab.evaluate(`document.documentElement.style.cssText = ${JSON.stringify(sizes)}`);
      const compared: Compared[] = [];
      for (let from = 0; from < pairs.length; from += pairsMax)
        compared.push(...(await compareSome(tab, pairs.slice(from, from + pairsMax), window, most)));
      return compared;
    },
  };
}

async function compareSome(
  tab: Tab,
  pairs: readonly Pair[],
  { width, height: windowHeight, density }: Window,
  most: number,
): Promise<Compared[]> {
  const documents = JSON.stringify(pairs.map(({ first, second }) => [first, second]));
  await tab.evaluate(`writePairs(${documents})`);
  const asked = JSON.stringify(pairs.map(({ texts, isScrolled }) => ({ texts, isScrolled })));
  const limits = JSON.stringify({ ...heights, window: windowHeight, picture: most });
  const placed = await untilLoaded(tab, `placePairs(${asked}, ${limits})`);
  const compared: Compared[] = [];
  for (let picture = 0; picture <= placed.at(-1)!.picture; picture++) {
    if (placed.at(-1)!.picture > 0) await tab.evaluate(`showPicture(${picture})`);
    const those = placed.filter((one) => one.picture === picture);
    const last = those.at(-1)!;
    const lines = readLines(await tab.picture(width, last.from + last.height, false));
    for (const { from, height, boxes } of those)
      compared.push({
        strip: cutPicture(lines, from * density, height * density),
        boxes: boxes.map((some) => some.map((box) => inDevicePixels(box, density))),
      });
  }
  return compared;
}

function inDevicePixels([left, top, right, bottom]: Rectangle, density: number): Rectangle {
  return [left * density, top * density, right * density, bottom * density];
}

async function untilLoaded(tab: Tab, expression: string): Promise<Placed[]> {
  const endsAt = performance.now() + loadMs;
  for (;;) {
    const value = await tab.evaluate<Placed[] | null>(expression);
    if (value !== null) return value;
    if (performance.now() > endsAt) throw new Error("the page does not load");
  }
}
