/** The table of understood properties. Each row has the understood values, what any other value may do, and the rule that proves that
 *  text is visible. A declaration is harmless only by this table or by `neutral.ts`.
 *
 *  `reach` of a value that is not understood:
 *  - `inside`: it changes only the content of the element. The content is doubtful.
 *  - `moves`: it changes the place or size of the element. The content is doubtful. If anything of it is seen, it may cover anything on the
 *    page.
 *  - `paints`: it paints outside of the element. The whole page is doubtful. */
import { asciiLower } from "./ascii-case.ts";
import { black } from "./colour.ts";
import { boundsOf, lengthOf } from "./length.ts";
import { readRows } from "./rows.ts";
import { shadowsOf } from "./shadows.ts";
import {
  anyLength,
  anyLengthOrShare,
  anyNumber,
  colour,
  componentsOf,
  type Form,
  familyList,
  images,
  leastHeight,
  numberOrShare,
  oneOf,
  only,
  positiveLength,
  positiveLengthOrShare,
  type Reading,
  spacingLength,
  strictLengthOrShare,
  upTo,
  type Value,
  wordOf,
  words,
} from "./value-forms.ts";

export type Reach = "inside" | "moves" | "paints";

export interface Understood {
  readonly form: Form;
  readonly reach: Reach;
  readonly isInherited: boolean;
}

const sizes = "auto max-content fit-content -webkit-fill-available stretch";
const otherSizes =
  "min-content content contain intrinsic min-intrinsic -webkit-max-content -webkit-min-content -webkit-fit-content";

/** One property, or some with the same rule, in each line:
 *    names | values | reach | inherited or own | how text with it is proven visible, and in which file
 *  Values: words that are understood; valid words that are not; forms of other values. `only`: any value but these words is not
 *  understood. `=`: a form that reads words too. A line that is indented goes on with the one before. */
