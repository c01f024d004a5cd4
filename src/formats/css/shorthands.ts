/** Shorthands: the values that each sets for properties of the table (`understood.ts`). Each is a grammar of its own. */
import { asciiLower } from "./ascii-case.ts";
import { isSize, isSlash, readBackgroundLayer, readLine } from "./line-form.ts";
import { type CssToken, splitByComma } from "./tokens.ts";
import { understoodOf } from "./understood.ts";
import { addressOf, colour, componentsOf, type Reading, type Value, wordOf, words } from "./value-forms.ts";

/** Stands for a value that is not understood, and is or may be valid. */
export const unknownValue: Value = [{ type: "function", value: "unknown" }];

export interface Declared {
  readonly name: string;
  readonly value: Value;
}

type Split = (value: Value, isQuirky: boolean) => readonly Declared[] | Exclude<Reading, "understood">;

export interface Shorthand {
  readonly names: readonly string[];
  readonly split: Split;
}

const ident = (value: string): Value => [{ type: "ident", value }];
const noLength: Value = [{ type: "number", number: 0, isSigned: false, isInteger: true }];
const sides: readonly string[] = ["top", "right", "bottom", "left"];

function fourSides(nameOf: (side: string) => string): Shorthand {
  return {
    names: sides.map(nameOf),
    split: (value) => {
      const parts = componentsOf(value);
      const [top, right = top, bottom = top, left = right] = parts;
      if (top === undefined || parts.length > 4) return "dropped";
      const values = [top, right, bottom, left] as Value[];
      return sides.map((side, index) => ({ name: nameOf(side), value: values[index]! }));
    },
  };
}

function pair(first: string, second: string): Shorthand {
  return {
    names: [first, second],
    split: (value) => {
      const [one, two = one, ...more] = componentsOf(value);
      if (one === undefined || two === undefined || more.length > 0) return "dropped";
      return [
        { name: first, value: one },
        { name: second, value: two },
      ];
    },
  };
}

/** The width, style and colour of a border in any order. Without a style there is no line. */
function border(...of: readonly string[]): Shorthand {
  return {
    names: of.flatMap((side) => [`border-${side}-width`, `border-${side}-style`]),
    split: (value, isQuirky) => {
      const line = readLine(value, [], isQuirky);
      if (typeof line === "string") return line;
      const width = line.width ?? ident("medium");
      const reading = understoodOf("border-top-width")!.form(width, isQuirky);
      if (reading !== "understood") return reading;
      const style = ident(line.style ?? "none");
      return of.flatMap((side) => [
        { name: `border-${side}-width`, value: width },
        { name: `border-${side}-style`, value: style },
      ]);
    },
  };
}

const comma: CssToken = { type: "," };
const backgroundNames = [
  "background-color",
  "background-image",
  "background-clip",
  "background-size",
  "background-repeat",
  "background-position",
];

const background: Split = (value, isQuirky) => {
  const layers = splitByComma(value);
  let shade: Value = ident("transparent");
  const pictures: CssToken[] = [];
  let clip = "border-box";
  let isPlaced = false;
  for (const [index, layer] of layers.entries()) {
    if (layer.length === 0) return "dropped";
    const read = readBackgroundLayer(layer, isQuirky);
    if (typeof read === "string") return read;
    if (read.colour !== undefined && index < layers.length - 1) return "dropped";
    shade = read.colour ?? shade;
    clip = read.clip ?? clip;
    isPlaced ||= read.isPlaced;
    if (index > 0) pictures.push(comma);
    pictures.push(...(read.picture ?? ident("none")));
  }
  return [
    { name: "background-color", value: shade },
    { name: "background-image", value: pictures },
    { name: "background-clip", value: ident(clip) },
    { name: "background-size", value: ident(isPlaced ? "contain" : "auto") },
    { name: "background-repeat", value: ident("repeat") },
    { name: "background-position", value: noLength },
  ];
};

const systemFonts = words("caption icon menu message-box small-caption status-bar");
const fontNames = [
  "font-size",
  "line-height",
  "font-family",
  "font-size-adjust",
  "font-variant",
  "font-weight",
];

/** Words before the font size: style, weight, width and small capitals. */
const beforeSize = /^(?:normal|italic|oblique|bold|bolder|lighter|small-caps|(?:extra-|semi-)?condensed)$/;
function kindBeforeSize(token: CssToken): string {
  const word = token.type === "ident" ? asciiLower(token.value) : "";
  if (word === "normal" || word === "small-caps") return word;
  if (word === "italic" || word === "oblique") return "style";
  return /(?:condensed|expanded)$/.test(word) ? "stretch" : "weight";
}

