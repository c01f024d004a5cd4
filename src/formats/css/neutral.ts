/** Properties that are not judged (H29), because they do not decide whether text is seen. Each row has the values for which this is proven,
 *  and the proof: the value does not hide text, or another rule already counts its worst case. Any other value is not understood, like
 *  a property that is in no table.
 *  Long because a reviewer reads the list line by line. */
import { asciiLower } from "./ascii-case.ts";
import { readRows } from "./rows.ts";
import { componentsOf, type Value, wideKeywords, wordOf, words } from "./value-forms.ts";

/** Whether the proof holds for the value. */
type Proven = (value: Value) => boolean;

const whatever: Proven = () => true;

function only(known: string): Proven {
  const knownWords = words(known);
  return (value) => knownWords.has(wordOf(value));
}

/** One or more of these words. */
function allOf(known: string): Proven {
  const knownWords = words(known);
  return (value) => componentsOf(value).every((part) => knownWords.has(wordOf(part)));
}

function wordsOf(value: Value): string {
  return componentsOf(value).map(wordOf).join(" ");
}

function percentIn(value: Value, least: number, most: number): boolean {
  const [token] = value;
  return value.length === 1 && token?.type === "percent" && token.number >= least && token.number <= most;
}

/** Features of a font that choose between shapes of the same letters and digits. */
const features = words("kern liga clig dlig calt rlig lnum onum pnum tnum zero");

/** `normal`, or tags of the list, with numbers, `on` or `off`. */
function isKnownFeatures(value: Value): boolean {
  if (wordOf(value) === "normal") return true;
  return value.every(
    (token) =>
      token.type === "space" ||
      token.type === "," ||
      token.type === "number" ||
      (token.type === "string" && features.has(token.value)) ||
      (token.type === "ident" && /^(?:on|off)$/i.test(token.value)),
  );
}

/** Names of counters, except `list-item`, which numbers the items of a list. */
function isOwnCounter(value: Value): boolean {
  return value.every(
    (token) =>
      token.type === "space" ||
      token.type === "number" ||
      (token.type === "ident" && asciiLower(token.value) !== "list-item"),
  );
}

function isThinStroke(value: Value): boolean {
  const [token] = value;
  if (value.length !== 1 || token === undefined) return false;
  if (token.type === "number") return token.number >= 0 && token.number <= 1;
  return token.type === "dimension" && token.unit === "px" && token.number >= 0 && token.number <= 1;
}

/** In each line some properties, the values for which it is proven (words, one or several; `=` a rule of its own; `whatever`), and the
 *  proof. A line that is indented goes on with the one before. */
