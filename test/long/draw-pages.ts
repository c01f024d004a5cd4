/** Draws pages in Chromium, in windows of four widths, and tells of each word x4622 whether the renderer gives it and whether it makes a
 *  pixel: a word that is given and not drawn in one of them is a leak, one that is drawn in all and not given is lost. A line of a file is a page, or JSON with `page` and, if it is drawn
 *  in a dark window, `scheme`.
 *  `node test/long/draw-pages.ts FILE…` */
import { readFileSync } from "node:fs";
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";
import { hasChromium, startBrowser } from "../peers/browser.ts";
import { createJudge } from "./adversary/judge.ts";
import { otherDigits, wordsOf } from "./adversary/page.ts";
import { usualWindow, type Window } from "./adversary/windows.ts";
import { didNotRun } from "./did-not-run.ts";

interface Drawn {
  readonly name: string;
  readonly page: string;
  readonly scheme: Window["scheme"];
}

const mark = { kind: "mark", mark: 0, words: 1 } as const;
const [word] = wordsOf(mark);
/** The word of the cases (`test/formats/hidden-pages.jsonl`). */
const asked = /x4622/g;

function readPages(file: string): Drawn[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, at) => {
    const said = line.replaceAll(asked, word!);
    if (said === line) return [];
    const one = said.startsWith("{") ? (JSON.parse(said) as Partial<Drawn>) : { page: said };
    return [{ name: `${file}:${at + 1}`, scheme: "light", page: "", ...one } as Drawn];
  });
}

if (!hasChromium) didNotRun("there is no Chromium");
const pages = process.argv.slice(2).flatMap(readPages);
await using browser = await startBrowser();
const judge = await createJudge(browser);
const widths = [700, usualWindow.width, 1600, 2560];
const counts = { leak: 0, lost: 0, given: 0, hidden: 0 };
for (const scheme of ["light", "dark"] as const) {
  const some = pages.filter((one) => one.scheme === scheme);
  const questions = some.map(({ page }) => ({
    write: (others: readonly number[]) =>
      others.length === 0 ? page : page.replaceAll(word!, otherDigits(word!)),
    marks: [mark],
  }));
  const seen: number[][][] = [];
  for (const width of widths) seen.push(await judge.seen(questions, { ...usualWindow, width, scheme }));
  for (const [at, { name, page }] of some.entries()) {
    const isGiven = htmlForms.some((form) => renderHtml(page, form).text.includes(word!));
    const isDrawn = seen.every((window) => window[at]![0]! > 0);
    const what = isGiven ? (isDrawn ? "given" : "leak") : isDrawn ? "lost" : "hidden";
    counts[what]++;
    console.log(`${what} ${name}`);
  }
}
console.log(counts);