const noFamilies = words("default inherit initial unset revert revert-layer revert-rule");

const font: Split = (value, isQuirky) => {
  if (systemFonts.has(wordOf(value))) return "unknown";
  const size = understoodOf("font-size")!.form;
  const parts = componentsOf(value);
  const before = new Set<string>();
  let weight: Value = ident("normal");
  for (const [index, part] of parts.entries()) {
    const reading = size(part, isQuirky);
    if (reading === "dropped") {
      const [token] = part;
      // Style, weight and width of the letters stand before the font size.
      if (
        part.length === 1 &&
        (token?.type === "ident" || token?.type === "number" || token?.type === "percent")
      ) {
        if (index >= 4 || (token.type === "ident" && !beforeSize.test(asciiLower(token.value))))
          return "unknown";
        const kind = kindBeforeSize(token);
        const isOutside = token.type === "number" && (token.number < 1 || token.number > 1000);
        if (before.has(kind) || isOutside) return "dropped";
        if (kind !== "normal") before.add(kind);
        if (kind === "weight") weight = part;
        continue;
      }
      // The angle of slanted letters, or a value of newer browsers.
      return "unknown";
    }
    if (
      index > 0 &&
      part.length === 1 &&
      part[0]?.type === "number" &&
      parts.length > index + 2 &&
      size(parts[index + 1]!, isQuirky) !== "dropped"
    )
      continue;
    if (reading === "unknown") return "unknown";
    const hasHeight = isSlash(parts[index + 1]?.[0]);
    const height = hasHeight ? parts[index + 2] : undefined;
    const familyParts = parts.slice(index + (hasHeight ? 3 : 1));
    if (familyParts.length === 0 || (hasHeight && height === undefined)) return "dropped";
    if (familyParts.some((one) => noFamilies.has(wordOf(one)))) return "unknown";
    const family: CssToken[] = [];
    for (const one of familyParts)
      family.push(...(family.length === 0 ? [] : [{ type: "space" } as const]), ...one);
    return [
      { name: "font-size", value: part },
      { name: "line-height", value: height ?? ident("normal") },
      { name: "font-family", value: family },
      { name: "font-size-adjust", value: ident("none") },
      { name: "font-variant", value: ident(before.has("small-caps") ? "small-caps" : "normal") },
      { name: "font-weight", value: weight },
    ];
  }
  return "dropped";
};

const decorationWords = words(
  "none underline overline line-through blink solid double dotted dashed wavy auto from-font spelling-error grammar-error",
);

const decoration: Split = (value, isQuirky) => {
  let thickness: Value = ident("auto");
  let line = "none";
  let style = "solid";
  const parts = componentsOf(value);
  // Browsers drop what is said twice; of that the value before counts.
  const said = parts.map((part) => wordOf(part) || (isSize(part) ? "size" : "")).filter((one) => one !== "");
  if (new Set(said).size < said.length || (said.length > 1 && said.includes("none"))) return "unknown";
  for (const part of parts) {
    const word = wordOf(part);
    if (/^(?:underline|line-through)$/.test(word)) {
      if (line !== "overline") line = word;
    } else if (/^(?:overline|spelling-error|grammar-error)$/.test(word)) line = "overline";
    else if (word === "double" || word === "wavy") style = word;
    if (decorationWords.has(word)) continue;
    const reading = colour(part, isQuirky);
    if (reading === "understood") continue;
    if (isSize(part)) thickness = part;
    else if (part[0]?.type === "percent" || part[0]?.type === "function") thickness = unknownValue;
    else if (reading === "unknown") continue;
    else return "dropped";
  }
  return [
    { name: "text-decoration-line", value: ident(line) },
    { name: "text-decoration-style", value: ident(style) },
    { name: "text-decoration-thickness", value: thickness },
  ];
};

const outline: Split = (value, isQuirky) => {
  const line = readLine(value, ["auto"], isQuirky);
  if (typeof line === "string") return line;
  return line.style === "hidden"
    ? "dropped"
    : [{ name: "outline-style", value: ident(line.style ?? "none") }];
};