const listed = `
font-style | one normal italic oblique | letters slant in their place; an angle may be any
font-stretch font-width | = narrow | letters get narrower, and stay as high; wider ones are not counted
font-variant-ligatures | normal none common-ligatures no-common-ligatures discretionary-ligatures no-discretionary-ligatures
  historical-ligatures no-historical-ligatures contextual no-contextual
  | letters are drawn as one sign of the same letters, which is not wider than they are
font-variant-numeric | normal lining-nums oldstyle-nums proportional-nums tabular-nums slashed-zero
  | digits are as high as letters are; fractions and ordinals are smaller and are not on the list
font-variant-position font-variant-alternates font-variant-east-asian | one normal
  | normal only: others draw smaller signs, or signs that are no letters
font-variant-emoji | one normal text unicode | letters keep their font; "emoji" may take digits from a font of pictures
font-feature-settings | = features | shapes of the same letters and digits; ornaments are not on the list
font-kerning | one auto normal none | pairs of letters move by what their font says
font-optical-sizing | one auto none | the same letters, drawn for their size
font-synthesis font-synthesis-weight font-synthesis-style font-synthesis-small-caps | none auto weight style small-caps position
  | letters are bold, slanted or small capitals, or not
font-language-override | one normal | normal only
font-smooth font-smoothing -moz-font-smoothing -moz-osx-font-smoothing text-rendering | whatever
  | how edges of letters are drawn, and whether pairs of letters move
text-size-adjust -moz-text-size-adjust | = sizeAdjusted
  | of telephones: letters keep their size, but for a tenth; other shares make them as small as they say
text-autospace | one no-autospace | no space is added
text-spacing-trim | one normal space-all space-first trim-start | full-width marks are as wide as counted, or narrower

text-justify | one auto none inter-word inter-character distribute
  | the room that is left in a line is shared; no line gets wider than its box
text-wrap-style | one auto balance stable pretty | a line may break earlier, at the same places between words
hyphenate-limit-chars | whatever | of "hyphens: auto", which counts for any letter (demand.ts)
nbsp-mode | one normal space | a no-break space breaks, where it counts as one that does not
text-decoration-color text-decoration-skip text-decoration-skip-ink | whatever
  | of lines that are thin and lie beside or between letters, whatever their colour (text-decoration-line)
text-underline-position | one auto from-font | at the letters' own line; "under" may reach the next line
ruby-position | one over alternate | as browsers place it, in a line that grows
caption-side | one top bottom | above or below its table, outside of its background both times

border-color border-top-color border-right-color border-bottom-color border-left-color border-block-color border-inline-color
  border-block-start-color border-block-end-color border-inline-start-color border-inline-end-color | whatever
  | a line counts as painted in a colour that hides what is behind it (fits.ts)
border-collapse | one separate collapse | lines and room between cells get smaller, and count as large
empty-cells | one show | backgrounds of cells are painted
outline-color outline-width outline-offset | whatever
  | of an outline, and each outline makes the page doubtful (outline-style)
resize | one none | no handle is drawn
appearance -moz-appearance | one none auto | nothing is drawn as a control that is none
justify-content | whatever
  | of boxes in a flex or grid container: what does not fit is doubtful wherever it stands (fits.ts)
justify-self justify-items place-self place-items | auto normal stretch legacy
  | a block is as wide as its container; other values may move it out of the page
box-align box-pack box-orient box-flex box-direction box-ordinal-group | whatever
  | of boxes in containers of an old kind, which are doubtful (display)
column-fill column-span | whatever
  | of columns, and text in more than one is doubtful (column-count, column-width)
scrollbar-width | one auto thin none | the bar beside a box takes less room, or none, and leaves more
transform-origin transform-box perspective-origin | whatever
  | of a transform, and each transform is doubtful (transform, perspective)
container-name | whatever | a name; rules of @container may apply whatever it is (stylesheet.ts)
counter-reset counter-increment counter-set | = counters
  | numbers that are shown in parts of elements, which are no text of the message

image-rendering image-orientation interpolation-mode object-fit object-position object-view-box | whatever
  | what a picture shows inside of its own box, and a picture counts as painted all over (replaced.ts)
fill stroke | whatever | paint of drawings, whose text is not given; of letters browsers know other names
stroke-width | = thinStroke | of drawings; WebKit draws letters with it too: at most a pixel

page page-break-before page-break-after page-break-inside break-before break-after break-inside orphans widows print-color-adjust
  color-adjust | whatever | of paper and of columns, and text in more than one column is doubtful; the page is judged on a screen
forced-color-adjust dynamic-range-limit | whatever
  | of colours that the reader's system forces, and of lights brighter than white
supported-color-schemes | = schemes | light is possible, and the window is light, as of color-scheme
speak | whatever | of speech
cursor user-select -moz-user-select user-modify user-drag user-zoom pointer-events touch-action tap-highlight-color touch-callout
  overflow-scrolling | whatever | what a pointer looks like and does; nothing was clicked
caret caret-color caret-shape caret-animation accent-color scrollbar-color | whatever
  | colours of form fields, which hold no text of the page, of the mark where one writes, and of bars beside a box
scroll-behavior scroll-margin scroll-padding scroll-snap-align scroll-snap-stop overscroll-behavior overscroll-behavior-x
  overscroll-behavior-y overflow-anchor | whatever | how one scrolls; a box may rest only where scroll-snap-type says so
transition transition-property transition-duration transition-delay transition-timing-function transition-behavior
  -moz-transition | whatever
  | of values that change: nothing was pointed at, and rules of @starting-style may apply (stylesheet.ts)
animation-delay animation-direction animation-duration animation-fill-mode animation-iteration-count animation-play-state
  animation-timing-function animation-composition | whatever | of an animation, and each animation is doubtful (animation-name)
view-transition-class | whatever | of an element with a view-transition-name, which is doubtful

font-display src panose-1 unicode-range size page-orientation | whatever
  | descriptors of @font-face and @page: no properties of an element
`;

