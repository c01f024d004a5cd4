/** Pages that hide: a random tree of what mail is made of, with styles around marked sentences that put text out of sight, or
 *  may, or only look so. Every property of CSS's index is used; those with which honest mail and old tricks work come more often,
 *  in groups that belong together and with values at their borders. */
import type { RandomSource } from "../../support/random.ts";
import { colours, lengths, percentages, properties, randomValue } from "./css-grammar.ts";
import { type Box, marksMax, type Page, type PageNode, type Rule } from "./page.ts";

type Declaration = readonly [property: string, value: string];

/** Properties that work with each other. */
const themes: readonly (readonly string[])[] = [
  "color background background-color opacity -webkit-text-fill-color background-image background-clip background-size background-position background-repeat mix-blend-mode isolation text-shadow color-scheme",
  "color background-color width height float position margin-left margin-top padding display",
  "overflow height max-height width max-width white-space line-height text-indent padding text-overflow overflow-x overflow-y overflow-clip-margin min-width contain",
  "position left top right bottom z-index width height background inset margin-left margin-top clip clip-path translate",
  "font-size line-height letter-spacing word-spacing font zoom text-indent font-size-adjust font-family -webkit-text-stroke text-size-adjust",
  "display float clear width height margin margin-left margin-right margin-top margin-bottom padding-left padding-right padding-top padding-bottom direction",
  "margin-left margin-top margin-right margin-bottom background-color background position float display padding border",
  "box-shadow outline outline-offset border border-width border-image text-shadow -webkit-text-stroke text-decoration text-decoration-thickness padding background line-height",
  "display flex flex-direction order align-items justify-content width height overflow gap min-width grid-template-columns grid-template-rows flex-basis flex-grow",
  "table-layout width max-width overflow white-space border-collapse border-spacing empty-cells caption-side visibility display vertical-align",
  "transform rotate scale translate transform-origin perspective backface-visibility filter opacity mask clip-path -webkit-mask-image will-change",
  "visibility display content-visibility opacity font-size color all",
  "columns column-width column-gap column-count height overflow break-before widows",
  "writing-mode direction unicode-bidi text-orientation text-indent text-align width height",
  "animation animation-name animation-duration animation-delay animation-fill-mode transition display opacity",
  "background-color background padding margin-left margin-top vertical-align line-height display position top left font-size",
  "white-space word-break overflow-wrap tab-size width overflow text-indent hyphens line-break",
].map((theme) => theme.split(" "));

const extraProperties = [
  "-webkit-text-security",
  "-webkit-box-reflect",
  "-webkit-margin-start",
  "-webkit-padding-start",
  "-webkit-logical-width",
  "-webkit-writing-mode",
  "-webkit-clip-path",
  "-webkit-filter",
  "-webkit-opacity",
  "-webkit-mask-box-image",
  "mso-hide",
  "--a",
];
const allProperties = [...properties, ...extraProperties];

const words: Readonly<Record<string, readonly string[]>> = {
  display:
    "none block inline inline-block table table-cell table-row flex grid contents list-item flow-root inline-flex -webkit-box table-caption table-column table-header-group ruby math inline-table run-in".split(
      " ",
    ),
  position: "static relative absolute fixed sticky".split(" "),
  overflow: "hidden hidden auto scroll visible clip".split(" "),
  float: "left right none".split(" "),
  visibility: "hidden collapse visible".split(" "),
  "white-space": "nowrap pre pre-wrap pre-line normal".split(" "),
  opacity: "0 .01 .05 .1 .2 .3 .4 .5 .9 1 0% 30%".split(" "),
  "font-size":
    "0 1px 2px 4px 5px 6px 7px 8px 10px 14px 20px 40px 200px 0% 10% 50% 200% .1em .5em 2em smaller xx-small 5pt 1ex".split(
      " ",
    ),
  "line-height": "0 .1 .5 .7 .75 .8 1 1.2 2 5 0px 3px 10px 50% normal".split(" "),
  "letter-spacing": "-1em -.5em -.3em -.2em -.12em -.1em 0 1px 1em 5em 50px".split(" "),
  "word-spacing": "-1em -.2em 0 2em 10em 1000px".split(" "),
  "table-layout": ["fixed", "auto"],
  direction: ["rtl", "ltr"],
  "z-index": "-1 0 1 99".split(" "),
};
const short =
  "0 1px 2px 3px 5px 8px 10px 16px 20px 30px 40px 60px 100px 200px 300px 400px 600px 1000px 1024px 1300px 2000px .5em 1em 2em 10em 50% 100%".split(
    " ",
  );
