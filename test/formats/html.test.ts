import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundTags } from "#/src/formats/html/bounded-tags.ts";
import { htmlToText } from "#/src/formats/html/plain-text.ts";

test.each<[title: string, html: string, text: string]>([
  ["paragraphs and breaks", "<p>one</p><p>two<br>three</p>", "one\n\ntwo\nthree"],
  ["character references", "<p>a &amp; b &lt;c&gt; &auml;&#8364;</p>", "a & b <c> ä€"],
  ["links", "<a href='https://x.example/?a=1&amp;b=\"2\"'>here</a>", 'here [https://x.example/?a=1&b="2"]'],
  [
    "a link that shows its address",
    '<a href="https://x.example/">https://x.example/</a>',
    "https://x.example/",
  ],
  ["lists", "<ul><li>a<li>b</ul>", " * a\n * b"],
  ["unclosed paragraphs", "<p>a<p>b", "a\n\nb"],
  ["headings keep their case", "<h1>Title</h1>", "Title"],
  [
    "scripts, styles, titles and comments are no text",
    "<title>t</title><style>p{}</style><script>if (a<b) x()</script><!-- <p>c</p> -->d",
    "d",
  ],
  ["a bracket in an attribute ends no tag", "<p title=\"a>b\" data-x='>'>c</p>", "c"],
  ["a bracket that begins no tag is text", "<p>1 < 2 <3</p>", "1 < 2 <3"],
  ["a comment that is not closed takes the rest", "a<!-- b", "a"],
  ["a tag that is not closed takes the rest", "a<b c='", "a"],
  ["plain text", "a", "a"],
  ["nothing", "", ""],
])("%s", (_, html, text) => {
  expect(htmlToText(html)).toBe(text);
});

test("the text of elements that are too deep is kept, and what is behind them is not inside them", () => {
  const deep = `${"<div>".repeat(1000)}deep${"</div>".repeat(1000)}<p>after</p>`;
  expect(htmlToText(deep)).toBe("deep\n\nafter");
});

describe("cost", () => {
  test.each([
    "<div>",
    "<p>a",
    "<a href=x>b</a>",
    "<table><tr><td>",
    "<ul><li>",
    "<",
    "<!--",
    "<b><i></b>",
    "<blockquote>",
    "<td>x",
    "<h1>",
    "</p>",
    "<pre>\n",
    "<a href='",
    "<script>",
    "<p><li>",
    "<x></y>",
    '<a ="',
    "&",
  ])("half a megabyte of %j costs no more than its length", (piece) => {
    const start = performance.now();
    htmlToText(piece.repeat(500_000 / piece.length));
    expect(performance.now() - start).toBeLessThan(3000);
  });
});

test("no text makes it throw, and every tag that is written is closed in order", () => {
  const pieces = fc.array(
    fc.constantFrom(
      "<p>",
      "</p>",
      "<div a='>'>",
      "</div>",
      "<",
      ">",
      "text",
      "<!--",
      "-->",
      "<table>",
      "<tr>",
      "<td>",
      "</table>",
      "<br>",
      "<script>",
      "</script>",
      '<a href="',
      '"',
      "&amp;",
      "<1>",
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(pieces, (parts) => {
      const html = parts.join("");
      htmlToText(html);
      const open: string[] = [];
      for (const [, slash, name] of boundTags(html).matchAll(/<(\/?)([a-z]+)[^>]*>/g))
        if (slash === "") open.push(name!);
        else {
          while (open.at(-1) === "br") open.pop();
          expect(open.pop()).toBe(name);
        }
    }),
    { numRuns: 500 },
  );
});