const proofs: Readonly<Record<string, Proven>> = {
  narrow: (value) =>
    only("normal semi-condensed condensed extra-condensed")(value) || percentIn(value, 62, 100),
  features: isKnownFeatures,
  sizeAdjusted: (value) => only("auto none")(value) || percentIn(value, 90, 110),
  counters: isOwnCounter,
  thinStroke: isThinStroke,
  schemes: (value) =>
    allOf("normal light dark only")(value) && /^(?:normal|light|dark light|only light)/.test(wordsOf(value)),
};

function provenOf(values: string): Proven {
  if (values === "whatever") return whatever;
  if (values.startsWith("= ")) return proofs[values.slice(2)]!;
  return values.startsWith("one ") ? only(values.slice(4)) : allOf(values);
}

const table: ReadonlyMap<string, Proven> = new Map(
  readRows(listed).flatMap(([names, values]) => {
    const proven = provenOf(values!);
    return names!.split(" ").map((name): [string, Proven] => [name, proven]);
  }),
);

/** Words that senders write as properties by mistake, or for old Outlook and old engines: HTML attributes and others. No current
 *  browser has a property with one of these names. */
const unknownToBrowsers = words(
  "text align valign halign bgcolor background_color bordercolor face link vlink alink cellpadding cellspacing colspan rowspan " +
    "nowrap class id href target alt title style type name value media charset lang hspace vspace noshade frame rules summary " +
    "font-color text-color fontcolor fontsize font-colour colour textalign text-size fontfamily background-colour " +
    "margintop vertical-alignment text-alignment horizontal-align horiz-align font-face font-decoration text-style text-weight " +
    "border-space cell-padding cell-spacing ms-text-size-adjust webkit-text-size-adjust moz-text-size-adjust mso-line-height-rule " +
    "text-underline text-underline-color text-underline-style text-resize -webkit-text-resize text-line-through text-effect text-autospace-mode layout-grid-mode tab-stops punctuation-wrap " +
    "text-kashida-space layout-flow " +
    "-moz-border-radius -moz-border-radius-topleft -moz-border-radius-topright -moz-border-radius-bottomleft " +
    "-moz-border-radius-bottomright -moz-box-shadow -moz-opacity -moz-outline -moz-outline-radius -moz-binding",
);

/** Prefixes of Outlook and of old engines, and signs that make a declaration valid in one old browser only. */
const foreign = /^(?:mso-|-(?:ms|o|khtml|webkit-ms)-|[*_#!+&])/;

export function isUnknownToBrowsers(name: string): boolean {
  return unknownToBrowsers.has(name) || foreign.test(name);
}

export const neutralNames: readonly string[] = [...table.keys()];

export function isNeutralName(name: string): boolean {
  return table.has(name);
}

/** Whether it is proven that the declaration does not decide whether text is seen. */
export function isNeutral(name: string, value: Value): boolean {
  if (isUnknownToBrowsers(name)) return true;
  const proven = table.get(name);
  if (proven === undefined) return false;
  return proven === whatever || wideKeywords.has(wordOf(value)) || proven(value);
}

/** Whether style may say the paint of drawings, which is on the list since it is not that of letters. */
export function saysPaint(style: string): boolean {
  return /fill|stroke|\\/i.test(style);
}
