/** H32: a layer below. An empty box with a `z-index` below zero that fills the box around it, where that one has a `z-index` of its own,
 *  is painted above the background of that box and below all else in it (CSS 2.2 appendix E). So it is one more background of that box. */
import type { Colour } from "#/src/formats/css/colour.ts";
import { type Box, boxOf, displayOf } from "./box.ts";
import type { Cascade } from "./cascade.ts";
import { behindOf } from "./colours.ts";
import type { Style } from "./computed-style.ts";
import { coloursMax, mix, union } from "./contrast.ts";
import { type Made, opacityOf } from "./element-style.ts";
import { lettersOf } from "./letters.ts";
import type { HtmlElement } from "./tree.ts";
import { Values } from "./values.ts";

interface Layer {
  readonly element: HtmlElement;
  /** The colours where it lies. */
  readonly backdrops: readonly Colour[];
}

/** What is made of an element with the layer that is in it, which is added to `layers`. */
export function withLayerBelow(
  { name, children }: HtmlElement,
  made: Made,
  values: Values,
  cascade: Cascade,
  layers: Set<HtmlElement>,
): Pick<Made, "behind" | "style"> {
  const { box, behind, style } = made;
  if (!holdsLayers(values, box) || name === "html" || name === "body" || style.shownThrough !== undefined)
    return made;
  const found = children.flatMap((child) =>
    child.kind === "element" && isEmptyBox(child) ? (layerOf(child, style, cascade) ?? []) : [],
  );
  const [layer] = found;
  if (layer === undefined || found.length > 1) return made;
  const { element, backdrops } = layer;
  const around = union(style.around, backdrops);
  if (around.length > coloursMax) return made;
  layers.add(element);
  return {
    behind: { ...behind, paints: true, backdrops: union(behind.backdrops, backdrops) },
    style: { ...style, backdrops, around },
  };
}

/** Whether the box is painted as a whole with what is in it, and what it holds is placed in it. */
function holdsLayers(values: Values, { position, display, isFloat, clips }: Box): boolean {
  const layer = values.get("z-index")?.[0];
  return (
    position === "relative" &&
    layer?.type === "number" &&
    layer.number >= 0 &&
    (display === "block" || display === "table-cell") &&
    !isFloat &&
    !clips &&
    !["position", "z-index", "display", "float", "overflow-x", "overflow-y"].some((one) =>
      values.isUnsure(one),
    )
  );
}

function isEmptyBox({ name, children }: HtmlElement): boolean {
  return (
    (name === "div" || name === "span") &&
    children.every(
      (child) => child.kind !== "element" && (child.kind !== "text" || /^[ \t\n\f\r]*$/.test(child.text)),
    )
  );
}

function layerOf(element: HtmlElement, around: Style, cascade: Cascade): Layer | undefined {
  const { isQuirky } = cascade;
  const values = new Values(cascade.styleOf(element), around, element, cascade);
  const layer = values.get("z-index")?.[0];
  if (values.word("position") !== "absolute" || layer?.type !== "number" || layer.number >= 0)
    return undefined;
  const letters = lettersOf(element, values, around, { isQuirky });
  const box = boxOf(element, values, letters, displayOf(element, values, true), isQuirky);
  if (!letters.isVisible || !isWhole(values, box)) return undefined;
  const backdrops = around.backdrops.flatMap((below) => {
    const found = behindOf(
      element,
      values,
      letters,
      box,
      { ...around, backdrops: [below] },
      { isQuirky, isOfCanvas: false },
    );
    return found.isKnown && found.paints
      ? found.backdrops.map((one) => mix(one, below, opacityOf(values)))
      : [];
  });
  const all = union([], backdrops);
  return all.length === 0 || all.length > coloursMax ? undefined : { element, backdrops: all };
}

/** Whether the box fills the one around, and paints nothing but its background. */
function isWhole(values: Values, { display, inset, width, ...box }: Box): boolean {
  const { declared, unclear, unsureNames } = values;
  const isUnset = (name: string): boolean =>
    !values.has(name) || values.isInitial(name) || ["auto", "none", "visible"].includes(values.word(name));
  return (
    display === "block" &&
    unclear.length + unsureNames.length + declared.parts.size === 0 &&
    !declared.paintsElsewhere &&
    inset.every((size) => typeof size === "object" && size.px === 0 && size.share === 0) &&
    (width === undefined || (width.px === 0 && width.share === 1)) &&
    boundNames.every(isUnset) &&
    values.word("background-clip") !== "text" &&
    [box.margin, box.padding, box.border].every((sides) => Object.values(sides).every((px) => px === 0)) &&
    box.sideShare + box.tallShare + box.corner === 0
  );
}

const boundNames = "height min-width min-height max-width max-height box-shadow content-visibility".split(
  " ",
);
