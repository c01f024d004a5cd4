/** Backdrops (H15): all colours that may be behind the text of an element. A background counts alone only if its box is in flow and
 *  contains the text; otherwise the backdrops of the ancestors count too. */
import { black, type Colour, colourOf, over } from "#/src/formats/css/colour.ts";
import { insideOf, splitByComma } from "#/src/formats/css/tokens.ts";
import {
  addressOf,
  componentsOf,
  isGradient,
  isHeld,
  type Value,
  wordOf,
} from "#/src/formats/css/value-forms.ts";
import type { Style } from "./computed-style.ts";
import { coloursMax, holds, union } from "./contrast.ts";

export interface Background {
  readonly colour: Colour;
  readonly image: Value | undefined;
  readonly isOnLetters: boolean;
  /** The background is positioned or sized, so it may leave parts of the box free. */
  readonly isPlaced: boolean;
}

export interface BackgroundPlace {
  readonly isInline: boolean;
  readonly isFloating: boolean;
  /** The box is raised or lowered in its line. */
  readonly isRaised: boolean;
  /** The background is that of the page (`html`, or `body`). */
  readonly isRoot: boolean;
  readonly current: Colour;
  readonly fontSize: number;
}

export type Backdrops = Pick<Style, "backdrops" | "around" | "lineBackground" | "shownThrough"> & {
  readonly isKnown: boolean;
  /** It has a background. */
  readonly paints: boolean;
};

/** Number of colours between two stops of a gradient that are compared. */
const steps = 12;

export function backdropsOf(
  background: Background,
  parent: Pick<Style, "backdrops" | "around" | "lineBackground" | "shownThrough" | "display">,
  place: BackgroundPlace,
): Backdrops {
  let behind = parent.backdrops;
  let { lineBackground } = parent;
  // Larger text, blocks and boxes extend beyond the background of an inline box.
  if (
    lineBackground !== undefined &&
    (!place.isInline || place.isRaised || place.fontSize > lineBackground.fontSize * 1.05)
  ) {
    behind = union(behind, lineBackground.behind);
    lineBackground = undefined;
  }
  // `background-clip: text` clips the background to the text in flow.
  const isShownThrough = parent.shownThrough !== undefined;
  const leavesBox =
    place.isFloating || place.isRaised || (!place.isInline && parent.display.startsWith("inline"));
  // A box that contains only floats has no height.
  if (place.isFloating) behind = union(behind, parent.around);
  const layers = layersOf(background, place.current);
  if (layers.length === 0)
    return {
      backdrops: behind,
      around: parent.around,
      lineBackground,
      shownThrough: parent.shownThrough,
      isKnown: !(isShownThrough && leavesBox),
      paints: false,
    };
  const isKnown = layers.every((layer) => layer !== undefined);
  let own = behind;
  for (const layer of layers)
    if (layer !== undefined) own = cover(own, layer.colours, background.isPlaced && layer.isPicture);
  if (own.length > coloursMax)
    return {
      backdrops: own.slice(0, coloursMax),
      around: parent.around,
      lineBackground,
      shownThrough: parent.shownThrough,
      isKnown: false,
      paints: true,
    };
  if (background.isOnLetters)
    return {
      backdrops: behind,
      around: parent.around,
      lineBackground,
      shownThrough: own,
      isKnown: isKnown && !place.isRoot,
      paints: true,
    };
  const around = union(parent.around, own);
  return {
    backdrops: own,
    around: around.length > coloursMax ? around.slice(0, coloursMax) : around,
    lineBackground: place.isInline ? { fontSize: place.fontSize, behind } : undefined,
    shownThrough: undefined,
    isKnown: isKnown && around.length <= coloursMax,
    paints: true,
  };
}

interface Layer {
  readonly colours: readonly Colour[];
  /** A gradient, which may be positioned and sized. */
  readonly isPicture: boolean;
}

/** The layers of a background, the lowest first; undefined for a picture that is loaded but not decoded. */
function layersOf({ colour, image }: Background, current: Colour): (Layer | undefined)[] {
  const layers: (Layer | undefined)[] = colour[3] === 0 ? [] : [{ colours: [colour], isPicture: false }];
  if (image === undefined) return layers;
  for (const layer of splitByComma(image).reverse()) {
    if (wordOf(layer) === "none") continue;
    const address = addressOf(layer);
    if (address !== undefined) {
      if (isHeld(address)) layers.push(undefined);
      continue;
    }
    const colours = isGradient(layer) ? gradientColours(layer, current) : undefined;
    layers.push(colours && { colours, isPicture: true });
  }
  return layers;
}

function cover(under: readonly Colour[], layer: readonly Colour[], isPartial: boolean): readonly Colour[] {
  let shown: readonly Colour[] = isPartial ? under : [];
  for (const colour of layer)
    shown = union(
      shown,
      under.map((below) => over(colour, below)),
    );
  return shown;
}

/** The colours of the stops and some between them; undefined if there are too many stops. */
function gradientColours(gradient: Value, current: Colour): readonly Colour[] | undefined {
  const stops: Colour[] = [];
  for (const stop of splitByComma(insideOf(gradient)))
    for (const part of componentsOf(stop)) {
      const colour = colourOf(part, current, false);
      if (colour !== undefined) stops.push(colour);
    }
  const all: Colour[] = [];
  for (const [index, stop] of stops.entries()) {
    if (!holdsSame(all, stop)) all.push(stop);
    const next = stops[index + 1];
    for (let step = 1; next !== undefined && step < steps && all.length <= coloursMax; step++) {
      const colour = between(stop, next, step / steps);
      if (!holdsSame(all, colour)) all.push(colour);
    }
    if (all.length > coloursMax) return undefined;
  }
  return all;
}

function holdsSame(colours: readonly Colour[], colour: Colour): boolean {
  return holds(colours, colour) && colours.every((one) => one[3] === colour[3]);
}

function between(one: Colour, other: Colour, share: number): Colour {
  const channel = (index: number): number => one[index]! * (1 - share) + other[index]! * share;
  return [channel(0), channel(1), channel(2), channel(3)];
}

/** The colours of text and background that the style sheets of browsers give to elements. */
export const ownColours: ReadonlyMap<string, { readonly ink: Colour; readonly background: Colour }> = new Map(
  [
    ["mark", { ink: black, background: [255, 255, 0, 1] }],
    ["button", { ink: black, background: [239, 239, 239, 1] }],
  ],
);
