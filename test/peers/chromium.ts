/** What a headless Chromium draws of HTML: which of its text can be seen in the picture. */
import { readFileSync } from "node:fs";
import { usualWindow } from "../long/adversary/windows.ts";
import { startBrowser } from "./browser.ts";
import { contrastIn, readPng } from "./png.ts";

export interface DrawnText {
  readonly text: string;
  readonly isSeen: boolean;
  /** Elements around it, the innermost first. */
  readonly inside: readonly string[];
}

export interface Chromium extends AsyncDisposable {
  draw(html: string): Promise<readonly DrawnText[]>;
}

/** Pixels of a page that are looked at. */
const heightMax = 6000;
/** Differences below it are smoothing at the edge of something else. */
const contrastMin = 30;

interface FoundText {
  readonly text: string;
  readonly inside: readonly string[];
  readonly boxes: readonly (readonly [left: number, top: number, right: number, bottom: number])[];
}

/** Runs in the page. */
const findTexts = readFileSync(new URL("./find-texts.js", import.meta.url), "utf8").replace("export ", "");

export async function startChromium(): Promise<Chromium> {
  const browser = await startBrowser();
  const tab = await browser.openTab();
  return {
    async draw(html) {
      // A page that sends its reader elsewhere would be gone before it is looked at.
      await tab.load(`\ufeff${html.replace(/http-equiv\s*=\s*["']?refresh/gi, "data-refresh")}`);
      const found = await tab.evaluate<FoundText[]>(`${findTexts}\nfindTexts()`);
      const content = await tab.contentSize();
      const height = Math.min(heightMax, Math.max(usualWindow.height, Math.ceil(content.height)));
      const picture = readPng(await tab.picture(usualWindow.width, height));
      return found.map(({ text, inside, boxes }) => ({
        text,
        inside,
        isSeen: boxes.some(
          ([left, top, right, bottom]) =>
            top >= heightMax || contrastIn(picture, left, top, right, bottom) >= contrastMin,
        ),
      }));
    },
    [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
  };
}