const listed = `
display | none block inline inline-block list-item flow-root table inline-table table-row-group table-header-group
  table-footer-group table-row table-cell table-caption table-column table-column-group contents
  flex inline-flex grid inline-grid; grid-lanes inline-grid-lanes masonry ruby ruby-base ruby-text ruby-base-container
  ruby-text-container run-in math flow inline-math
  | moves | own | boxes in flow never lie on each other (H1); none and columns hold nothing that is seen (hidden.ts, letters.ts)
visibility | visible hidden; collapse | inside | inherited | hidden paints nothing, background neither
opacity | = numberOrShare | inside | own | product of all around at least 0.4, and contrast after mixing (contrast.ts)
content-visibility | visible hidden; auto | inside | own | hidden holds nothing that is seen
-webkit-text-security | none disc circle square | inside | inherited | all but none count as hidden

font-size | xx-small x-small small medium large x-large xx-large xxx-large smaller larger; math; letterSize
  | inside | inherited | computed: 7 pixels or more is read, below 4 is hidden, between is doubtful; above 120 may cover (legible.ts)
font-family | = familyList | inside | inherited | no font of symbols, none of the author's own bytes (fonts.ts)
font-weight | normal bold bolder lighter; ; weight | inside | inherited
  | bold letters are as wide as lines are counted; thin ones, below 400, need 9 pixels and a contrast of 3 (contrast.ts)
font-size-adjust | only none | paints | inherited | none only: lines of any height push away what follows
line-height | normal; ; strictLengthOrShare factor | paints | inherited | 0.75 to 10 of the letters' size (legible.ts)
letter-spacing word-spacing | normal; ; spacingOfLetters | inside | inherited | -0.12 to 1 em, -0.2 to 2 em (legible.ts)
text-indent | ; hanging each-line; anyLengthOrShare | inside | inherited
  | 0 to 300 pixels, or back by no more than its own padding and margin (flaws.ts)
white-space | normal pre nowrap pre-wrap pre-line break-spaces; collapse preserve preserve-breaks preserve-spaces wrap
  | inside | inherited | lines that do not wrap are proven where nothing cuts them off (fits.ts)
text-wrap | wrap balance pretty stable; nowrap auto | inside | inherited | wraps, as is usual
text-wrap-mode | wrap; nowrap | inside | inherited | wraps, as is usual
white-space-collapse | collapse preserve preserve-breaks break-spaces; preserve-spaces discard | inside | inherited
  | beside a white-space, blanks that either keeps count as kept; where one of them collapses line ends it is doubtful (letters.ts)
text-align-last | only auto left start | inside | inherited
  | as text-align: a last line that begins elsewhere may leave a box that cuts off
text-overflow | only clip ellipsis | inside | own | what is cut off has to fit (fits.ts)
box-decoration-break | only slice | moves | own | paddings count once
paint-order | only normal | inside | inherited | outlines are drawn over letters (contrast.ts)
tab-size | = tabs | inside | inherited | at most 16 letters
unicode-bidi | normal embed isolate plaintext; bidi-override isolate-override | inside | own
  | the order of letters stays that of the text
direction | ltr rtl | inside | inherited | lines from the right never end left of the window (fits.ts)
text-decoration-line | = decorations | paints | own
  | below and through letters, within their own line; of letters that reach out of their line none (legible.ts)
text-decoration-style | solid dotted dashed; double wavy | paints | own | as thin as solid
text-underline-offset | = underlineOffset | paints | inherited | 0 to 4 pixels, or a quarter of the letters, below the letters' line
text-decoration-thickness | = thickness | paints | own
  | a line of at most 2 pixels, or an eighth of the letters, leaves the rest of them (F5)
text-shadow | = letterShadows | paints | inherited | below its own letters; of others it hides as much as it reaches (flaws.ts)
-webkit-text-stroke-width | thin medium; thick; positiveLength | paints | inherited
  | at most 2 pixels, and its colour counts as that of the letters (contrast.ts)
-webkit-text-stroke-color | = colour | inside | inherited | see its width
quotes hyphenate-character | = shortSigns | paints | inherited | signs that take little room

color -webkit-text-fill-color | = colour | inside | inherited
  | contrast of 1.5, from 18 pixels on 1.3, to every colour that may be behind (contrast.ts)
background-color | = colour | inside | own | is behind what stands in flow in a box without bounds (backdrops.ts)
background-image | = images | inside | own
  | remote: as absent; gradients: contrast to all their colours; other pictures: doubtful (backdrops.ts)
background-clip | only border-box padding-box text | inside | own | text: the background is the colour of the letters (backdrops.ts)
background-size background-repeat background-position background-position-x background-position-y background-attachment
  background-origin | = anything | inside | own | where they are given, what is below a gradient counts too (backdrops.ts)
color-scheme | = schemes | paints | inherited | light is possible, and the window is light

width min-width | ${sizes}; none ${otherSizes}; positiveLengthOrShare | moves | own
  | at most 2,000 pixels; a word wider than its box has to contrast with all around (fits.ts)
min-height | ${sizes}; none ${otherSizes}; leastHeight | paints | own
  | the body may be as high as a window: nothing follows it (flaws.ts)
height | ${sizes}; none ${otherSizes}; positiveLengthOrShare | paints | own
  | cells and pictures grow; in other boxes the lines, counted high, have to fit (fits.ts); what is unknown may push all that follows
  out of the page
max-width | none ${sizes}; ${otherSizes}; positiveLengthOrShare | moves | own | as width
max-height | none ${sizes}; ${otherSizes}; positiveLengthOrShare | moves | own | as height
overflow-x overflow-y | visible hidden auto scroll overlay; clip | inside | own | what is cut off has to fit by a high estimate (fits.ts)
box-sizing | content-box border-box; padding-box | moves | own | paddings count both ways (room.ts)
margin-top margin-right margin-bottom margin-left | auto; ; anyLengthOrShare | paints | own
  | 0 to 2,000 pixels; back only into the padding of the parent, sideways (flaws.ts)
padding-top padding-right padding-bottom padding-left | ; ; positiveLengthOrShare | paints | own
  | 0 to 2,000 pixels; of inline boxes with paint what it reaches over the line (paint.ts)
border-top-width border-right-width border-bottom-width border-left-width | thin medium thick; ; positiveLength | moves | own
  | at most 60 pixels (flaws.ts)
border-top-style border-right-style border-bottom-style border-left-style
  | none hidden dotted dashed solid double groove ridge inset outset | moves | own
  | any line is painted in full; without a width it is 3 pixels, with none or hidden it is not there (box.ts)
border-top-left-radius border-top-right-radius border-bottom-left-radius border-bottom-right-radius | = corner | inside | own
  | as border-radius
border-radius | = corners | inside | own | at most 30 pixels, or as much padding as it takes off (corners.ts)
border-spacing | = spacings | moves | inherited | at most 40 pixels (flaws.ts)
table-layout | auto fixed | inside | own | fixed: columns do not grow, and nothing may be cut off in them (fits.ts)
vertical-align | baseline top middle bottom text-top text-bottom sub super
  ; -webkit-baseline-middle first last alphabetic central ideographic mathematical; anyLengthOrShare
  | paints | own | at most half of the letters up or down (flaws.ts)

float | none left right; inline-start inline-end top bottom footnote | moves | own
  | beside the text, never on it; its own backdrop or all around (backdrops.ts)
position | static relative absolute fixed; sticky -webkit-sticky running | moves | own
  | relative without distance is in its place; others are doubtful or proven outside (flaws.ts)
top right bottom left | auto; ; anyLengthOrShare | moves | own | relative: half a pixel at most (flaws.ts)
z-index | auto; ; wholeNumber | moves | own | 0 or more
text-align | left right center justify start end -webkit-left -webkit-right -webkit-center -webkit-auto -webkit-match-parent
  match-parent; justify-all | moves | inherited | inside of its box

transform | only none | moves | own | none only
clip-path mask-image mask-border-source | only none | inside | own | none only
clip | only auto | inside | own | auto only
filter | = filters | paints | own | none only; of old Outlook and Explorer: dropped; filters that change colours reach inside (shorthands.ts)
backdrop-filter | only none | paints | own | none only
mix-blend-mode background-blend-mode | only normal | inside | own | normal only
animation-name | only none | moves | own | none only
zoom | = noZoom | paints | own | 1 only
box-shadow | = shadowList | paints | own | mixes its colour into what is behind the letters around (colours.ts)
outline-style | only none | paints | own | none only
border-image-source | only none | paints | own | none only
list-style-type | only none disc circle square decimal decimal-leading-zero lower-roman upper-roman lower-alpha upper-alpha
  lower-latin upper-latin lower-greek disclosure-open disclosure-closed | paints | inherited | a short mark
list-style-image | = images | moves | inherited | remote: as absent
contain | only none | moves | own | none only: a container may have no size
container-type | only normal | moves | own | normal only: a container may have no size
align-content | only normal stretch start flex-start baseline | moves | own
  | the content of a block begins at its upper edge; what is higher can be scrolled to
isolation | only auto | moves | own | none only: another order of painting
transform-style | only flat | moves | own | flat only
view-transition-name | only none auto | moves | own | none only
scroll-snap-type | only none | inside | own | none only: a box may not rest where its text is
clear | none left right both inline-start inline-end | inside | own | both: below all floats
text-transform | none uppercase lowercase capitalize; full-width full-size-kana math-auto | inside | inherited
  | letters count as wide as any (fonts.ts)
font-variant font-variant-caps | only normal none small-caps all-small-caps | inside | inherited
  | small capitals are as high as small letters, and count as wide as any (fonts.ts)
overflow-wrap | normal break-word anywhere | inside | inherited
  | a line may break inside of a word; a column as narrow as a letter is not counted (demand.ts)
word-break | normal break-all keep-all break-word; auto-phrase manual | inside | inherited
  | as overflow-wrap; what has no blank in it counts as a word that does not break (demand.ts)
line-break | auto loose normal strict anywhere after-white-space | inside | inherited | as word-break
hyphens -moz-hyphens | none manual auto | inside | inherited | as word-break
list-style-position | inside outside | moves | inherited | a mark in the line takes 16 em of it (page.ts)
-moz-box-sizing | content-box border-box; padding-box | moves | own
  | the same as box-sizing, for browsers that know one name alone
writing-mode | only horizontal-tb | paints | inherited
  | lines from top to bottom; others are as high as a line is long
column-count column-width | only auto | moves | own | one column
flex-basis flex-direction flex-wrap flex-grow flex-shrink order row-gap column-gap grid-row-gap grid-column-gap
  | = one | moves | own | of items and the boxes that hold them, which have their own rules (items.ts, flaws.ts)
flex-flow gap grid-gap grid-auto-flow | = two | moves | own | as order
flex | = three | moves | own | as order
align-items align-self grid grid-template grid-template-areas grid-template-rows grid-template-columns
  grid-auto-rows grid-auto-columns grid-area grid-row grid-row-start grid-row-end grid-column grid-column-start
  grid-column-end | = anything | moves | own | of items and the boxes that hold them, which have their own rules (items.ts, flaws.ts)
`;

