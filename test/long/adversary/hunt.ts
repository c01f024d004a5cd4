/** Finds the sentences of a page that the renderer gives, and makes leaks smaller. A leak is a given sentence that a browser does not
 *  show. */
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";
import { judgedByFormer } from "./former/judged.ts";
import type { Judge } from "./judge.ts";
import { marksOf, type Page, smallerPages, wordsOf, writePage } from "./page.ts";
import { type Window, withLightColours } from "./windows.ts";

export interface Leak {
  readonly page: Page;
  readonly mark: number;
  readonly window: Window;
}

/** Writes the page for the judge. */
export function drawnIn(window: Window, page: Page): (others: readonly number[]) => string {
  const drawn = window.scheme === "dark" ? withLightColours(page) : page;
  return (others) => writePage(drawn, others);
}

/** The sentences of which at least one word is in a rendering. */
export function givenMarks(page: Page): Set<number> {
  const html = writePage(page);
  return marksIn(
    page,
    htmlForms.map((form) => renderHtml(html, form).text),
  );
}

/** The sentences that the second judge gives. */
export function marksOfFormer(page: Page): Set<number> {
  return marksIn(page, [judgedByFormer(writePage(page))]);
}

function marksIn(page: Page, texts: readonly string[]): Set<number> {
  const given = marksOf(page).filter((mark) =>
    wordsOf(mark).some((word) => texts.some((text) => text.toLowerCase().includes(word))),
  );
  return new Set(given.map(({ mark }) => mark));
}

/** The same leak without everything in the page that it does not need. */
export async function minimise(judge: Judge, { page, mark, window }: Leak): Promise<Leak> {
  let smallest = page;
  let tried = 0;
  for (let passes = 0; passes < passesMax; passes++) {
    const before = smallest;
    // Pages before `at` did not help. After a success the search goes on at the place of the removed part.
    for (let at = 0; tried < triesMax; ) {
      const some = smallerFrom(smallest, at, mark);
      if (some.length === 0) break;
      tried += some.length;
      const seen = await judge.seen(
        some.map((one) => ({
          write: drawnIn(window, one.page),
          marks: marksOf(one.page).filter((each) => each.mark === mark),
        })),
        window,
      );
      const found = seen.findIndex(([pixels]) => pixels === 0);
      if (found >= 0) smallest = some[found]!.page;
      at = found >= 0 ? some[found]!.at : some.at(-1)!.at + 1;
    }
    if (smallest === before) break;
  }
  return { page: smallest, mark, window };
}

/** The next pages with one part less in which the renderer still gives the sentence. */
function smallerFrom(page: Page, from: number, mark: number): { readonly page: Page; readonly at: number }[] {
  const found: { page: Page; at: number }[] = [];
  let at = 0;
  for (const smaller of smallerPages(page)) {
    if (at >= from && givenMarks(smaller).has(mark)) found.push({ page: smaller, at });
    at++;
    if (found.length >= triedAtOnce) break;
  }
  return found;
}

const passesMax = 4;
const triesMax = 200;
const triedAtOnce = 5;
