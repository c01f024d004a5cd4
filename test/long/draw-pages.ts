/** Draws pages in Chromium and in Firefox, in windows of four widths, and tells of each word x4622 whether the renderer gives it and whether
 *  it makes a pixel: a word that is given and not drawn by one of them in one window is a leak, with which it fails; one that is drawn in all and not given is lost. A line
 *  of a file is a page, or JSON with `page` and, if it is drawn in a dark window, `scheme`. With `--kept` the pages of the tests are drawn
 *  (`test/formats`), and leaks alone are told. It does not run without one of the browsers that are asked for.
 *  `node test/long/draw-pages.ts [--judges chromium,firefox] [--kept] FILE…` */
import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";
import { doubtfulCases, hiddenCases, shownCases } from "../formats/html-cases.ts";
import { chosenEngines, openJudges } from "./adversary/judges.ts";
import { otherDigits, wordsOf } from "./adversary/page.ts";
import { usualWindow, type Window } from "./adversary/windows.ts";
import { didNotRun } from "./did-not-run.ts";

const { values, positionals } = parseArgs({
  options: { judges: { type: "string" }, kept: { type: "boolean", default: false } },
  allowPositionals: true,
});

interface Drawn {
  readonly name: string;
  readonly page: string;
  readonly scheme: Window["scheme"];
}

const mark = { kind: "mark", mark: 0, words: 1 } as const;
const [word] = wordsOf(mark);
/** The words of the cases (`test/formats/hidden-pages.jsonl`, `leaks`, `html-cases.ts`). */
const asked = /x4622|HIDDEN|SECRET/g;
const formats = new URL("../formats/", import.meta.url);

function withWord(name: string, text: string): Drawn[] {
  const said = text.replaceAll(asked, word!);
  if (said === text) return [];
  const one = said.startsWith("{") ? (JSON.parse(said) as Partial<Drawn>) : { page: said };
  return [{ name, scheme: "light", page: "", ...one }];
}

function readPages(file: string | URL): Drawn[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, at) => withWord(`${file}:${at + 1}`, line));
}

function keptPages(): Drawn[] {
  const leaks = readdirSync(new URL("leaks/", formats)).flatMap((name) =>
    withWord(name, readFileSync(new URL(`leaks/${name}`, formats), "utf8").replace(/^<!--.*-->\n/, "")),
  );
  const cases = [...hiddenCases, ...shownCases, ...doubtfulCases].flatMap((html) =>
    withWord(html, `<!doctype html>${html}<p>end`),
  );
  return [...leaks, ...cases, ...readPages(new URL("hidden-pages.jsonl", formats))];
}

const engines = chosenEngines(values.judges);
if (engines.length === 0) didNotRun(`there is no ${values.judges ?? "browser to judge"}`);
const pages = [...(values.kept ? keptPages() : []), ...positionals.flatMap(readPages)];
await using judges = await openJudges(engines);
const widths = [700, usualWindow.width, 1600, 2560];
const counts = { leak: 0, lost: 0, given: 0, hidden: 0 };
for (const scheme of ["light", "dark"] as const) {
  const some = pages.filter((one) => one.scheme === scheme);
  const given = some.map(({ page }) => htmlForms.some((form) => renderHtml(page, form).text.includes(word!)));
  const questions = some.map(({ page }, at) => ({
    write: (others: readonly number[]) =>
      others.length === 0 ? page : page.replaceAll(word!, otherDigits(word!)),
    marks: values.kept && !given[at] ? [] : [mark],
    areGiven: [given[at]!],
  }));
  const seen: (readonly (number | undefined)[])[][][] = [];
  for (const width of widths) seen.push(await judges.seen(questions, { ...usualWindow, width, scheme }));
  for (const [at, { name }] of some.entries()) {
    const blind = new Set(seen.flatMap((window) => judges.blindIn(window[at]![0] ?? [])));
    const what = given[at] ? (blind.size > 0 ? "leak" : "given") : blind.size > 0 ? "hidden" : "lost";
    const isDrawn = questions[at]!.marks.length > 0;
    if (isDrawn || what === "leak") counts[what]++;
    else counts.hidden++;
    if (!values.kept || what === "leak")
      console.log(`${what} ${name}${what === "leak" ? ` in ${[...blind].join(" and ")}` : ""}`);
  }
}
console.log(counts);
process.exitCode = counts.leak === 0 ? 0 : 1;