const signed = [
  ...short,
  ..."-1px -2px -3px -5px -6px -10px -15px -20px -30px -40px -64px -100px -200px -400px -1000px -9999px -1em -50% -100%".split(
    " ",
  ),
];
const isSize =
  /^(?:min-|max-)?(?:width|height)$|^padding|^border(?:-\w+)?-width$|gap$|^border-spacing$|^column-width$/;
const isPlace = /^margin|^(?:left|top|right|bottom)$|^text-indent$|^outline-offset$/;
const isColour = /^color$|^background-color$|^-webkit-text-fill-color$|^background$/;

function likelyValue(property: string, random: RandomSource): string {
  if (random.below(8) === 0) return randomValue(property, random);
  const own = words[property];
  if (own !== undefined) return random.one(own);
  if (isColour.test(property)) return random.one(colours);
  if (isSize.test(property)) return random.one(random.below(8) === 0 ? percentages : short);
  if (isPlace.test(property)) return random.one(random.below(8) === 0 ? lengths : signed);
  switch (property) {
    case "box-shadow":
      return `${random.one(["", "inset "])}${random.one(signed)} ${random.one(signed)} ${random.one(["0", "2px", "20px"])} ${random.one(short)} ${random.one(colours)}`;
    case "text-shadow":
      return `${random.one(signed)} ${random.one(signed)} ${random.one(["0", "2px"])} ${random.one(colours)}`;
    case "outline":
    case "border":
      return `${random.one(short)} solid ${random.one(colours)}`;
    case "-webkit-text-stroke":
      return `${random.one(["1px", "2px", "3px", "10px"])} ${random.one(colours)}`;
    default:
      return randomValue(property, random);
  }
}

function declaration(random: RandomSource, property: string): Declaration {
  return [property, `${likelyValue(property, random)}${random.below(12) === 0 ? "!important" : ""}`];
}

/** Declarations that belong together, or any. */
function styleOf(random: RandomSource): Declaration[] {
  const theme = random.below(4) === 0 ? allProperties : random.one(themes);
  return Array.from({ length: 1 + random.below(4) }, () => declaration(random, random.one(theme)));
}

const blocks =
  "div div div p p table table center blockquote ul section h1 pre ol dl fieldset details main article figure".split(
    " ",
  );
const inlines =
  "span span span b i a font u em small big tt sub s code mark label ruby abbr bdo q button".split(" ");
const rare =
  "svg math template noscript select textarea dialog object video audio canvas iframe marquee slot title style xmp listing plaintext noembed noframes frameset optgroup datalist output progress meter map picture menu nobr rp rt summary legend caption colgroup portal search hgroup address x-y o:p v:rect".split(
    " ",
  );

const attributes: readonly ((random: RandomSource) => Declaration)[] = [
  (random) => ["align", random.one(["left", "right", "center"])],
  (random) => ["width", random.one(["0", "1", "10", "100", "300", "600", "2000", "50%", "100%"])],
  (random) => ["height", random.one(["0", "1", "10", "100", "1000"])],
  (random) => ["bgcolor", random.one(["white", "#fff", "black", "#000000", "#eee", "transparent", "red"])],
  (random) => ["dir", random.one(["rtl", "ltr", "auto"])],
  (random) => ["hidden", random.one(["", "until-found", "false"])],
  (random) => ["nowrap", random.one([""])],
  (random) => ["valign", random.one(["top", "bottom", "baseline"])],
  (random) => ["cellpadding", random.one(["0", "20", "500"])],
  (random) => ["cellspacing", random.one(["0", "20", "1500"])],
  (random) => ["border", random.one(["0", "1", "50"])],
  (random) => ["rowspan", random.one(["0", "2", "3"])],
  (random) => ["colspan", random.one(["2", "3", "1000"])],
  (random) => ["popover", random.one(["", "manual"])],
  (random) => ["inert", random.one([""])],
  (random) => ["open", random.one([""])],
  (random) => ["rules", random.one(["all", "none"])],
  (random) => ["frame", random.one(["void", "box"])],
  (random) => ["lang", random.one(["ar", "zh"])],
  (random) => ["start", random.one(["99999"])],
  (random) => ["hspace", random.one(["500"])],
];
const bodyAttributes: readonly ((random: RandomSource) => Declaration)[] = [
  (random) => ["bgcolor", random.one(["white", "black", "#eee"])],
  (random) => ["text", random.one(["white", "black", "#eee", "red"])],
  (random) => ["link", random.one(["white", "black"])],
  (random) => ["leftmargin", random.one(["0", "500", "2000"])],
  (random) => ["topmargin", random.one(["0", "500"])],
];
const fontAttributes: readonly ((random: RandomSource) => Declaration)[] = [
  (random) => ["color", random.one(["white", "#fff", "black", "ffffff", "chucknorris", "red"])],
  (random) => ["size", random.one(["1", "-5", "7", "+1", "0"])],
  (random) => ["face", random.one(["Wingdings", "Arial", "monospace", "FontAwesome"])],
];