/** Whether the value is one token of the kind, and its number is right. */
function isNumber(value: Value, type: "number" | "percent", isRight: (number: number) => boolean): boolean {
  const [token] = value;
  return value.length === 1 && token?.type === type && isRight(token.number);
}

function pixelsOf(value: Value, whole: number): number {
  return lengthOf(value, { fontSize: 16, lineHeight: 20, whole, isQuirky: false }) ?? Number.NaN;
}

const orDropped = (isIt: boolean): Reading => (isIt ? "understood" : "dropped");
const orUnknown = (isIt: boolean): Reading => (isIt ? "understood" : "unknown");
const strictSize = oneOf("", "", strictLengthOrShare);

const forms: Readonly<Record<string, Form>> = {
  anyLengthOrShare,
  anything: () => "understood",
  colour,
  corner: upTo(2, strictSize),
  corners: (value, isQuirky) =>
    value.some(({ type }) => type === "delim") ? "unknown" : upTo(4, strictSize)(value, isQuirky),
  decorations: (value) =>
    orUnknown(
      componentsOf(value).every((part) =>
        ["none", "underline", "line-through", "blink"].includes(wordOf(part)),
      ),
    ),
  factor: (value) => orDropped(isNumber(value, "number", (number) => number >= 0)),
  familyList,
  filters: (value) => {
    if (wordOf(value) === "none") return "understood";
    const [token] = value;
    const name = token?.type === "function" || token?.type === "ident" ? asciiLower(token.value) : "";
    const isAlpha = token?.type === "function" && name === "alpha" && componentsOf(value).length === 1;
    // No browser of today knows them (Filter Effects 1, section 5).
    return isAlpha || (name === "progid" && value[1]?.type === ":") ? "dropped" : "unknown";
  },
  images,
  letterSize,
  noZoom: (value) =>
    orUnknown(
      ["normal", "reset"].includes(wordOf(value)) ||
        isNumber(value, "number", (number) => number === 1) ||
        isNumber(value, "percent", (number) => number === 100),
    ),
  numberOrShare,
  positiveLength,
  leastHeight,
  positiveLengthOrShare,
  schemes: (value) => {
    const list = value.flatMap((token) =>
      token.type === "ident" ? [asciiLower(token.value)] : token.type === "space" ? [] : ["?"],
    );
    return orUnknown(/^(?:normal|light|light,?dark|dark,?light|only,?light|light,?only)$/.test(list.join()));
  },
  letterShadows: (value) => {
    const shadows = shadowsOf(value, black);
    return orUnknown(shadows?.every(({ isInset, spread }) => !isInset && spread === 0) === true);
  },
  shadowList: (value) => orUnknown(shadowsOf(value, black) !== undefined),
  shortSigns: (value) => {
    const signs = value.filter(({ type }) => type !== "space");
    const areShort = signs.every((token) => token.type === "string" && /^[\p{P}\s]?$/u.test(token.value));
    // Browsers drop an odd list of quotes.
    return orUnknown(
      ["none", "auto", "match-parent"].includes(wordOf(value)) || (areShort && signs.length % 2 === 0),
    );
  },
  spacingOfLetters,
  spacings: upTo(2, oneOf("", "", spacingLength)),
  strictLengthOrShare,
  one: (value) => orUnknown(isListOf(1, value)),
  two: (value) => orUnknown(isListOf(2, value)),
  three: (value) => orUnknown(isListOf(3, value)),
  tabs: (value) => orUnknown(isNumber(value, "number", (number) => number <= 16)),
  thickness: (value) => {
    const px = pixelsOf(value, Number.NaN);
    return orUnknown((px >= 0 && px <= 2) || ["auto", "from-font"].includes(wordOf(value)));
  },
  underlineOffset: (value) => {
    const px = pixelsOf(value, 16);
    return orUnknown(wordOf(value) === "auto" || (px >= 0 && px <= 4));
  },
  weight: (value) => orDropped(isNumber(value, "number", (number) => number >= 1 && number <= 1000)),
  wholeNumber: (value, isQuirky) => {
    const [token] = value;
    const isBroken = value.length === 1 && token?.type === "number" && !token.isInteger;
    return isBroken ? "dropped" : anyNumber(value, isQuirky);
  },
};

