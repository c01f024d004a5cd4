/** Elements that browsers draw as a whole: pictures and controls (H30). They stand in lines, in their own place. Lengths are in CSS
 *  pixels. */
import { asciiLower } from "#/src/formats/css/ascii-case.ts";
import { windowMost } from "#/src/formats/css/media.ts";
import type { Doubt } from "#/src/model/removal.ts";
import { insideOf, isBound, outsideOf } from "./box.ts";
import { keepsLine, type Lines } from "./demand.ts";
import { heldHeight, type PictureSizes } from "./held-pictures.ts";
import { reachOfLetters } from "./ink.ts";
import { edge, farAway, farBelow, type Part } from "./part.ts";
import { textOf } from "./survey.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";
import { formElements, unseenElements } from "./user-agent.ts";
import type { Values } from "./values.ts";

/** Elements whose content is rendered in certain cases: fallbacks, and options outside of a control. */
export const drawnInside: ReadonlySet<string> = new Set([
  "option",
  "optgroup",
  "object",
  "applet",
  "picture",
  "noscript",
  "canvas",
]);

export function isReplaced(element: HtmlElement): boolean {
  return (
    formElements.has(element.name) ||
    unseenElements.has(element.name) ||
    !(element.isHtml || element.namespace.endsWith("MathML"))
  );
}

/** Elements that no browser leaves out. */
const surelyThere = /^(?:img|svg|video|canvas|iframe)$/;
const notShown = new Set("head title datalist rp noframes noembed".split(" "));

/** Lines or letters of a control. */
const controlMost = 60;

