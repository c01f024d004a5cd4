/** What a person sees and no text of a page holds stands in brackets with its kind, and no words of a sender can be taken for such
 *  brackets. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";
import { withoutNotes } from "#/src/formats/text/own-lines.ts";

const page = (html: string): string => `<!doctype html><body>${html}<p>end`;

describe("stands in brackets with its kind", () => {
  test.each([
    [
      "words of a picture that is not loaded",
      '<img src="https://x.example/a" alt="Winter sale">',
      "[picture: Winter sale]",
    ],
    [
      "words of a picture with room",
      '<img src=x width=600 height=40 alt="Winter sale">',
      "[picture: Winter sale]",
    ],
    ["the value of a field", '<input value="Ada">', "[field: Ada]"],
    ["what a field asks for", '<input type=email placeholder="Your mail">', "[field: Your mail]"],
    ["the words of a button", '<input type=submit value="Subscribe now">', "[button: Subscribe now]"],
    [
      "words of a drawing",
      '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="30"><title>x</title><rect width="120" height="30" rx="4" fill="#06c"/><text x="10" y="20" font-size="13" fill="#fff">Sold out</text></svg>',
      "[drawing: Sold out]",
    ],
    [
      "letters in a circle",
      '<svg width=60 height=60 fill="none"><circle cx=30 cy=30 r=30 fill="#333"/><text x=30 y=35 font-size=14 text-anchor=middle fill="#fff">AL</text></svg>',
      "[drawing: AL]",
    ],
    [
      "words of a drawing that is drawn larger",
      '<svg viewBox="0 0 60 15" width=240 height=60 class=logo style="vertical-align:middle"><text x="30" y="11" font-size="5" text-anchor="middle" font-family="Arial">Sold out</text></svg>',
      "[drawing: Sold out]",
    ],
    ["the choice of a list", "<select><option>Red<option selected>Green</select>", "[field: Green]"],
    [
      "words before",
      '<style>.n::before{content:"NEW";margin-right:4px;color:#b00}</style><p class=n>shoes',
      "[before: NEW] shoes",
    ],
    ["words after", '<style>.n:after{content:"50%"}</style><p>minus <b class=n></b>', "[after: 50%]"],
  ])("%s: %s", (_, html, note) => {
    for (const form of htmlForms) expect(renderHtml(page(html), form).text).toContain(note);
  });
});

describe("is not given where nobody sees it", () => {
  test.each([
    '<img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7" width=90 height=90 alt="SECRET">',
    '<img src=x width=1 height=1 alt="SECRET">',
    '<img src=x width=30 height=30 alt="SECRET SECRET SECRET">',
    '<div style="font-size:0"><img src=x alt="SECRET"></div>',
    '<div style="color:#fff"><img src=x alt="SECRET"></div>',
    '<div style="display:none"><img src=x alt="SECRET"></div>',
    '<img src=x alt="SECRET" style="color:transparent">',
    '<p style="position:absolute"><img src=x alt="SECRET"></p>',
    ...[
      '<text x="10" y="20" fill="#fff">SECRET</text>',
      '<text x="10" y="20">SECRET</text><rect width="200" height="40" fill="#fff"/>',
      '<rect width="200" height="40"/><text x="10" y="20">SECRET</text>',
      '<rect width="200" height="40" stroke="#000" fill="none"/><text x="10" y="20">SECRET</text>',
      '<circle cx="100" cy="20" r="20" fill="#000"/><text x="20" y="25" fill="#fff">SECRET</text>',
      '<rect width="200" height="40" rx="100" fill="#000"/><text x="20" y="25" fill="#fff">SECRET</text>',
      '<rect x="60" width="200" height="40" fill="#000"/><text x="20" y="25" fill="#fff">SECRET</text>',
      '<rect width="200" height="40" fill="url(#a)"/><text x="10" y="20" fill="#fff">SECRET</text>',
      '<text x="190" y="20">SECRET</text>',
      '<text x="10" y="2">SECRET</text>',
      '<text x="10" y="60">SECRET</text>',
      '<text x="10" y="20" text-anchor="end">SECRET</text>',
      '<text x="10" y="20" font-size="2">SECRET</text>',
      '<text x="10" y="20" opacity="0">SECRET</text>',
      '<text x="10" y="20" fill="none">SECRET</text>',
      '<text x="10" y="20" fill="#0000">SECRET</text>',
      '<text x="10" y="20" stroke="#fff">SECRET</text>',
      '<text x="10" y="20" transform="scale(0)">SECRET</text>',
      '<text x="10" y="20" style="fill:#fff">SECRET</text>',
      '<text x="10" y="20">SECRET</text><text x="12" y="22">others</text>',
      '<text x="10" y="20"><tspan fill="#fff">SECRET</tspan></text>',
      '<g opacity="0"><text x="10" y="20">SECRET</text></g>',
      '<defs><text x="10" y="20">SECRET</text></defs>',
      '<text x="10" y="20">SECRET<animate attributeName="fill" to="#fff"/></text>',
      '<text x="10" y="20" font-family="Wingdings">SECRET</text>',
      '<text x="10" y="20">SECRET</text><style>text{opacity:0}</style>',
      '<rect fill="#000"/><text x="10" y="20" fill="#fff">SECRET</text>',
      '<rect fill="#000" width="\u00a0200" height="40"/><text x="10" y="20" fill="#fff">SECRET</text>',
      '<rect fill="#000\u00a0" width="200" height="40"/><text x="10" y="20" fill="#fff">SECRET</text>',
      `<text x="10" y="20">${"\u00a0".repeat(50)}SECRET</text>`,
      `<text x="10" y="20">a${"\u2003".repeat(20)}SECRET</text>`,
      '<rect fill="#000" height="40"/><text x="10" y="20" fill="#fff">SECRET</text>',
      '<rect fill="#000" x="100%" width="200" height="40"/><text x="10" y="20" fill="#fff">SECRET</text>',
      '<rect fill="#000" y="100%" width="200" height="40"/><text x="10" y="20" fill="#fff">SECRET</text>',
      '<rect fill="#000" rx="100%" width="200" height="40"/><text x="1" y="18" fill="#fff">SECRET</text>',
      '<text x="10" y="20" font-size="8" font-family="Helvetica Thin">SECRET</text>',
    ].map((inside) => `<svg width=200 height=40>${inside}</svg>`),
    '<div style="fill:#fff"><svg width=200 height=40><text x=10 y=20>SECRET</text></svg></div>',
    "<style>div{str\\6fke:#fff}</style><div><svg width=200 height=40><text x=10 y=20>SECRET</text></svg></div>",
    '<svg width=200 height=40 viewBox="0 0 20 40"><text x=10 y=20>SECRET</text></svg>',
    '<svg width=200 height=40 viewBox="0 100 200 40"><text x=10 y=20>SECRET</text></svg>',
    '<div style="border-radius:150px;overflow:hidden;width:300px"><svg width=300 height=300><text x=3 y=14 font-size=12>SECRET</text></svg></div>',
    '<div style="border-radius:150px;overflow:hidden;width:300px"><img src=x width=300 height=300 alt=SECRET></div>',
    // Letters of 16 pixels are 16 units of the drawing.
    '<svg width=200 height=40 viewBox="0 0 2000 400"><text x=10 y=200>SECRET</text></svg>',
    '<svg width=200 height=40 viewBox="0 0 20 4"><text x=1 y=3>SECRET</text></svg>',
    '<svg width=200 height=40 viewBox="0 0 20px 4px"><text x=1 y=3 font-size=1>SECRET</text></svg>',
    '<svg width=200 height=40 viewBox="0\u00a00 20 4"><text x=1 y=3 font-size=1>SECRET</text></svg>',
    '<svg width=200 height=40 viewBox="0 0 0x14 0x4"><text x=1 y=3 font-size=1>SECRET</text></svg>',
    "<pre><svg width=200 height=40><text x=10 y=20>                                      SECRET</text></svg></pre>",
    '<div style="letter-spacing:5px"><svg width=200 height=40 viewBox="0 0 20 4"><text x=1 y=3 font-size=1>SECRET</text></svg></div>',
    '<div style="word-spacing:9px"><svg width=200 height=40 viewBox="0 0 20 4"><text x=1 y=3 font-size=1>a SECRET</text></svg></div>',
    '<style>a:visited{color:#fff}</style><a href="https://x.example/"><svg width=200 height=40><text x=10 y=20 fill=currentColor>SECRET</text></svg></a>',
    `<svg width=200 height=40>${'<rect width="9" height="9" fill="#fff"/>'.repeat(201)}<text x=10 y=20>SECRET</text></svg>`,
    '<svg width=200 height=40 style="width:10px"><text x=10 y=20>SECRET</text></svg>',
    '<svg width=200 height=40 style="position:absolute;left:-999px"><text x=10 y=20>SECRET</text></svg>',
    '<div style="height:5px;overflow:hidden"><svg width=200 height=40><text x=10 y=20>SECRET</text></svg></div>',
    '<div style="display:none"><svg width=200 height=40><text x=10 y=20>SECRET</text></svg></div>',
    "<svg><text x=10 y=20>SECRET</text></svg>",
    "<math><svg width=200 height=40><text x=10 y=20>SECRET</text></svg></math>",
    "<input type=hidden value=SECRET>",
    "<input type=password value=SECRET>",
    "<input type=checkbox value=SECRET>",
    '<input style="color:#fff" value=SECRET>',
    '<input style="width:10px" value=SECRET>',
    "<style>input{background:#000}</style><input value=SECRET>",
    '<style>input::placeholder{color:#fff}</style><input placeholder="SECRET">',
    '<p style="-webkit-text-fill-color:#fff"><input value=SECRET></p>',
    '<p style="visibility:hidden"><input value=SECRET></p>',
    `<input value="${"words and ".repeat(9)}SECRET">`,
    "<select><option>a<option>SECRET</select>",
    "<select size=1 multiple><option>SECRET</select>",
    '<style>.n::before{content:"SEC";color:#fff}</style><p class=n>x',
    '<style>.n::before{content:"SEC";font-size:1px}</style><p class=n>x',
    '<style>.n::before{content:"SEC";display:none}</style><p class=n>x',
    '<style>.n::before{content:"SEC"}.n::before{content:"ab"}</style><p class=n>x',
    '<style>@media (max-width:900px){.n::before{content:"SEC"}}</style><p class=n>x',
    '<style>.n::before{content:"SEC"}</style><p class=n style="display:none">x',
    '<style>.n::before{content:"SEC"}</style><p class=n style="color:#fff">x',
    '<style>a:visited::before{content:"SEC"}</style><a href="https://x.example/">x</a>',
  ])("%s", (html) => {
    for (const form of htmlForms) expect(renderHtml(page(html), form).text).not.toMatch(/SEC/);
  });
});

/** Notes as a reader tells them from other words: a bracket after a backslash is a sender's, and of the words each bracket and each
 *  backslash has one before it. */