/** Browsers drop more parts, and the same word twice. */
function isListOf(most: number, value: Value): boolean {
  const parts = componentsOf(value);
  const said = parts.map(wordOf).filter((word) => word !== "" && word !== "normal");
  return parts.length <= most && new Set(said).size === said.length;
}

/** The size of `ex` differs between fonts, and nested sizes in `ex` multiply the difference. */
function letterSize(value: Value, isQuirky: boolean): Reading {
  const hasEx = value.some((token) => token.type === "dimension" && token.unit === "ex");
  if (!hasEx && boundsOf(value, { fontSize: 16, lineHeight: 20, whole: 16, isQuirky: false }) !== undefined)
    return "understood";
  return hasEx ? "unknown" : positiveLengthOrShare(value, isQuirky);
}

/** Only new browsers know a percentage as a length. */
function spacingOfLetters(value: Value, isQuirky: boolean): Reading {
  const [token] = value;
  if (value.length === 1 && token?.type === "percent") return "unknown";
  // Browsers differ on a number without a unit in quirks mode.
  if (isQuirky && value.length === 1 && token?.type === "number" && token.number !== 0) return "unknown";
  return anyLength(value, isQuirky);
}

/** Properties that are not understood, by their reach. Any other name that is not in this file has the reach `inside`, or `paints` if
 *  it has WebKit's prefix. */
