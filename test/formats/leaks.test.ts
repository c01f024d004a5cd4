/** What the adversary (`npm run fuzz:html`) found: pages with a sentence that a browser does not draw. The first line names its
 *  words. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";

const folder = new URL("./leaks/", import.meta.url);

test.each(readdirSync(folder))("%s does not leak what is not seen", (file) => {
  const page = readFileSync(new URL(file, folder), "utf8");
  const words = /^<!-- hidden: (.*) -->\n/.exec(page)![1]!.split(" ");
  for (const form of htmlForms) {
    const { text, removed } = renderHtml(page, form);
    expect(words.filter((word) => text.includes(word))).toEqual([]);
    expect(removed.map(([what]) => what)).not.toEqual(["comment"]);
  }
});
