/** What a person sees of an element that no text of the page holds: words in the place of a picture, in a drawing, in a field, on a
 *  button, and those that style writes before or after what an element holds. Each with the style that its letters have. What is not surely seen as a
 *  whole is no note. Lengths are in CSS pixels. */
import { black, type Colour, colourOf, white } from "#/src/formats/css/colour.ts";
import { wordOf } from "#/src/formats/css/value-forms.ts";
import { cleanText } from "#/src/formats/text/clean-text.ts";
import type { NoteKind } from "#/src/formats/text/own-lines.ts";
import type { Cascade, DeclaredStyle } from "./cascade.ts";
import type { Style } from "./computed-style.ts";
import { isInCorner } from "./corners.ts";
import { wordsOfDrawing } from "./drawing.ts";
import { widthOf } from "./fonts.ts";
import type { Part } from "./part.ts";
import { textIn } from "./pseudo.ts";
import { textOf } from "./survey.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";
import { formElements } from "./user-agent.ts";

export interface Note {
  readonly kind: NoteKind;
  readonly words: string;
  readonly style: Style;
}

const wordsMax = 500;

export function notesOf(part: Part, declared: DeclaredStyle, cascade: Cascade): readonly Note[] {
  const { element, style } = part;
  if (element === undefined) return [];
  const note = (kind: NoteKind, text: string | undefined, letters: Style): Note[] => {
    const words = (text ?? "").slice(0, wordsMax).replace(/\s+/g, " ").trim();
    const hasWords = cleanText(words, () => {}).trim() !== "";
    return hasWords ? [{ kind, words, style: letters }] : [];
  };
  if ((element.name === "img" || element.name === "svg") && isInCorner(part)) return [];
  if (element.name === "img") return note("picture", wordsOfPicture(element, part), style);
  if (element.name === "svg")
    return wordsOfDrawing(element, part, cascade, isPlain(declared) && !declared.values.has("width")).flatMap(
      (one) => note("drawing", one.words, one.style),
    );
  if (formElements.has(element.name)) {
    if (part.flaws.length > 0 || !isPlain(declared)) return [];
    const isButton = element.name === "input" && buttons.has(attributeOf(element, "type") ?? "");
    const letters = lettersOfField(style, isButton);
    return note(isButton ? "button" : "field", wordsOfField(element, part, letters, isButton), letters);
  }
  return (["before", "after"] as const).flatMap((name) => {
    const said = declared.parts.get(name);
    return said === undefined || declared.unsureParts.has(name)
      ? []
      : note(name, ...wordsOfStyle(said, style));
  });
}

/** The sign of a picture that is not there, and the room around it. */
const pictureSign = 20;

/** In the place of a picture of a known size its words have to fit. */
function wordsOfPicture(element: HtmlElement, { box, style }: Part): string | undefined {
  const size = (side: "width" | "height"): number =>
    box[side] === undefined
      ? Number.parseInt(attributeOf(element, side) ?? "", 10)
      : typeof box[side] === "number"
        ? box[side]
        : box[side].px;
  const most = (limit: number | undefined, known: number): number =>
    limit === undefined ? known : Math.min(limit, known >= 0 ? known : limit);
  const maxWidth = box.maxWidth === undefined || box.maxWidth.share >= 1 ? undefined : box.maxWidth.px;
  const { padding, border, isBorderBox } = box;
  const within = (px: number, ...sides: readonly number[]): number =>
    isBorderBox ? px - sides.reduce((sum, side) => sum + side, 0) : px;
  const wide = within(most(maxWidth, size("width")), padding.left, padding.right, border.left, border.right);
  const high = within(
    most(box.maxHeight, size("height")),
    padding.top,
    padding.bottom,
    border.top,
    border.bottom,
  );
  const words = attributeOf(element, "alt");
  const isLimited = maxWidth !== undefined || box.maxHeight !== undefined;
  if (words === undefined || (!isLimited && (Number.isNaN(wide) || Number.isNaN(high)))) return words;
  // Its words are lines of their own (HTML, "Rendering", section 15.4.3): an indent is theirs, and so are ends of lines.
  if (style.textIndent !== 0 || (style.whiteSpace.startsWith("pre") && /[\n\r]/.test(words)))
    return undefined;
  const isHigh = !(high < Math.max(style.lineHeight, style.fontSize * 1.4));
  return isHigh && !(widthOf(words, style) > wide - pictureSign) ? words : undefined;
}