const fillers: readonly string[] = [
  "&nbsp;",
  " ",
  "<br>",
  "word",
  "two words",
  "<hr>",
  "<!-- c -->",
  "█████",
  "<img width=200 height=30 src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9' fill='white'/></svg>\">",
  "<img src=x.png width=100 height=20>",
  "<img src=x.png style=position:relative;top:-20px;background:white>",
];
const classNames = ["k", "m", "n"];

class PageMaker {
  readonly #random: RandomSource;
  /** One box in so many, times its own likelihood, has a style. */
  readonly #rarity: number;
  #marks = 0;
  constructor(random: RandomSource) {
    this.#random = random;
    this.#rarity = random.one([1, 2, 4]);
  }

  #mark(): PageNode[] {
    if (this.#marks >= marksMax) return [{ kind: "raw", html: this.#random.one(fillers) }];
    return [{ kind: "mark", mark: this.#marks++, words: this.#random.one([1, 2, 2, 3, 3, 4, 6, 6, 8, 12]) }];
  }

  #box(tag: string, children: readonly PageNode[], likely = 3): Box {
    const random = this.#random;
    const chosen: Declaration[] = [];
    if (random.below(3) === 0) chosen.push(["class", random.one(classNames)]);
    if (random.below(8) === 0) chosen.push(["id", "k"]);
    const own = tag === "font" ? fontAttributes : tag === "body" ? bodyAttributes : attributes;
    if (random.below((tag === "font" ? 2 : 7) * this.#rarity) === 0) chosen.push(random.one(own)(random));
    if (tag === "a") chosen.push(["href", "http://example.com/"]);
    const style = random.below(likely * this.#rarity) === 0 ? styleOf(random) : [];
    return { kind: "box", tag, attributes: chosen, style, children };
  }

  #inline(depth: number): PageNode[] {
    const random = this.#random;
    const choice = random.below(10);
    if (choice < 4 || depth <= 0) return this.#mark();
    if (choice < 6) return [{ kind: "raw", html: random.one(fillers) }];
    const children = Array.from({ length: random.below(3) }, () => this.#inline(depth - 1)).flat();
    return [this.#box(random.one(inlines), children, 2)];
  }

  #block(depth: number): PageNode {
    const random = this.#random;
    const tag = random.below(20) === 0 ? random.one(rare) : random.one(blocks);
    if (tag === "table") return this.#table(depth - 1);
    const wrap = tag === "ul" || tag === "ol" ? "li" : tag === "details" ? "summary" : undefined;
    const children = this.#flow(depth - 1);
    return this.#box(
      tag,
      wrap === undefined ? children : [this.#box(wrap, children.slice(0, 1)), ...children.slice(1)],
    );
  }

  #table(depth: number): Box {
    const random = this.#random;
    const rows = Array.from({ length: 1 + random.below(2) }, () =>
      this.#box(
        "tr",
        Array.from({ length: 1 + random.below(3) }, () =>
          this.#box(random.one(["td", "td", "th"]), this.#flow(depth - 1)),
        ),
        6,
      ),
    );
    const inner =
      random.below(3) === 0 ? [this.#box(random.one(["tbody", "thead", "tfoot"]), rows, 3)] : rows;
    const before =
      random.below(8) === 0 ? [this.#box(random.one(["col", "colgroup", "caption"]), [], 1)] : [];
    return this.#box("table", [...before, ...inner]);
  }

  #flow(depth: number): PageNode[] {
    const random = this.#random;
    const length = 1 + random.below(depth > 1 ? 3 : 2);
    return Array.from({ length }, () =>
      depth > 0 && random.below(5) < 3 ? [this.#block(depth)] : this.#inline(2),
    ).flat();
  }

  #rule(): Rule | string {
    const random = this.#random;
    if (random.below(12) === 0) return random.one(loose);
    const within = random.below(3) > 0 ? [] : [random.one(conditions)];
    if (random.below(12) === 0) within.push(random.one(conditions));
    return { within, selector: this.#selector(), style: styleOf(random) };
  }

  #selector(): string {
    const random = this.#random;
    const simple = (): string =>
      random.one([
        ".k",
        ".m",
        "#k",
        "div",
        "p",
        "td",
        "span",
        "*",
        "b",
        "[class]",
        "[class=k]",
        "[class^=k]",
        "table",
        "a",
      ]);
    const choice = random.below(12);
    if (choice < 5) return simple();
    if (choice < 7) return `${simple()}${random.one([" ", ">", "+", "~", ", "])}${simple()}`;
    if (choice < 9)
      return `${simple()}${random.one(["::before", "::after", "::first-line", "::first-letter", ":before", "::marker", "::selection", "::details-content"])}`;
    return `${simple()}${random.one(pseudoClasses)}`;
  }

  make(): Page {
    const random = this.#random;
    const inner = this.#flow(3);
    const children = [
      ...(random.below(3) > 0 ? this.#mark() : []),
      ...inner,
      ...(random.below(3) > 0 ? [this.#block(1)] : []),
    ];
    const head = random.below(15) === 0 ? [random.one(heads)] : [];
    return {
      doctype: random.below(4) > 0 ? "<!doctype html>" : "",
      head,
      rules: Array.from({ length: random.below(1 + Math.ceil(4 / this.#rarity)) }, () => this.#rule()),
      body: this.#box("body", children, 6),
    };
  }
}

const conditions = [
  "@media screen",
  "@media print",
  "@media (min-width:600px)",
  "@media (max-width:600px)",
  "@media (prefers-color-scheme:dark)",
  "@media (prefers-color-scheme:light)",
  "@media not all and (monochrome)",
  "@media (hover:none)",
  "@media (1000px<=width<=1100px)",
  "@media (min-aspect-ratio:1/1)",
  "@media only screen and (-webkit-min-device-pixel-ratio:0)",
  "@media (color)",
  "@media (scripting:none)",
  "@media (orientation:landscape)",
  "@media not (width)",
  "@supports (display:grid)",
  "@supports not (display:grid)",
  "@supports selector(:has(a))",
  "@layer a",
  "@layer b",
  "@layer",
  "@scope (.k)",
  "@container (min-width:1px)",
  "@starting-style",
  "@goodbye",
  "@-moz-document url-prefix()",
  "div",
  ".k",
  "&",
];
const pseudoClasses = [
  ":first-child",
  ":last-child",
  ":nth-child(2n+1)",
  ":nth-child(1 of .k)",
  ":nth-last-child(1)",
  ":only-child",
  ":empty",
  ":not(.z)",
  ":not(.k)",
  ":is(.k,.m)",
  ":where(.k)",
  ":has(b)",
  ":hover",
  ":not(:hover)",
  ":link",
  ":any-link",
  ":visited",
  ":root",
  ":read-only",
  ":dir(ltr)",
  ":lang(en)",
  ":defined",
  ":target",
  ":focus-within",
  ":-webkit-any(.k)",
  ":first-of-type",
  ":nth-of-type(1)",
  ":heading",
  ":not(:is(.z,:unknown))",
  ":is(:unknown,.k)",
];
const loose = [
  "@import 'x.css';",
  "@import url('data:text/css,.k{display:none}');",
  "@import url('data:text/css,p{color:white}') screen;",
  "@property --a{syntax:'<length>';inherits:false;initial-value:0px}",
  "@font-face{font-family:Arial;src:local('FontAwesome')}",
  "@font-face{font-family:f;src:local('DejaVu Sans');size-adjust:1%}",
  "@keyframes a{from{opacity:0}to{opacity:0}}",
  "@keyframes a{to{transform:translate(-9999px)}}",
  "@layer b,a;",
  "@namespace url(http://www.w3.org/1999/xhtml);",
  "@namespace x url(http://x);x|p{display:none}",
  "@charset 'utf-8';",
  "@page{margin:0}",
  "@view-transition{navigation:auto}",
  "@position-try --a{left:-9999px}",
  "@function --f(--x){result:none}",
  ":root{--a:none}",
  "*{--a:0px}",
  ".k{color:white;&:is(p){color:black}}",
  "}",
  "<!--",
  "/*",
];
const heads = [
  "<meta name=color-scheme content=dark>",
  "<meta name=viewport content='width=100'>",
  "<meta http-equiv=Content-Security-Policy content=\"style-src 'none'\">",
  "<link rel=stylesheet href='data:text/css,p{display:none}'>",
  "<style media=print>*{color:black!important}</style>",
  "<style media='(max-width:1px)'>p{display:block!important}</style>",
  "<style type=text/less>p{color:black!important}</style>",
  "<base href=http://example.com/>",
  "<style>p{color:white}</style>",
  "<style disabled>p{color:white}</style>",
  "<style title=a>p{color:white}</style><style title=b>p{color:black}</style>",
];

export function randomPage(random: RandomSource): Page {
  return new PageMaker(random).make();
}
