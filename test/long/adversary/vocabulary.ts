/** The parts of random pages besides declarations: elements, attributes, filler text, selectors and conditions. */
import type { RandomSource } from "../../support/random.ts";
import type { Declaration } from "./random-style.ts";

export const blocks =
  "div div div p p table table center blockquote ul section h1 pre ol dl fieldset details main article figure".split(
    " ",
  );
export const inlines =
  "span span span b i a font u em small big tt sub s code mark label ruby abbr bdo q button".split(" ");
export const rare =
  "svg math template noscript select textarea dialog object video audio canvas iframe marquee slot title style xmp listing plaintext noembed noframes frameset optgroup datalist output progress meter map picture menu nobr rp rt summary legend caption colgroup portal search hgroup address x-y o:p v:rect".split(
    " ",
  );

export const attributes: readonly ((random: RandomSource) => Declaration)[] = [
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
export const bodyAttributes: readonly ((random: RandomSource) => Declaration)[] = [
  (random) => ["bgcolor", random.one(["white", "black", "#eee"])],
  (random) => ["text", random.one(["white", "black", "#eee", "red"])],
  (random) => ["link", random.one(["white", "black"])],
  (random) => ["leftmargin", random.one(["0", "500", "2000"])],
  (random) => ["topmargin", random.one(["0", "500"])],
];
export const fontAttributes: readonly ((random: RandomSource) => Declaration)[] = [
  (random) => ["color", random.one(["white", "#fff", "black", "ffffff", "chucknorris", "red"])],
  (random) => ["size", random.one(["1", "-5", "7", "+1", "0"])],
  (random) => ["face", random.one(["Wingdings", "Arial", "monospace", "FontAwesome"])],
];

export const fillers: readonly string[] = [
  "&nbsp;",
  " ",
  "<br>",
  "<br class=k>",
  "word",
  "two words",
  "<hr>",
  "<!-- c -->",
  "█████",
  "<img width=200 height=30 src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9' fill='white'/></svg>\">",
  "<img src=x.png width=100 height=20>",
  "<img src=x.png style=position:relative;top:-20px;background:white>",
];
export const honestFillers = fillers.slice(0, 8);
export const classNames = ["k", "m", "n"];

export const conditions = [
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
export const honestConditions = conditions.slice(0, 6);
export const pseudoClasses = [
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
export const loose = [
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
export const heads = [
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
