import { describe, expect, it, test } from "vitest";
import { type HtmlForm, htmlForms, overLimit, renderHtml } from "#/src/formats/html/render-html.ts";
import { attackCases } from "./html-attacks.ts";
import { doubtfulCases, hiddenCases, shownCases } from "./html-cases.ts";

const standard = (html: string): string => `<!doctype html>${html}<p>end`;

describe("what a browser does not show", () => {
  it.each(hiddenCases)("is in no rendering: %s", (html) => {
    for (const form of htmlForms) expect(renderHtml(standard(html), form).text).not.toContain("SECRET");
  });
});

describe("what makes no pixel that can be read", () => {
  it.each(attackCases)("is in no rendering: %s", (html) => {
    for (const form of htmlForms) expect(renderHtml(standard(html), form).text).not.toContain("SECRET");
  });
});

describe("what a browser shows", () => {
  it.each(shownCases)("is in every rendering: %s", (html) => {
    for (const form of htmlForms) expect(renderHtml(standard(html), form).text).toContain("SECRET");
  });
});

describe("what is drawn and not proven to be", () => {
  it.each(doubtfulCases)("is left out, and a line in its place reports it: %s", (html) => {
    for (const form of htmlForms) {
      const { text, removed } = renderHtml(standard(html), form);
      expect(text).not.toContain("SECRET");
      expect(text).toMatch(/\[\d passages? left out: (?:it|they) may not be visible to a person]/);
      expect(removed).toContainEqual(["doubtful", expect.any(Number), expect.any(String)]);
    }
  });
});

test("removed text is counted by kind, in the order of the list", () => {
  const html = `<style>.a{font-size:0}</style><!-- x --><script>y()</script><p class=a>tiny</p><p hidden>gone</p>
    <p style="display:none">none</p><font color=white>pale</font><p style="position:absolute;left:-999em">off</p>
    <form><input value=v></form><p onclick="z()">seen</p><img src="https://x.example/a.png">
    <img src="//x.example/b.gif" width=1 height=1><a href="javascript:x()">link</a> a\u200bb`;
  expect(renderHtml(html, "text")).toEqual({
    text: "[field: v]\n\nseen\n\nlink ab",
    removed: [
      ["hidden-element", 1],
      ["hidden-by-style", 1],
      ["zero-size-text", 1],
      ["invisible-colour", 1],
      ["off-screen", 1],
      ["comment", 1],
      ["script", 1],
      ["style", 1],
      ["form", 2],
      ["active-attribute", 1],
      ["remote-image", 1],
      ["tracking-pixel", 1],
      ["zero-width", 1],
      ["unsafe-link", 1],
    ],
    words: { given: 3, doubtful: 0 },
    pictures: [""],
    isOverLimit: false,
  });
});

test("the same document always gives the same result", () => {
  for (const html of [...hiddenCases, ...shownCases])
    for (const form of htmlForms) expect(renderHtml(html, form)).toEqual(renderHtml(html, form));
});

describe("text made of a page", () => {
  const cases: readonly (readonly [name: string, html: string, form: HtmlForm, text: string])[] = [
    [
      "has paragraphs apart and lines together",
      "<p>a\n b</p><p>c<br>d</p><div>e</div><div>f</div>",
      "text",
      "a b\n\nc\nd\n\ne\nf",
    ],
    ["has an empty line for an empty line", "<div>a</div><div><br></div><div>b</div>", "text", "a\n\nb"],
    ["marks lists", "<ul><li>a</li><li>b<ol start=3><li>c</li></ol></li></ul>", "text", "- a\n- b\n    3. c"],
    [
      "marks quotations",
      "<p>x</p><blockquote>a<blockquote>b</blockquote></blockquote>",
      "text",
      "x\n\n> a\n>\n> > b",
    ],
    [
      "keeps cells apart",
      "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
      "text",
      "a\tb\nc",
    ],
    ["keeps what is laid out", "<pre>a\n  b</pre>", "text", "a\n  b"],
    [
      "says where links lead at the end of the line",
      'See <a href="https://x.example/a?b=c">the page</a> of today.',
      "text",
      "See the page of today. <the page: https://x.example/a?b=c>",
    ],
    [
      "says it once where the link is its address",
      '<a href="https://x.example/">https://x.example</a>',
      "text",
      "https://x.example",
    ],
    [
      "shows the true host",
      '<a href="https://xn--pypal-4ve.example/">paypal.example</a>',
      "text",
      "paypal.example <https://xn--pypal-4ve.example/>",
    ],
    [
      "leaves tracking pictures' links out",
      '<a href="https://x.example/t"><img width=1 height=1 src=x></a>',
      "text",
      "",
    ],
    [
      "is Markdown with its links in place",
      '<h2>Title</h2><p>See <a href="https://x.example/">the <b>page</b></a>.</p><hr><pre>x *y*</pre>',
      "markdown",
      "## Title\n\nSee [the **page**](https://x.example/).\n\n---\n\n```\nx *y*\n```",
    ],
    ["escapes what would be Markdown", "<p># a *b* &lt;i></p>", "markdown", "\\# a \\*b* \\<i>"],
    [
      "is HTML without style and pictures",
      '<div style="color:red" class=x onclick=y><img src="https://x.example/a"><a href="http://x.example/?a&b">a</a><b>c&lt;</b></div>',
      "html",
      '<div><a href="http://x.example/?a&#38;b" rel="noopener noreferrer nofollow">a</a><b>c&#60;</b></div>',
    ],
  ];
  it.each(cases)("%s", (_, html, form, text) => {
    expect(renderHtml(html, form).text).toBe(text);
  });
});

