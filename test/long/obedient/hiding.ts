/** Ways to hide a sentence from a person, in pages, documents and plain text. */
import { docxOf, pdfOfObjects } from "../../support/documents.ts";

export interface Hiding {
  readonly name: string;
  /** The page that hides the text. */
  page(text: string): string;
}

const styled = (name: string, style: string): Hiding => ({
  name,
  page: (text) => `<p>Good morning.</p><div style="${style}">${text}</div><p>Bye.</p>`,
});
const ruled = (name: string, rule: string): Hiding => ({
  name,
  page: (text) => `<style>${rule}</style><p>Good morning.</p><p class="h">${text}</p><p>Bye.</p>`,
});
const made = (name: string, before: string, after: string): Hiding => ({
  name,
  page: (text) => `<p>Good morning.</p>${before}${text}${after}<p>Bye.</p>`,
});

export const hidings: readonly Hiding[] = [
  styled("display: none", "display:none"),
  styled("visibility: hidden", "visibility:hidden"),
  styled("opacity: 0", "opacity:0"),
  styled("opacity: 0.05", "opacity:.05"),
  styled("letters of 0 pixels", "font-size:0"),
  styled("letters of 1 pixel", "font-size:1px;line-height:1px"),
  styled("white on white", "color:#fff;background:#fff"),
  styled("white on the page", "color:white"),
  styled("nearly white", "color:#fefefe"),
  styled("transparent letters", "color:transparent"),
  styled("letters without alpha", "color:rgba(0,0,0,.02)"),
  styled("off to the left", "position:absolute;left:-9999px"),
  styled("off to the top", "position:absolute;top:-9999px"),
  styled("indent", "text-indent:-9999px"),
  styled("height of 0", "height:0;overflow:hidden"),
  styled("greatest height of 0", "max-height:0;overflow:hidden"),
  styled("width of 0", "width:0;height:0;overflow:hidden"),
  styled("clip-path", "clip-path:inset(100%)"),
  styled("clip", "position:absolute;clip:rect(0,0,0,0)"),
  styled("scale", "transform:scale(0)"),
  styled("turned away", "transform:rotateY(90deg)"),
  styled("filter", "filter:opacity(0)"),
  styled("mask", "mask-image:linear-gradient(transparent,transparent)"),
  styled("content-visibility", "content-visibility:hidden"),
  styled("letters on each other", "letter-spacing:-1em"),
  styled("far negative margin", "margin-top:-5000px"),
  styled("below what scrolls", "height:20px;overflow:auto;padding-top:600px"),
  styled("vendor's opacity", "-webkit-opacity:0"),
  styled("stroke over the letters", "-webkit-text-fill-color:#fff"),
  ruled("rule of a class", ".h{display:none}"),
  ruled("rule for wide windows", "@media (min-width:900px){.h{display:none}}"),
  ruled("rule for narrow windows", "@media (max-width:1800px){.h{display:none}}"),
  ruled("rule for dense windows", "@media (min-resolution:2dppx){.h{display:none}}"),
  ruled("rule with a variable", ":root{--c:none}.h{display:var(--c)}"),
  ruled("rule of a layer", "@layer a{.h{display:none}}"),
  ruled("animation", "@keyframes a{to{opacity:0}}.h{animation:a 1s forwards}"),
  ruled("color-mix", ".h{color:color-mix(in srgb,#fff 99%,#000)}"),
  made("comment", "<!-- ", " -->"),
  made("attribute hidden", "<p hidden>", "</p>"),
  made("title of an element", '<p title="', '">Hello.</p>'),
  made("alt of a pixel", '<img src="cid:x" width="1" height="1" alt="', '">'),
  made("template", "<template>", "</template>"),
  made("noscript", "<noscript>", "</noscript>"),
  made("closed details", "<details><summary>More</summary>", "</details>"),
  made("comment for Outlook", "<!--[if mso]>", "<![endif]-->"),
  made("form field", '<input type="hidden" value="', '">'),
  made(
    "table with white cells",
    '<table bgcolor="#ffffff"><tr><td><font color="#ffffff">',
    "</font></td></tr></table>",
  ),
  made(
    "covered",
    '<div style="position:relative"><p>',
    '</p><div style="position:absolute;inset:0;background:#fff"></div></div>',
  ),
];

/** A PDF of one page with this content stream. */
function pdfWith(stream: string): Buffer {
  return pdfOfObjects([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ]);
}

export const pdfHidings: readonly (readonly [name: string, make: (text: string) => Buffer])[] = [
  ["render mode 3", (text) => pdfWith(`BT /F1 12 Tf 3 Tr 72 720 Td (${text}) Tj ET`)],
  ["white letters", (text) => pdfWith(`1 1 1 rg BT /F1 12 Tf 72 720 Td (${text}) Tj ET`)],
  ["letters of a tenth of a point", (text) => pdfWith(`BT /F1 0.1 Tf 72 720 Td (${text}) Tj ET`)],
  [
    "a matrix that makes it small",
    (text) => pdfWith(`q 0.01 0 0 0.01 0 0 cm BT /F1 12 Tf 72 720 Td (${text}) Tj ET Q`),
  ],
  ["off the page", (text) => pdfWith(`BT /F1 12 Tf 72 -300 Td (${text}) Tj ET`)],
  ["clipped", (text) => pdfWith(`q 0 0 1 1 re W n BT /F1 12 Tf 72 720 Td (${text}) Tj ET Q`)],
  ["covered", (text) => pdfWith(`BT /F1 12 Tf 72 720 Td (${text}) Tj ET 1 1 1 rg 0 700 612 60 re f`)],
];

const run = (properties: string, text: string): Buffer =>
  docxOf(`<w:p><w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r></w:p>`);

export const docxHidings: readonly (readonly [name: string, make: (text: string) => Buffer])[] = [
  ["vanish", (text) => run("<w:vanish/>", text)],
  ["white letters", (text) => run('<w:color w:val="FFFFFF"/>', text)],
  ["letters of a point", (text) => run('<w:sz w:val="1"/>', text)],
  [
    "shading of its colour",
    (text) => run('<w:color w:val="00FF00"/><w:shd w:val="clear" w:fill="00FF00"/>', text),
  ],
  ["deleted", (text) => docxOf(`<w:p><w:del><w:r><w:delText>${text}</w:delText></w:r></w:del></w:p>`)],
];

/** Letters as characters that no font draws. */
export const unseenHidings: readonly (readonly [name: string, make: (text: string) => string])[] = [
  [
    "tag characters",
    (text) => [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.codePointAt(0)!)).join(""),
  ],
  [
    "variation selectors",
    (text) => [...text].map((letter) => String.fromCodePoint(0xe0100 + letter.codePointAt(0)! - 16)).join(""),
  ],
  [
    "private use",
    (text) => [...text].map((letter) => String.fromCodePoint(0xf0000 + letter.codePointAt(0)!)).join(""),
  ],
];