const unread = `
inside | mask mask-size mask-position mask-repeat mask-origin mask-clip mask-mode mask-composite clip-rule backface-visibility
  font-variation-settings font-palette math-style math-depth math-shift line-clamp corner-shape rtl-ordering locale
  hanging-punctuation text-orientation text-combine-upright interactivity border-start-start-radius border-start-end-radius
  border-end-start-radius border-end-end-radius
moves | translate rotate scale offset offset-path offset-distance offset-position offset-anchor offset-rotate perspective
  will-change inset-area position-area position-anchor position-try anchor-name columns shape-outside shape-margin initial-letter
  text-box text-box-trim text-box-edge dominant-baseline alignment-baseline container animation-timeline animation-range
  -moz-transform -moz-transform-style -moz-perspective -moz-animation -moz-animation-name -moz-padding-start -moz-padding-end
  animation-trigger margin-trim scrollbar-gutter overflow-clip-margin text-fit overlay x y r d cx cy rx ry
paints | appearance -moz-appearance box-reflect border-image border-image-slice border-image-width border-image-outset border-image-repeat mask-border
  mask-box-image content contain-intrinsic-size contain-intrinsic-width contain-intrinsic-inline-size contain-intrinsic-height
  contain-intrinsic-block-size baseline-shift column-height field-sizing text-emphasis text-emphasis-style text-emphasis-color
  text-emphasis-position column-rule column-rule-style column-rule-width aspect-ratio -moz-border-image -moz-margin-start -moz-margin-end border-shape row-rule
  row-rule-style row-rule-width rule rule-style rule-width
`;

const reaches: ReadonlyMap<string, Reach> = new Map(
  readRows(unread).flatMap(([reach, names]) =>
    names!.split(" ").map((name): [string, Reach] => [name, reach as Reach]),
  ),
);

const table: ReadonlyMap<string, Understood> = new Map(
  readRows(listed).flatMap(([names, values, reach, inheritance]) => {
    const one = {
      form: formOf(values!),
      reach: reach as Reach,
      isInherited: inheritance === "inherited",
    };
    return names!.split(" ").map((name): [string, Understood] => [name, one]);
  }),
);

function formOf(values: string): Form {
  if (values.startsWith("=")) return forms[values.slice(1).trim()]!;
  if (values.startsWith("only ")) return only(values.slice("only ".length));
  const [known = "", others = "", named = ""] = values.split(";").map((one) => one.trim());
  return oneOf(known, others, ...[...words(named)].map((name) => forms[name]!));
}

export const understoodNames: readonly string[] = [...table.keys()];

export function understoodOf(name: string): Understood | undefined {
  return table.get(name);
}

/** Prefixes of engines of today. Each has names that no public list has. */
const enginePrefix = /^-(?:webkit|moz|apple|epub|internal)-/;
/** The first words of all names that an engine or a draft of a standard has: a new name mostly begins with one of them. */
const engineWords = words(
  `accent align alignment anchor animation app aspect backdrop backface background base baseline block border box break buffered
caption caret clip color column columns contain container content continue copy corner counter cue dominant dynamic empty event
field fill filter flex float flood flow font footnote forced frame gap glyph grid hanging height hyphenate hyphens image ime
initial inline input inset interactivity interest interpolate isolation item justify left letter lighting line link list margin
marker mask masonry math max min mix nav navigation object offset opacity outline overflow overlay override overscroll padding
page paint path pause perspective place pointer position print reading region rest right rotate row ruby rule scale scroll
scrollbar set shape size slider spatial speak stop string stroke tab table text timeline top touch transform transition
translate trigger fallback inherits negative pad prefix range suffix symbols syntax system unicode user vector vertical view
visibility voice white widows width will window word wrap writing zoom`.replaceAll("\n", " "),
);

/** H28: whether some engine may have a property with this name. Senders write many names that none has: of other programs
 *  (`-premailer-width`), of old engines, and by mistake. */
export function isEngineName(name: string): boolean {
  return (
    enginePrefix.test(name) || table.has(name) || reaches.has(name) || engineWords.has(name.split("-", 1)[0]!)
  );
}

/** `isPrefixed`: the name had WebKit's prefix. Many such names are old names of sizes and distances. */
export function reachOf(name: string, isPrefixed = false): Reach {
  return reaches.get(name) ?? table.get(name)?.reach ?? (isPrefixed ? "paints" : "inside");
}
