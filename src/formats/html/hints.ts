/** Attributes of old HTML that stand for style (HTML, "Rendering"), as declarations weaker than any rule. */
import { asciiLower, asciiTrim } from "#/src/formats/css/ascii-case.ts";
import { legacyColour } from "#/src/formats/css/colour.ts";
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

function colourHint(property: string, text: string | undefined): readonly Declaration[] {
  // Browsers differ on blanks that are none of ASCII.
  if (text !== undefined && /[^\S \t\n\f\r]/.test(text)) return [hint(property, unknownValue)];
  const colour = text === undefined ? undefined : legacyColour(text);
  if (colour === undefined) return [];
  const hex = colour.slice(0, 3).map((one) => one.toString(16).padStart(2, "0"));
  return [hint(property, [{ type: "hash", value: hex.join("") }])];
}

/** "12", "12px" and "50%" (HTML, "rules for parsing dimension values"). */
function sizeHint(property: string, text: string | undefined): readonly Declaration[] {
  const match = /^[ \t\n\f\r]*\+?(\d{1,9}(?:\.\d{1,9})?)(%?)/.exec(text ?? "");
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

const backgroundHolders = new Set("body table thead tbody tfoot tr td th col colgroup marquee".split(" "));
const pictureHolders = new Set("body table thead tbody tfoot tr td th".split(" "));
const sides = ["top", "right", "bottom", "left"];

/** Attributes that some element has as style. */
const hintAttributes = new Set(
  (
    "bgcolor background text color size face width height cellspacing border align vspace hspace nowrap dir hidden popover " +
    "leftmargin rightmargin topmargin bottommargin marginwidth marginheight"
  ).split(" "),
);

/** Elements with the same key have the same hints; "": none. */
export function hintKeyOf(element: HtmlElement): string {
  let key = "";
  for (const { name, value } of element.attributes)
    if (hintAttributes.has(name)) key += `${name}=${JSON.stringify(value)} `;
  if (element.name === "td" || element.name === "th") {
    const padding = attributeOfTable(element, "cellpadding");
    if (padding !== undefined) key += `cellpadding=${JSON.stringify(padding)}`;
  }
  return key === "" || !element.isHtml ? "" : `${element.name} ${key}`;
}

export function hintsOf(element: HtmlElement): readonly Declaration[] {
  if (!element.isHtml) return [];
  const { name } = element;
  const isCell = name === "td" || name === "th";
  const hints: Declaration[] = [];
  if (isCell) {
    const padding = attributeOfTable(element, "cellpadding");
    if (padding !== undefined) for (const side of sides) hints.push(...sizeHint(`padding-${side}`, padding));
  }
  if (element.attributes.length === 0) return hints;
  const at = (attribute: string): string | undefined => attributeOf(element, attribute);
  if (backgroundHolders.has(name)) hints.push(...colourHint("background-color", at("bgcolor")));
  if (pictureHolders.has(name)) {
    const background = at("background");
    if (background !== undefined && isHeld(background)) hints.push(hint("background-image", unknownValue));
  }
  switch (name) {
    case "body":
      hints.push(...colourHint("color", at("text")));
      for (const [attribute, side] of bodyMargins) hints.push(...sizeHint(`margin-${side}`, at(attribute)));
      break;
    case "font": {
      hints.push(...colourHint("color", at("color")));
      const [size, face] = [at("size"), at("face")];
      if (size !== undefined) hints.push(...fontSizeHint(size));
      if (face !== undefined) hints.push(hint("font-family", familyOf(face)));
      break;
    }
    case "table":
      hints.push(...sizeHint("width", at("width")), ...sizeHint("border-spacing", at("cellspacing")));
      for (const side of sides) hints.push(...sizeHint(`border-${side}-width`, at("border")));
      hints.push(...sizeHint("height", at("height")));
      if (/^\s*(?:left|right)\s*$/i.test(at("align") ?? ""))
        hints.push(word("float", asciiLower(asciiTrim(at("align")!))));
      break;
    case "tr":
    case "tbody":
    case "thead":
    case "tfoot":
      hints.push(...sizeHint("height", at("height")));
      break;
    case "marquee":
      for (const side of ["width", "height"]) hints.push(...sizeHint(side, at(side)));
      for (const side of ["top", "bottom"]) hints.push(...sizeHint(`margin-${side}`, at("vspace")));
      break;
    case "img":
    case "input":
    case "object":
    case "embed":
    case "iframe":
      for (const side of ["top", "bottom"]) hints.push(...sizeHint(`margin-${side}`, at("vspace")));
      for (const side of ["left", "right"]) hints.push(...sizeHint(`margin-${side}`, at("hspace")));
      if (/^\s*(?:left|right)\s*$/i.test(at("align") ?? ""))
        hints.push(word("float", asciiLower(asciiTrim(at("align")!))));
      if (name === "img" || name === "object" || name === "input")
        for (const side of sides) hints.push(...sizeHint(`border-${side}-width`, at("border")));
      break;
    case "td":
    case "th":
    case "col":
    case "colgroup":
    case "hr":
      hints.push(...sizeHint("width", at("width")));
      if (isCell) hints.push(...sizeHint("height", at("height")));
      if (name === "hr") hints.push(...sizeHint("height", at("size")));
      if (isCell && at("nowrap") !== undefined) hints.push(word("white-space", "nowrap"));
      break;
  }
  const dir = asciiLower(at("dir") ?? "");
  // Of "auto", the text itself decides.
  if (dir === "rtl" || dir === "auto") hints.push(word("direction", "rtl"));
  else if (dir === "ltr") hints.push(word("direction", "ltr"));
  const hidden = at("hidden");
  if (hidden !== undefined)
    hints.push(
      asciiLower(hidden) === "until-found" ? word("content-visibility", "hidden") : word("display", "none"),
    );
  if (at("popover") !== undefined) hints.push(word("display", "none"));
  return hints;
}

const bodyMargins: readonly (readonly [string, string])[] = [
  // Browsers take one of them for both sides.
  ["leftmargin", "left"],
  ["leftmargin", "right"],
  ["rightmargin", "right"],
  ["topmargin", "top"],
  ["topmargin", "bottom"],
  ["bottommargin", "bottom"],
  ["marginwidth", "left"],
  ["marginwidth", "right"],
  ["marginheight", "top"],
  ["marginheight", "bottom"],
];

/** An attribute of the table that a cell stands in. */
export function attributeOfTable(cell: HtmlElement, name: string): string | undefined {
  let above = cell.parent;
  for (let level = 0; above !== undefined && level < 4; level++, above = above.parent)
    if (above.name === "table") return attributeOf(above, name);
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

function fontSizeHint(text: string): readonly Declaration[] {
  const match = /^\s*([+-]?)(\d{1,9})/.exec(text);
  if (match === null) return [];
  const number = Number(match[2]);
  const size = match[1] === "+" ? 3 + number : match[1] === "-" ? 3 - number : number;
  return [word("font-size", fontSizeNames[Math.max(1, Math.min(7, size)) - 1]!)];
}
