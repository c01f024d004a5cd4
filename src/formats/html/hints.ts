/** Attributes of old HTML that stand for style (HTML, "Rendering"), as declarations weaker than any rule. */
import { asciiLower, asciiTrim } from "#/src/formats/css/ascii-case.ts";
import { legacyColour, transparent } from "#/src/formats/css/colour.ts";
import { readRows } from "#/src/formats/css/rows.ts";
import { unknownValue } from "#/src/formats/css/shorthands.ts";
import type { Declaration } from "#/src/formats/css/stylesheet.ts";
import { isHeld, type Value } from "#/src/formats/css/value-forms.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";

function hint(property: string, value: Value): Declaration {
  return { property, value, isImportant: false };
}

function word(property: string, value: string): Declaration {
  return hint(property, [{ type: "ident", value }]);
}

function colourHint(property: string, text: string): readonly Declaration[] {
  // Browsers differ on blanks that are none of ASCII.
  if (/[^\S \t\n\f\r]/.test(text)) return [hint(property, unknownValue)];
  const colour = legacyColour(text);
  if (colour === undefined) return [];
  // Firefox draws with it, other browsers drop it. Behind letters it changes nothing in either.
  if (colour === transparent) return property === "background-color" ? [] : [hint(property, unknownValue)];
  const hex = colour.slice(0, 3).map((one) => one.toString(16).padStart(2, "0"));
  return [hint(property, [{ type: "hash", value: hex.join("") }])];
}

/** "12", "12px" and "50%" (HTML, "rules for parsing dimension values"). */
function sizeHint(property: string, text: string): readonly Declaration[] {
  const match = /^[ \t\n\f\r]*\+?(\d{1,9}(?:\.\d{1,9})?)(%?)/.exec(text);
  if (match === null) return [];
  const number = Number(match[1]);
  return [
    hint(property, [
      match[2] === "%"
        ? { type: "percent", number, isSigned: false }
        : { type: "dimension", number, unit: "px", isSigned: false },
    ]),
  ];
}

/** In each line some elements, an attribute of them, how its value is read, and the properties that it sets. Of two lines for one
 *  property the later counts. */
const listed = `
body table thead tbody tfoot tr td th col colgroup marquee | bgcolor | colour | background-color
body table thead tbody tfoot tr td th | background | picture | background-image
body | text | colour | color
body | leftmargin | size | margin-left margin-right
body | rightmargin | size | margin-right
body | topmargin | size | margin-top margin-bottom
body | bottommargin | size | margin-bottom
body | marginwidth | size | margin-left margin-right
body | marginheight | size | margin-top margin-bottom
font | color | colour | color
font | size | fontSize | font-size
font | face | family | font-family
table td th col colgroup hr marquee | width | size | width
table | cellspacing | size | border-spacing
table img object input | border | size | border-top-width border-right-width border-bottom-width border-left-width
table tr tbody thead tfoot marquee td th | height | size | height
table img input object embed iframe | align | side | float
marquee img input object embed iframe | vspace | size | margin-top margin-bottom
img input object embed iframe | hspace | size | margin-left margin-right
hr | size | size | height
td th | nowrap | nowrap | white-space
* | dir | direction | direction
* | hidden | hidden | display
* | popover | popover | display
`;

type Reader = (property: string, text: string) => readonly Declaration[];

const readers: Readonly<Record<string, Reader>> = {
  colour: colourHint,
  size: sizeHint,
  picture: (property, text) => (isHeld(text) ? [hint(property, unknownValue)] : []),
  fontSize: fontSizeHint,
  family: (property, text) => [hint(property, familyOf(text))],
  side: (property, text) =>
    /^\s*(?:left|right)\s*$/i.test(text) ? [word(property, asciiLower(asciiTrim(text)))] : [],
  nowrap: (property) => [word(property, "nowrap")],
  // Of "auto", the text itself decides.
  direction: (property, text) =>
    /^(?:rtl|auto|ltr)$/i.test(text) ? [word(property, /^ltr$/i.test(text) ? "ltr" : "rtl")] : [],
  hidden: (property, text) => [
    asciiLower(text) === "until-found" ? word("content-visibility", "hidden") : word(property, "none"),
  ],
  popover: (property) => [word(property, "none")],
};

interface Hint {
  readonly attribute: string;
  readonly read: Reader;
  readonly properties: readonly string[];
}

const hintsByElement = new Map<string, Hint[]>();
const hintAttributes = new Set<string>();
for (const [elements, attribute, reader, properties] of readRows(listed)) {
  hintAttributes.add(attribute!);
  const one = { attribute: attribute!, read: readers[reader!]!, properties: properties!.split(" ") };
  for (const name of elements!.split(" "))
    hintsByElement.set(name, [...(hintsByElement.get(name) ?? []), one]);
}

/** Elements with the same key have the same hints; "": none. */
export function hintKeyOf(element: HtmlElement): string {
  let key = "";
  for (const { name, value } of element.attributes)
    if (hintAttributes.has(name)) key += `${name}=${JSON.stringify(value)} `;
  const padding = cellPadding(element);
  if (padding !== undefined) key += `cellpadding=${JSON.stringify(padding)}`;
  return key === "" || !element.isHtml ? "" : `${element.name} ${key}`;
}

export function hintsOf(element: HtmlElement): readonly Declaration[] {
  if (!element.isHtml) return [];
  const hints: Declaration[] = [];
  const padding = cellPadding(element);
  if (padding !== undefined)
    for (const side of ["top", "right", "bottom", "left"])
      hints.push(...sizeHint(`padding-${side}`, padding));
  if (element.attributes.length === 0) return hints;
  for (const name of [element.name, "*"])
    for (const { attribute, read, properties } of hintsByElement.get(name) ?? []) {
      const text = attributeOf(element, attribute);
      if (text !== undefined) for (const property of properties) hints.push(...read(property, text));
    }
  return hints;
}

/** `cellpadding` of the table that a cell stands in. */
function cellPadding({ name, parent }: HtmlElement): string | undefined {
  if (name !== "td" && name !== "th") return undefined;
  let above = parent;
  for (let level = 0; above !== undefined && level < 4; level++, above = above.parent)
    if (above.name === "table") return attributeOf(above, "cellpadding");
  return undefined;
}

function familyOf(face: string): Value {
  return face
    .split(",")
    .flatMap((name, index) => [
      ...(index === 0 ? [] : [{ type: "," } as const]),
      { type: "string", value: name.trim().replaceAll(/^["']|["']$/g, "") } as const,
    ]);
}

const fontSizeNames = ["x-small", "small", "medium", "large", "x-large", "xx-large", "xxx-large"];

function fontSizeHint(property: string, text: string): readonly Declaration[] {
  const match = /^\s*([+-]?)(\d{1,9})/.exec(text);
  if (match === null) return [];
  const number = Number(match[2]);
  const size = match[1] === "+" ? 3 + number : match[1] === "-" ? 3 - number : number;
  return [word(property, fontSizeNames[Math.max(1, Math.min(7, size)) - 1]!)];
}