function notesIn(text: string): string[] {
  const found = text.matchAll(
    /(?<!\\)\[(picture|drawing|field|button|before|after): ((?:[^\\[\]]|\\[\s\S])*)\]/g,
  );
  return [...found].map(([, kind, words]) => `${kind}: ${words!.replace(/\\([\s\S])/g, "$1")}`);
}

const words = fc
  .array(
    fc.constantFrom(
      "[",
      "]",
      "\\",
      "[picture: ",
      "[picture]",
      "[field:",
      "[1 passage left out",
      "before: ",
      "a",
      "b c",
      " ",
      "⟦0123456789abcdef⟧",
      "\u200b",
    ),
    { maxLength: 8 },
  )
  .map((list) => list.join(""));

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const shown = (text: string): string => text.replace(/\s+/g, " ").trim();

test("whatever a sender writes, a reader can tell which brackets are the server's, and what they hold", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 4 }), (list) => {
      const html = list.map(
        ([text, alt]) => `<p>${escaped(text)}<img src=x alt="${escaped(alt)}">${escaped(text)}</p>`,
      );
      const { text } = renderHtml(page(html.join("")), "text");
      const expected = list.flatMap(([, alt]) => {
        const said = shown(alt.replaceAll("\u200b", ""));
        return shown(alt) === "" ? [] : said === "" ? [] : [`picture: ${said}`];
      });
      expect(notesIn(text).map(shown)).toEqual(expected.map(shown));
      expect(text.match(/(?<!\\)⟦/g)).toBeNull();
    }),
    { numRuns: 300, examples: [[[["", "\u200b \u200b"]]]] },
  );
});

test("a search finds the words of notes, and not their kinds", () => {
  expect(withoutNotes("a [picture: x \\[y\\]] b \\[picture: z] [field: c]")).toBe(
    "a x [y] b \\[picture: z] c",
  );
});

test("a note in a link stays whole", () => {
  const alt = "A picture with as many words as no label of a link has, which is cut at sixty characters";
  const html = page(`<a href="https://x.example/"><img src=x alt="${alt}"> more</a>`);
  expect(renderHtml(html, "text").text).toBe(`[picture: ${alt}] more <https://x.example/>\n\nend`);
  expect(renderHtml(html, "markdown").text).toBe(`[[picture: ${alt}] more](https://x.example/)\n\nend`);
});