const listMarks: Split = (value) => {
  const places = words("inside outside");
  const place = componentsOf(value).find((part) => places.has(wordOf(part)));
  const parts = componentsOf(value).filter((part) => !places.has(wordOf(part)));
  const type = parts.find((part) => addressOf(part) === undefined);
  const picture = parts.find((part) => addressOf(part) !== undefined);
  // Browsers drop two of a kind; of that the value before counts.
  const kinds = parts.filter((part) => wordOf(part) !== "none").map((part) => addressOf(part) === undefined);
  if (parts.length > 2 || new Set(kinds).size < kinds.length) return "unknown";
  return [
    { name: "list-style-type", value: type ?? ident("disc") },
    { name: "list-style-image", value: picture ?? ident("none") },
    { name: "list-style-position", value: place ?? ident("outside") },
  ];
};

/** A shorthand that is read as one property. It is understood only if it is "none" or one of the harmless words. */
function only(name: string, ...harmless: string[]): Shorthand {
  return {
    names: [name],
    split: (value) =>
      wordOf(value) === "none" || harmless.includes(wordOf(value))
        ? [{ name, value: ident("none") }]
        : [{ name, value: unknownValue }],
  };
}

export const shorthands: ReadonlyMap<string, Shorthand> = new Map<string, Shorthand>([
  ["background", { names: backgroundNames, split: background }],
  ["font", { names: fontNames, split: font }],
  ["margin", fourSides((side) => `margin-${side}`)],
  ["padding", fourSides((side) => `padding-${side}`)],
  ["border-width", fourSides((side) => `border-${side}-width`)],
  ["inset", fourSides((side) => side)],
  ["border-style", fourSides((side) => `border-${side}-style`)],
  ["border-block-width", pair("border-top-width", "border-bottom-width")],
  ["border-block-style", pair("border-top-style", "border-bottom-style")],
  ["border-inline-width", pair("border-left-width", "border-right-width")],
  ["border-inline-style", pair("border-left-style", "border-right-style")],
  ["border", border(...sides)],
  ...sides.map((side): [string, Shorthand] => [`border-${side}`, border(side)]),
  ["border-block", border("top", "bottom")],
  ["border-inline", border("left", "right")],
  ["border-block-start", border("top")],
  ["border-block-end", border("bottom")],
  ["border-inline-start", border("left")],
  ["border-inline-end", border("right")],
  ["place-content", { names: ["align-content"], split: firstOf("align-content") }],
  ["overflow", pair("overflow-x", "overflow-y")],
  ["inset-inline", pair("left", "right")],
  ["inset-block", pair("top", "bottom")],
  ["margin-inline", pair("margin-left", "margin-right")],
  ["margin-block", pair("margin-top", "margin-bottom")],
  ["padding-inline", pair("padding-left", "padding-right")],
  ["padding-block", pair("padding-top", "padding-bottom")],
  [
    "text-decoration",
    {
      names: ["text-decoration-line", "text-decoration-style", "text-decoration-thickness"],
      split: decoration,
    },
  ],
  ["outline", { names: ["outline-style"], split: outline }],
  ["list-style", { names: ["list-style-type", "list-style-image", "list-style-position"], split: listMarks }],
  [
    "-webkit-text-stroke",
    { names: ["-webkit-text-stroke-width", "-webkit-text-stroke-color"], split: stroke },
  ],
  ["mask", only("mask-image")],
  ["animation", only("animation-name")],
  ["border-image", only("border-image-source")],
  [
    "container",
    {
      names: ["container-type"],
      split: (value) => [
        { name: "container-type", value: wordOf(value) === "none" ? ident("normal") : unknownValue },
      ],
    },
  ],
  ["columns", only("column-count", "auto")],
]);

const placeWords = words(
  "normal stretch start end center flex-start flex-end baseline space-between space-around space-evenly",
);

/** The first part of the value, if it is a single word. */
function firstOf(name: string): Split {
  return (value) => {
    const parts = componentsOf(value);
    const [first] = parts;
    const areWords = parts.length <= 2 && parts.every((part) => placeWords.has(wordOf(part)));
    return [{ name, value: first !== undefined && areWords ? first : unknownValue }];
  };
}

function stroke(value: Value, isQuirky: boolean): ReturnType<Split> {
  if (componentsOf(value).length > 2) return "unknown";
  const width = componentsOf(value).find((part) => colour(part, isQuirky) === "dropped");
  const shade = componentsOf(value).find((part) => colour(part, isQuirky) !== "dropped");
  return [
    { name: "-webkit-text-stroke-width", value: width ?? noLength },
    { name: "-webkit-text-stroke-color", value: shade ?? ident("currentcolor") },
  ];
}
