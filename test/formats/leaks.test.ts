/** Pages with a sentence that a browser does not draw, found by the adversary (`npm run fuzz:html`) and by people. The first line of a page
 *  names its hidden words. In `hidden-pages.jsonl`, with one page a line, `hidden` names them. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";

const folder = new URL("./leaks/", import.meta.url);

test.each(readdirSync(folder))("%s does not leak invisible text", (file) => {
  const page = readFileSync(new URL(file, folder), "utf8");
  const words = /^<!-- hidden: (.*) -->\n/.exec(page)![1]!.split(" ");
  for (const form of htmlForms) {
    const { text, removed } = renderHtml(page, form);
    expect(words.filter((word) => text.includes(word))).toEqual([]);
    expect(removed.map(([what]) => what)).not.toEqual(["comment"]);
  }
});

interface HiddenPage {
  readonly hidden: string;
  readonly page: string;
}

const pages = readFileSync(new URL("./hidden-pages.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as HiddenPage);

test.each(pages)("invisible text is in no rendering: $page", ({ hidden, page }) => {
  for (const form of htmlForms) {
    const { text } = renderHtml(page, form);
    expect(hidden.split(" ").filter((word) => text.includes(word))).toEqual([]);
  }
});
