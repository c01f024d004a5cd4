/** Declarations that hide text, may hide it, or only seem to. They use every property of the index of CSS. Properties of honest mail
 *  and of known tricks are more frequent; they come in groups that belong together, with values near their limits. */
import { neutralNames } from "#/src/formats/css/neutral.ts";
import type { RandomSource } from "../../support/random.ts";
import { colours, lengths, percentages, properties, randomValue } from "./css-grammar.ts";

export type Declaration = readonly [property: string, value: string];

/** Groups of properties that affect each other. */
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
  "border border-width border-style border-left border-left-style border-top-style padding overflow height width background position left",
  "white-space white-space-collapse text-wrap background-color color width overflow text-align text-align-last position left text-overflow",
  "align-content place-content height max-height min-height overflow overflow-y padding box-decoration-break",
  "justify-self justify-items place-self place-items width margin-left overflow direction float",
  "list-style list-style-position list-style-type white-space width overflow padding-left font-variant font-stretch",
  "word-break overflow-wrap line-break hyphens width display height overflow white-space float",
  "color -webkit-text-fill-color -webkit-text-stroke paint-order background-color background-image background-size background-clip border",
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
  "border-style": "solid none hidden dotted double".split(" "),
  "border-left-style": "solid none double".split(" "),
  "border-top-style": "solid none double".split(" "),
  "white-space-collapse": "preserve break-spaces preserve-breaks collapse".split(" "),
  "text-align-last": "right justify center left end".split(" "),
  "text-overflow": ["ellipsis", "clip", '"xxxxxxxx"'],
  "align-content": ["end", "unsafe end", "center", "start", "normal"],
  "place-content": ["end", "unsafe end", "unsafe center end", "start"],
  "box-decoration-break": ["clone", "slice"],
  "paint-order": ["normal", "stroke"],
  "background-size": "0 0px auto cover contain 1px 50%".split(" "),
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

/** Declarations of honest mail. When the renderer understands all of a page, it gives its text, so that an error in it becomes visible. */
const honest = (
  "color background-color background font-size font line-height letter-spacing word-spacing text-indent white-space " +
  "margin margin-left margin-right margin-top margin-bottom padding padding-left padding-right padding-top padding-bottom " +
  "width max-width min-width height max-height min-height overflow float clear display position top left vertical-align border " +
  "border-spacing border-width table-layout direction text-align opacity visibility box-shadow text-decoration text-shadow " +
  "border-style border-left-style border-top-style white-space-collapse text-align-last text-overflow align-content " +
  "box-decoration-break paint-order background-size background-clip " +
  "background-image outline -webkit-text-stroke text-transform word-break overflow-wrap border-collapse border-radius tab-size"
).split(" ");
const near =
  "0 1px 2px 3px 4px 5px 6px 7px 8px 10px 12px 14px 16px 18px 20px 24px 30px 40px 60px 80px 100px 150px 200px 300px 400px 500px 600px 800px 1000px .5em 1em 1.2em 2em 3em 10pt 50% 80% 100%".split(
    " ",
  );
const nearSigned = [
  ...near,
  ..."-1px -2px -3px -4px -6px -8px -10px -15px -20px -30px -36px -64px -100px -.5em -1em -5%".split(" "),
];
const honestWords: Readonly<Record<string, readonly string[]>> = {
  display: "block inline inline-block table table-cell list-item none".split(" "),
  position: "relative relative static absolute".split(" "),
  overflow: "hidden hidden auto scroll visible".split(" "),
  opacity: ".3 .4 .5 .7 .9 1 0".split(" "),
  visibility: ["hidden", "visible"],
  "background-image": [
    "linear-gradient(#fff,#fff)",
    "linear-gradient(white,black)",
    "linear-gradient(90deg,#000,#333)",
    "url(x.png)",
    "none",
  ],
  font: ["0/0 a", "8px/1 Arial", "16px/20px serif", "bold 7px/.8 Arial", "12px/0 x", "20px Wingdings"],
  "letter-spacing": "-.2em -.12em -.1em -1px -2px 0 1px 3px 1em".split(" "),
  "word-spacing": "-.2em -3px 0 2em 10px".split(" "),
  "text-transform": ["none"],
  "tab-size": ["4", "16", "99"],
  "text-decoration": ["none", "underline", "line-through", "line-through white"],
  "border-radius": ["0", "3px", "50%"],
  "text-shadow": ["none", "0 1px 0 #fff", "1px 1px 2px black", "0 0 3px white"],
  "vertical-align": "top middle bottom baseline sub super 5px -5px 1em -20px".split(" "),
};
const honestColours =
  "#fff white #ffffff #000 black #111 #333 #666 #999 #ccc #ddd #eee #f5f5f5 red navy blue transparent rgb(255,255,255) rgba(0,0,0,.5) rgba(255,255,255,.8) inherit".split(
    " ",
  );

function honestValue(property: string, random: RandomSource): string {
  const own = honestWords[property] ?? (property === "font-size" ? undefined : words[property]);
  if (own !== undefined) return random.one(own);
  if (isColour.test(property)) return random.one(honestColours);
  if (/^(?:border|outline)$/.test(property))
    return `${random.one(near)} ${random.one(["solid", "solid", "dotted", "none"])} ${random.one(honestColours)}`;
  if (property === "box-shadow")
    return `${random.one(["", "", "inset "])}${random.one(nearSigned)} ${random.one(nearSigned)} ${random.one(near)} ${random.one(near)} ${random.one(honestColours)}`;
  if (property === "-webkit-text-stroke")
    return `${random.one([".01px", "1px", "2px"])} ${random.one(honestColours)}`;
  if (/^(?:margin|left|top|text-indent)/.test(property)) return random.one(nearSigned);
  if (/^(?:text-align|clear|word-break|overflow-wrap|border-collapse)$/.test(property))
    return randomValue(property, random);
  return random.one(near);
}

export function honestStyle(random: RandomSource): Declaration[] {
  const chosen = random.one(themes).filter((property) => honest.includes(property));
  const from = chosen.length > 2 && random.below(2) === 0 ? chosen : honest;
  return Array.from({ length: 1 + random.below(4) }, () => {
    if (random.below(8) === 0) return passedOver(random);
    const property = random.one(from);
    return [property, honestValue(property, random)] as const;
  });
}

const passedNames = [
  ...neutralNames,
  ..."word-break overflow-wrap line-break hyphens list-style list-style-position".split(" "),
];

/** A declaration of a property that the renderer does not judge, or judges in few cases. */
function passedOver(random: RandomSource): Declaration {
  const property = random.one(passedNames);
  return [property, randomValue(property, random)];
}

function declaration(random: RandomSource, property: string): Declaration {
  return [property, `${likelyValue(property, random)}${random.below(12) === 0 ? "!important" : ""}`];
}

/** Declarations of one group, or of any properties. */
export function styleOf(random: RandomSource): Declaration[] {
  const theme = random.below(4) === 0 ? allProperties : random.one(themes);
  return Array.from({ length: 1 + random.below(4) }, () => declaration(random, random.one(theme)));
}