/** H30: pictures and controls stand in their own place. */
export function measureReplaced(
  element: HtmlElement,
  part: Part,
  values: Values,
  lines: Lines,
  { doubtPage, pictures }: { readonly doubtPage: (why: Doubt) => void; readonly pictures: PictureSizes },
): void {
  /** What is far too large pushes away what follows. */
  const pushes = (): void => {
    part.flaws = [...part.flaws, { reach: "below", why: "may-be-off-screen", px: 0 }];
  };
  const { name } = element;
  const { box, style, parent } = part;
  const isDrawing = !element.isHtml || name === "svg";
  if (!box.isInline && !box.isFloat && !box.display.startsWith("inline")) lines.end();
  const size = (side: "width" | "height"): number | undefined => {
    if (values.has(side))
      return side === "width" ? (box.width?.share === 0 ? box.width.px : undefined) : box.height;
    const text = attributeOf(element, side);
    // Of a drawing the attribute is a length with a unit.
    const form = isDrawing ? /^\s*\+?(\d+(?:\.\d+)?)(%?)(?:px)?\s*$/ : /^\s*\+?(\d+(?:\.\d+)?)(%?)/;
    const match = text === undefined ? null : form.exec(text);
    return match === null || match[2] === "%" ? undefined : Number(match[1]);
  };
  const [width, height] = [size("width"), size("height")];
  const [asked, tall] = ["width", "height"].map((side) =>
    Number.parseFloat(attributeOf(element, side) ?? ""),
  );
  // Its attributes give a picture its proportions.
  if (height === undefined && asked! > 0 && tall! > 0 && (tall! / asked!) * (width ?? windowMost) > farBelow)
    pushes();
  if (Math.max(width ?? 0, box.minWidth) > farAway || Math.max(height ?? 0, box.minHeight) > farBelow)
    pushes();
  const hasProportions = isDrawing && element.attributes.some((one) => asciiLower(one.name) === "viewbox");
  const isWide =
    ["width", "min-width"].some((one) => values.has(one)) || attributeOf(element, "width") !== undefined;
  const widest = Math.max(width ?? (isWide ? windowMost : 0), box.minWidth);
  const high = height ?? heldHeight(element, widest, pictures);
  const held = hasProportions || high === undefined;
  if ((high ?? 0) > farBelow) pushes();
  const isShown = !part.isSealed && style.isVisible && style.hidden === undefined;
  // What the message itself carries has a height of its own.
  if (held && height === undefined && isShown && box.display !== "none") pushes();
  if (isDrawing && (values.has("overflow-x") || attributeOf(element, "overflow") !== undefined) && isShown)
    doubtPage("may-be-covered");
  // Attributes of a drawing that are style, and what moves them, may take it from its place, or show it where it is hidden.
  const isOutermost = isDrawing && element.parent?.isHtml === true;
  if (isOutermost && (movesItself(element) || isMoved(element))) doubtPage("may-be-covered");
  // A picture that does not cut off is painted beyond its box (CSS Overflow 3, section 3.2); usually it cuts off.
  const isCut = ["overflow-x", "overflow-y"].every(
    (one) => !values.has(one) || values.word(one) === "hidden",
  );
  if (!isCut && isShown && /^(?:img|video|canvas)$/.test(name)) doubtPage("may-be-covered");
  // What browsers do not show unless it is told to be shown: nothing is known of what is in it.
  if (element.isHtml && notShown.has(name) && box.display !== "none") doubtPage("element-not-understood");
  for (const one of ["rows", "size", "cols"])
    if (Number.parseInt(attributeOf(element, one) ?? "", 10) > controlMost) doubtPage("may-be-off-screen");
  // A picture that is as wide as its box at most needs no room of its own.
  const isPicture = name === "img";
  const alt =
    isPicture && (width === undefined || height === undefined) ? (attributeOf(element, "alt") ?? "") : "";
  const wide = isBound(box)
    ? 0
    : Math.max(width ?? (isPicture ? 0 : controlWidth(element, style.fontSize)), box.minWidth);
  part.demand = wide + insideOf(box) + outsideOf(box);
  part.content = wide;
  part.high = surelyThere.test(name) ? Math.max(0, Math.min(height ?? 0, box.maxHeight ?? farAway)) : 0;
  part.paints &&= isShown;
  if (parent !== undefined) lines.box(part.demand, keepsLine(parent.style));
  if (alt !== "") lines.text(alt, style);
  // Words in its place, as those of the page (F3).
  const words = drawnInside.has(name) ? textOf(element) : alt;
  const far = reachOfLetters(words, style);
  if (!isShown || words.trim() === "") return;
  if (drawnInside.has(name) && (box.height ?? box.maxHeight) !== undefined) doubtPage("may-be-covered");
  if (far > edge)
    part.flaws = [
      ...part.flaws,
      ...(["over", "after"] as const).map((reach) => ({ reach, why: "may-be-covered" as const, px: far })),
    ];
}

const movingAttributes = /^(?:transform|transform-origin|filter|display)$/;
const animations = /^(?:set|animate|animatetransform|animatemotion|discard)$/;

function movesItself({ attributes }: HtmlElement): boolean {
  return attributes.some(({ name }) => movingAttributes.test(name.toLowerCase()));
}

/** Whether an animation in it may be one of the drawing as a whole: of its parent, or of what it names. */
function isMoved(drawing: HtmlElement): boolean {
  const isIn = (element: HtmlElement): boolean =>
    element.children.some(
      (child) =>
        child.kind === "element" &&
        ((animations.test(child.name.toLowerCase()) &&
          (element === drawing || child.attributes.some(({ name }) => name.endsWith("href")))) ||
          isIn(child)),
    );
  return isIn(drawing);
}

function controlWidth(element: HtmlElement, fontSize: number): number {
  const letters = Number.parseInt(attributeOf(element, "size") ?? attributeOf(element, "cols") ?? "", 10);
  const letterWidth = Math.max(16, fontSize * 1.2);
  const inside = element.name === "select" ? textOf(element).length * letterWidth : 0;
  return Math.max(300, letterWidth * 25, letters >= 0 ? letters * letterWidth : 0, inside);
}