const buttons = new Set(["submit", "reset", "button"]);
const lines = new Set(["", "text", "search", "email", "url", "tel"]);
const plainNames =
  /^(?:margin-(?:top|right|bottom|left)|border-(?:top|right|bottom|left)-(?:width|style)|vertical-align|width)$/;

/** Nothing is said of a field or a drawing that changes its letters, its ground, or the room in it. */
function isPlain({ values, doubts, unsure, parts }: DeclaredStyle): boolean {
  return (
    doubts.length === 0 &&
    unsure.size === 0 &&
    parts.size === 0 &&
    [...values.keys()].every((name) => plainNames.test(name))
  );
}

/** Fields inherit no size and no colour (HTML, "Rendering", section 15.5.2). */
function lettersOfField(style: Style, isButton: boolean): Style {
  const ground: Colour = isButton ? [239, 239, 239, 1] : white;
  return {
    ...style,
    fontSize: 40 / 3,
    lineHeight: 16,
    letterSpacing: 0,
    wordSpacing: 0,
    isThin: false,
    isHairline: false,
    isSizeSaid: true,
    colour: black,
    visitedColour: undefined,
    backdrops: [ground],
  };
}

/** The width of a letter of a field, and the greatest of a button. */
const letterWide = 6;
const lettersUsual = 20;
const buttonMost = 500;

function wordsOfField(
  element: HtmlElement,
  { box }: Part,
  letters: Style,
  isButton: boolean,
): string | undefined {
  const { name } = element;
  const at = (attribute: string): string => attributeOf(element, attribute) ?? "";
  let words: string | undefined;
  if (name === "input" && (isButton || lines.has(at("type").toLowerCase())))
    words = at("value") || (isButton ? "" : at("placeholder"));
  else if (name === "textarea") words = textOf(element) || at("placeholder");
  else if (name === "select" && at("size") === "" && attributeOf(element, "multiple") === undefined)
    words = choiceOf(element);
  if (words === undefined || /[\n\r]/.test(words)) return undefined;
  const letterCount = Number.parseInt(at(name === "textarea" ? "cols" : "size"), 10) || lettersUsual;
  const room = box.width?.px ?? (isButton || name === "select" ? buttonMost : letterCount * letterWide);
  return (box.width?.share ?? 0) === 0 && widthOf(words, letters) <= room ? words : undefined;
}

/** What a closed list shows: the option that is selected, or the first. */
function choiceOf({ children }: HtmlElement): string | undefined {
  const options = children.filter((child) => child.kind === "element");
  const isUsual = options.every(
    ({ name, attributes }) =>
      name === "option" && attributes.every((one) => one.name === "value" || one.name === "selected"),
  );
  const chosen = options.findLast((one) => attributeOf(one, "selected") !== undefined) ?? options[0];
  return isUsual && chosen !== undefined ? textOf(chosen) : undefined;
}

const harmlessOfParts = /^(?:content|clear|box-sizing|(?:margin|padding)(?:-(?:top|right|bottom|left))?)$/;

/** Of a part before or after: one text with a letter or a digit in it, of which nothing is said but its place and one colour. */
function wordsOfStyle(
  declarations: NonNullable<ReturnType<DeclaredStyle["parts"]["get"]>>,
  style: Style,
): [words: string | undefined, style: Style] {
  let words: string | undefined;
  let colour: Colour | undefined;
  for (const { property, value } of declarations) {
    const text = property === "content" ? textIn(value) : undefined;
    const shade = property === "color" ? colourOf(value, style.colour, false) : undefined;
    const isShown = property === "display" && /^(?:block|inline|inline-block|table)$/.test(wordOf(value));
    if (property === "content" && (text === undefined || (words ?? text) !== text)) return [undefined, style];
    if (property === "color" && (shade === undefined || colour !== undefined)) return [undefined, style];
    if (property !== "color" && !isShown && !harmlessOfParts.test(property)) return [undefined, style];
    words = text ?? words;
    colour = shade ?? colour;
  }
  const letters = colour === undefined ? style : { ...style, colour, visitedColour: undefined };
  return [words !== undefined && /[\p{L}\p{N}]/u.test(words) ? words : undefined, letters];
}