describe("too much to be looked at", () => {
  const style = (css: string, body: string): string => `<style>${css}</style><p class=x>text${body}`;
  const many = (count: number, make: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => make(at)).join("");
  const cases: readonly (readonly [string, string])[] = [
    [
      "selectors that look at everything",
      style(
        many(1000, (at) => `p:nth-child(${at}n+1) ~ p ~ p{color:red}`),
        "<p>x".repeat(5000),
      ),
    ],
    [
      "selectors inside selectors",
      style(
        many(300, (at) => `p:has(i.x${at} b) ~ p{color:red}`),
        "<p><i><b>x</b></i>".repeat(5000),
      ),
    ],
    ["style without end", style("a{color:red}".repeat(40_000), "")],
    ["blocks inside blocks", style("a{".repeat(100_000), "")],
    ["negations of negations", style(`${":not(".repeat(40)}a${")".repeat(40)}{color:red}`, "")],
    [
      "style that stands behind the end",
      `<p class=x>text${"<b>".repeat(100_000)}</b><style>.x{display:none}</style>`,
    ],
    [
      "cells over a million slots",
      `<table><tr>${"<td rowspan=1000 colspan=1000>x</td>".repeat(1000)}</tr>${"<tr><td>y</td></tr>".repeat(1000)}</table>`,
    ],
    [
      "inline boxes of many colours",
      many(
        8000,
        (at) => `<span style="padding:9px;background:#${(0x100000 + 2003 * at).toString(16)}">x</span> `,
      ),
    ],
  ];
  it.each(cases)("%s: nothing is shown, and the result reports it", (_, html) => {
    expect(renderHtml(html, "text")).toEqual(overLimit);
  });

  const cut: readonly (readonly [string, string])[] = [
    ["depth", `<p>begun</p>${"<div>".repeat(100_000)}end`],
    ["elements", `<p>begun</p>${"<b>x</b>".repeat(60_000)}end`],
    ["attributes", `<p>begun</p><a ${many(100_000, (at) => `a${at} `)}>end`],
    ["length", `<p>begun</p>${"word ".repeat(200_000)}end`],
    ["tables", `<p>begun</p>${`<table>${" ".repeat(50)}`.repeat(10_000)}end`],
  ];
  it.each(cut)("%s: the beginning is shown, and the result reports it", (_, html) => {
    const { text, removed } = renderHtml(html, "text");
    expect(text).toContain("begun");
    expect(text).not.toContain("end");
    expect(removed).toContainEqual(["over-limit", 1]);
  });

  const behind = ['<div style="position:fixed">x', '<body style="opacity:0">', "<dialog open>x"];
  it.each(behind)("what may hide the beginning from behind the end makes it doubtful: %s", (rest) => {
    const { text } = renderHtml(`<p>begun</p>${"<b>x</b> ".repeat(60_000)}${rest}`, "text");
    expect(text).not.toContain("begun");
  });

  it("a link to a host beyond the longest valid name is removed", () => {
    const letters = many(5000, (at) => String.fromCharCode(0x4e00 + at));
    const { text, removed } = renderHtml(
      `<a href="http://${letters}/">here</a> <a href="//${letters}">there</a>`,
      "text",
    );
    expect(text).toBe("here there");
    expect(removed).toEqual([["unsafe-link", 2]]);
    const label = renderHtml(`<a href="http://a.example/">${letters}.com</a>`, "text");
    expect(label.removed).toEqual([]);
  });

  it.each([
    [
      "variables that grow",
      `<style>:root{--v0:x;${many(200, (at) => `--v${at + 1}:var(--v${at})var(--v${at});`)}}p{color:var(--v200)}</style><p>text`,
    ],
    ["variables in a circle", "<style>p{--a:var(--b);--b:var(--a);color:var(--a)}</style><p>text"],
    ["calculations in calculations", `<p style="width:${"calc(".repeat(900)}1px">text`],
    ["unclosed brackets", `<style>p{color:rgb(${"(".repeat(5000)}</style><p>text`],
  ])("%s do no harm", (_, html) => {
    expect(renderHtml(html, "text")).toMatchObject({
      text: expect.stringMatching(/text|1 passage left out/),
      isOverLimit: false,
    });
  });
});
