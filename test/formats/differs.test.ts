/** Where people may see a page in another way than it is given (`content.differs`). Nothing is left out for it. */
import { describe, expect, test } from "vitest";
import { renderHtml } from "#/src/formats/html/render-html.ts";

const page = (html: string): string => `<!doctype html><html><head></head><body>${html}<p>end`;
const differs = (html: string) => renderHtml(page(html), "text").differs;

describe("on a phone", () => {
  test.each([
    ["words go", "<style>@media (max-width:480px){.x{display:none}}</style><p class=x>words"],
    [
      "words go, below a desk's least window too",
      "<style>@media (max-width:800px){.x{display:none!important}}</style><p class=x>words",
    ],
    [
      "words come",
      '<style>@media only screen and (max-width:600px){.m{display:block!important}}</style><div class=m style="display:none">words</div>',
    ],
    [
      "words come that are there at a desk alone",
      "<style>.m{display:none}@media (min-width:500px){.m{display:block}}</style><p class=m>words",
    ],
    [
      "words are not visible",
      "<style>@media (max-device-width:480px){td{visibility:hidden}}</style><table><tr><td>words</table>",
    ],
    [
      "a cell is a block",
      "<style>@media (max-width:480px){td{display:block}}</style><table><tr><td>words</table>",
    ],
    [
      "a picture goes",
      '<style>@media (max-width:480px){.x{display:none}}</style><p class=x><img src="https://x.example/a" width=90 height=90></p>',
    ],
    [
      "words go by a sheet for it",
      '<style media="(max-width:480px)">.x{display:none}</style><p class=x>words',
    ],
    [
      "words go in the last of boxes in each other, of which others have none",
      "<style>@media (max-width:480px){div{display:none}}</style><div><div><style>a{}</style></div></div><div><div></div><div>words</div></div>",
    ],
    [
      "words go in a condition of two",
      "<style>@media screen{@media (max-width:480px){.x{display:none}}}</style><p class=x>words",
    ],
  ])("%s: %s", (_, html) => {
    expect(differs(html)).toEqual(["phone"]);
  });

  test.each([
    [
      "only sizes differ",
      "<style>@media (max-width:480px){.x{width:100%;font-size:20px}}</style><p class=x>words",
    ],
    [
      "a stronger declaration is for all",
      '<style>@media (max-width:480px){.x{display:none}}</style><p class=x style="display:block">words',
    ],
    [
      "the same applies anyway",
      "<style>.x{display:block}@media (max-width:480px){.x{display:block}}</style><p class=x>words",
    ],
    [
      "boxes in each other have none",
      "<style>@media (max-width:480px){div{display:none}}</style><div><div><style>a{}</style><div> </div></div></div>",
    ],
    ["nothing of it has words", "<style>@media (max-width:480px){.x{display:none}}</style><p class=x></p>"],
    ["nothing has the class", "<style>@media (max-width:480px){.x{display:none}}</style><p class=y>words"],
    ["it is for print", "<style>@media print{.x{display:none}}</style><p class=x>words"],
    [
      "it is for larger phones",
      "<style>@media (min-width:600px) and (max-width:650px){.x{display:none}}</style><p class=x>words",
    ],
  ])("nothing does where %s: %s", (_, html) => {
    expect(differs(html)).toBeUndefined();
  });

  test("rules for a phone say nothing of a desk", () => {
    const { text, removed } = renderHtml(
      page(
        "<style>@media (max-width:480px){@font-face{font-family:arial;src:url(data:,)}@namespace x;@unknown{color:red}.x{display:none}.y::before{content:'SECRET'}p{color:#fff}}</style><p class=x>words<p class=y>more",
      ),
      "text",
    );
    expect(text).toBe("words\n\nmore\n\nend");
    expect(removed).toEqual([["style", 1]]);
  });
});

describe("with what is fetched", () => {
  test.each([
    ["a picture lies behind words", '<div style="background:#fff url(https://x.example/a.png)">words</div>'],
    ["a picture lies behind a cell", "<table><tr><td background='https://x.example/a.png'>words</table>"],
    [
      "a font draws the letters",
      "<style>@font-face{font-family:Brand;src:url(https://x.example/f.woff2)}.b{font-family:'Brand',Arial}</style><p class=b>words",
    ],
    [
      "a sheet that is fetched may have fonts",
      "<style>@import url(https://fonts.example/css?family=Inter);</style><p>words",
    ],
    [
      "a link names such a sheet",
      "<link rel=stylesheet href='https://fonts.example/css?family=Inter'><p>words",
    ],
    ["a picture takes the place of its words", '<img src="https://x.example/a" alt="Winter sale">'],
  ])("%s: %s", (_, html) => {
    expect(differs(html)).toEqual(["remote"]);
  });

  test.each([
    ["a picture has no words", '<img src="https://x.example/a" width=90 height=90>'],
    [
      "a background lies below another one",
      '<div style="background:url(https://x.example/a.png)"><p style="background:#fff">words</p></div>',
    ],
    [
      "nobody uses the font",
      "<style>@font-face{font-family:Brand;src:url(https://x.example/f.woff2)}</style><p>words",
    ],
    ["nothing stands on it", '<div style="background:url(https://x.example/a.png);height:20px"></div>'],
  ])("nothing differs where %s: %s", (_, html) => {
    expect(differs(html)).toBeUndefined();
  });
});

describe("far away", () => {
  test.each([
    ["below a distance", '<p>words<p style="margin-top:1500px">&nbsp;<p style="margin-top:1500px">words'],
    ["below an empty box", '<p>words<div style="min-height:2500px"></div>'],
    ["below breaks", `<p>words${"<br>".repeat(120)}words`],
    ["below empty lines", `<pre>words${"\n".repeat(150)}words</pre>`],
    ["below the words of a high box", '<div style="min-height:2500px">words</div>'],
    ["below a high picture", '<p>words<p><img src="https://x.example/a" width=9 height=3000>'],
    [
      "below a row with a high cell",
      "<p>words<table><tr><td height=2500></td><td></td></tr><tr><td>words</table>",
    ],
  ])("%s: %s", (_, html) => {
    expect(differs(html)).toEqual(["far"]);
  });

  test.each([
    ["a long text", `<p>${"words and more ".repeat(5000)}`],
    ["many paragraphs", "<p>words".repeat(500)],
    ["many breaks with words between", "words<br>".repeat(300)],
    ["words beside a high cell", "<table><tr><td height=1900>words<td>words</table>"],
  ])("is nothing in %s", (_, html) => {
    expect(differs(html)).toBeUndefined();
  });
});

test("all of them are told, in one order, of each form", () => {
  const all =
    '<style>@media (max-width:480px){.x{display:none}}</style><p class=x>words<p style="margin-top:1900px">&nbsp;<p style="margin-top:1900px;background:url(//x.example/a)">words';
  for (const form of ["text", "markdown", "html"] as const)
    expect(renderHtml(page(all), form).differs).toEqual(["phone", "remote", "far"]);
});
