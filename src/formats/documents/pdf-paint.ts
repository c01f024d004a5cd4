/** What a page of a PDF paints, in order, from the operators of pdf.js: pieces of text with what decides whether they are seen, and
 *  everything else as boxes and shapes. Coordinates are those of the page (ISO 32000-1 section 8.3), before it is turned. */

import type { Drawing, Glyph, PageFont } from "./pdf-fonts.ts";
import {
  type Box,
  boxOf,
  identity,
  intersection,
  isAlone,
  isUpright,
  matrixOf,
  multiply,
  scaleOf,
  subpaths,
  transformed,
  unionOf,
  widened,
} from "./pdf-geometry.ts";
import { createLayers } from "./pdf-layers.ts";
import type { Operators, PagePaint, Paint, TextRun } from "./pdf-painted.ts";
import { type Placed, place } from "./pdf-runs.ts";
import { type Shape, shapesOfPage } from "./pdf-shapes.ts";
import {
  colourOf,
  everywhere,
  firstState,
  type Gradient,
  gradientOf,
  isDashed,
  isMixed,
  type State,
} from "./pdf-state.ts";
import { changeText } from "./pdf-text-state.ts";

/** Shapes that cut one piece of text or paint. */
const cutsMost = 20;
/** Drawings of letters in drawings of letters. */
const drawingsMost = 3;
/** Lines around letters of this share of an em hide none of them. */
const thinStroke = 0.06;

export interface PageFacts {
  /** The numbers of the operators by name. */
  readonly ops: Readonly<Record<string, number>>;
  fontOf(name: string): PageFont;
  /** What pdf.js has read of a pattern. */
  patternOf(name: string): unknown;
  /** Whether the content of a layer is shown. */
  isLayerOn(properties: unknown): boolean;
}

/** Of a transparency group (ISO 32000-1 section 11.6.6). */
interface GroupFacts {
  readonly bbox?: ArrayLike<number> | null;
  readonly matrix?: ArrayLike<number> | null;
  readonly smask?: unknown;
  readonly knockout?: unknown;
}

type DrawingBoxes = Map<Drawing["fnArray"], Box | undefined>;

/** `boxesAt`: of drawings in drawings, by how deep they are. */
export function paintOf(
  { fnArray, argsArray }: Operators,
  facts: PageFacts,
  depth = 0,
  boxesAt: readonly DrawingBoxes[] = Array.from({ length: drawingsMost + 1 }, () => new Map()),
): PagePaint {
  const names = new Map(Object.entries(facts.ops).map(([name, number]) => [number, name]));
  const runs: TextRun[] = [];
  const paints: Paint[] = [];
  const saved: State[] = [];
  /** How many states were saved where each form, group or annotation began. */
  const floors: number[] = [];
  const layers = createLayers();
  let state: State = firstState();
  let clipping: "clip" | "eoClip" | undefined;
  let at = 0;
  let annotation: string | undefined;
  /** Programs differ in whether a state that is taken back within a text takes its place back, too. */
  let isInText = false;
  let isPlaceUnclear = false;
  /** How many groups around make a mask. */
  let masks = 0;
  const groups: boolean[] = [];

  const save = (): void => {
    isPlaceUnclear ||= isInText;
    saved.push({ ...state });
  };
  const restore = (): void => {
    isPlaceUnclear ||= isInText;
    if (saved.length > (floors.at(-1) ?? 0)) state = saved.pop()!;
  };
  const begin = (): void => {
    save();
    floors.push(saved.length);
  };
  /** States that a form has saved and not taken back end with it. */
  const end = (): void => {
    saved.length = Math.min(saved.length, floors.pop() ?? 0);
    restore();
  };
  const paint = (one: Omit<Paint, "at" | "cuts">): void => {
    const box = intersection(one.box, state.clip);
    if (box === undefined || one.alpha <= 0 || layers.isOff() || masks > 0) return;
    const isKnown = !state.isCut && !isMixed(state);
    paints.push({
      ...one,
      box,
      isWhole: one.isWhole && isKnown,
      shape: isKnown ? one.shape : undefined,
      colour: isMixed(state) ? undefined : one.colour,
      gradient: isMixed(state) ? undefined : one.gradient,
      cuts: state.cuts,
      annotation,
      at: at++,
    });
  };
  const picture = (box: Box, gradient?: Gradient): void =>
    paint({
      kind: gradient === undefined ? "picture" : "fill",
      box,
      colour: undefined,
      gradient,
      alpha: state.fillAlpha * state.groupAlpha,
      isWhole: gradient?.isFull === true,
      size: 0,
    });
  const clipTo = (box: Box | undefined, isBox: boolean, shape?: Shape): void => {
    state.clip = (box && intersection(state.clip, box)) ?? { left: 0, bottom: 0, right: 0, top: 0 };
    if (isBox) return;
    if (shape === undefined || state.cuts.length >= cutsMost) state.isCut = true;
    else state.cuts = [...state.cuts, shape];
  };
  const shapeOf = shapesOfPage();
  const boxes = boxesAt[depth]!;
  /** Of a letter that is a drawing, in ems. */
  function drawingBox(drawing: Drawing): Box | undefined {
    if (!boxes.has(drawing.fnArray)) {
      const all = depth >= drawingsMost ? undefined : paintOf(drawing, facts, depth + 1, boxesAt).paints;
      const box = all === undefined ? everywhere : unionOf(all.map((one) => one.box));
      boxes.set(drawing.fnArray, box && transformed(box, matrixOf(drawing.matrix)));
    }
    return boxes.get(drawing.fnArray);
  }

  function show(said: readonly (Glyph | number | null)[]): void {
    const { advance, placed } = place(said, state, multiply(state.ctm, state.text), drawingBox);
    state.text = multiply(state.text, [1, 0, 0, 1, advance, 0]);
    const { mode } = state;
    for (const word of placed) showWord(word);
    // Letters without an outline cut off all that follows.
    if (mode >= 4 && said.some((one) => typeof one === "object" && one !== null)) state.isCut = true;
  }

  function showWord({ ink, isVertical, ...placed }: Placed): void {
    const { mode, font } = state;
    const isStroked = mode === 1 || mode === 5;
    const hasStroke = isStroked || mode === 2 || mode === 6;
    const stroke = hasStroke ? state.lineWidth * scaleOf(state.ctm) : 0;
    const isHiddenByStroke =
      hasStroke &&
      (isStroked
        ? state.isDashed || stroke > 4 * thinStroke * placed.size
        : state.stroke !== state.fill && stroke > thinStroke * placed.size);
    const run: TextRun = {
      ...placed,
      kind: "text",
      font,
      colour: isStroked ? state.stroke : state.fill,
      alpha: (isStroked ? state.strokeAlpha : state.fillAlpha) * state.groupAlpha,
      isWhole: false,
      at: at++,
      mode,
      clip: state.clip,
      cuts: state.cuts,
      annotation,
      isUnclear:
        state.isCut ||
        isPlaceUnclear ||
        layers.isUnclear() ||
        masks > 0 ||
        isMixed(state) ||
        font === undefined ||
        placed.letters.some((letter) => font.isDrawn && font.outlineOf(letter) === undefined) ||
        isVertical ||
        isHiddenByStroke,
      isLayerOff: layers.isOff(),
    };
    if (run.text !== "") runs.push(run);
    const box = ink && intersection(widened(ink, stroke / 2), state.clip);
    const isPainted = mode !== 3 && mode !== 7 && !run.isLayerOff && masks === 0;
    if (isPainted && box !== undefined)
      paints.push({ ...run, box, colour: isMixed(state) || stroke > 0 ? undefined : run.colour });
  }

  function path(operator: string, data: ArrayLike<number>): void {
    const parts = subpaths(data, state.ctm);
    const isBox = parts.length === 1 && parts[0]!.isBox;
    const shapeBy = (isEvenOdd: boolean): Shape | undefined =>
      isBox ? undefined : shapeOf(data, state.ctm, isEvenOdd);
    if (clipping !== undefined) {
      clipTo(unionOf(parts.map(({ box }) => box)), isBox, shapeBy(clipping === "eoClip"));
      clipping = undefined;
    }
    if (/fill/i.test(operator)) {
      const shape = shapeBy(/eo/i.test(operator));
      const { gradient } = state;
      const isFull = gradient?.isFull !== false;
      for (const part of parts)
        paint({
          kind: "fill",
          box: part.box,
          colour: state.fill,
          gradient,
          alpha: state.fillAlpha * state.groupAlpha,
          isWhole: part.isBox && isAlone(part, parts) && isFull,
          shape: isFull ? shape : undefined,
          size: 0,
        });
    }
    if (/stroke/i.test(operator)) {
      const size = state.lineWidth * scaleOf(state.ctm);
      for (const { lines } of parts)
        for (const box of lines)
          paint({
            kind: "line",
            box: widened(box, size / 2),
            colour: state.stroke,
            alpha: state.strokeAlpha * state.groupAlpha,
            isWhole: false,
            size,
          });
    }
  }

  for (const [index, number] of fnArray.entries()) {
    const args = argsArray[index] as never;
    const name = names.get(number) ?? "";
    changeText(state, name, args);
    switch (name) {
      case "save":
        save();
        break;
      case "restore":
        restore();
        break;
      case "transform":
        state.ctm = multiply(state.ctm, matrixOf(args));
        break;
      case "setLineWidth":
        state.lineWidth = args[0];
        break;
      case "setGState":
        for (const [key, value] of args[0] as [string, never][]) {
          if (key === "ca") state.fillAlpha = value;
          else if (key === "CA") state.strokeAlpha = value;
          else if (key === "LW") state.lineWidth = value;
          else if (key === "D") state.isDashed = isDashed(value);
          else if (key === "SMask") state.isMasked = Boolean(value);
          else if (key === "TR") state.isTransferred = Boolean(value);
          else if (key === "BM") state.isBlended = value !== "source-over" && value !== "normal";
          else if (key === "Font") [state.font, state.size] = [facts.fontOf(value[0]), value[1]];
        }
        break;
      case "setDash":
        state.isDashed = isDashed(args);
        break;
      case "endText":
        isInText = false;
        break;
      case "beginText":
        isInText = true;
        isPlaceUnclear = false;
        state.line = identity;
        state.text = identity;
        break;
      case "setFont":
        state.font = facts.fontOf(args[0]);
        state.size = args[1];
        break;
      case "showText":
        show(args[0]);
        break;
      case "setFillRGBColor":
        state.fill = colourOf(args);
        state.gradient = undefined;
        break;
      case "setStrokeRGBColor":
        state.stroke = colourOf(args);
        break;
      case "setFillColorN":
      case "setFillColor":
        state.fill = undefined;
        state.gradient =
          args[0] === "Shading" ? gradientOf(facts.patternOf(args[1]), matrixOf([args[2] ?? []])) : undefined;
        break;
      case "setStrokeColorN":
      case "setStrokeColor":
        state.stroke = undefined;
        break;
      case "setFillTransparent":
        state.fillAlpha = 0;
        break;
      case "setStrokeTransparent":
        state.strokeAlpha = 0;
        break;
      case "clip":
      case "eoClip":
        clipping = name;
        break;
      case "constructPath":
        path(names.get(args[0]) ?? "", (args[1] as (ArrayLike<number> | null)[])[0] ?? []);
        break;
      case "paintFormXObjectBegin": {
        begin();
        if (args[0] !== null && args[0] !== undefined) state.ctm = multiply(state.ctm, matrixOf([args[0]]));
        const box = args[1] as number[] | null | undefined;
        if (box) clipTo(transformed(boxOf(box), state.ctm), isUpright(state.ctm));
        // The box of a group is told with the group. Not all programs draw a form without one.
        else if (names.get(fnArray[index - 1]!) !== "beginGroup") state.isCut = true;
        layers.beginForm();
        break;
      }
      case "beginGroup": {
        begin();
        const { bbox, matrix, smask, knockout } = (args[0] ?? {}) as GroupFacts;
        const inner = multiply(state.ctm, matrixOf([matrix ?? identity]));
        if (bbox) clipTo(transformed(boxOf(bbox), inner), isUpright(inner));
        else state.isCut = true;
        // In a knockout group what is painted later takes the place of what lies below, however pale it is.
        state.isGroupMixed = isMixed(state) || Boolean(knockout);
        state.isBlended = false;
        state.isMasked = false;
        state.groupAlpha *= state.fillAlpha;
        state.fillAlpha = 1;
        state.strokeAlpha = 1;
        // What makes a mask is not painted itself.
        groups.push(Boolean(smask));
        if (groups.at(-1) === true) masks++;
        break;
      }
      case "beginAnnotation":
        begin();
        // It is painted in its place, whatever the page has left behind.
        state = { ...firstState(), clip: boxOf(args[1]) };
        annotation = args[0];
        if (Array.isArray(args[2])) state.ctm = multiply(state.ctm, matrixOf([args[2]]));
        if (Array.isArray(args[3])) state.ctm = multiply(state.ctm, matrixOf([args[3]]));
        break;
      case "paintFormXObjectEnd":
        layers.endForm();
        end();
        break;
      case "endGroup":
        if (groups.pop() === true) masks--;
        end();
        break;
      case "endAnnotation":
        annotation = undefined;
        end();
        break;
      case "beginMarkedContent":
        layers.open(true);
        break;
      case "beginMarkedContentProps":
        layers.open(args[0] !== "OC" || facts.isLayerOn(args[1]));
        break;
      case "endMarkedContent":
        layers.close();
        break;
      case "paintImageXObject":
      case "paintInlineImageXObject":
      case "paintImageMaskXObject":
      case "paintSolidColorImageMask":
        picture(transformed({ left: 0, bottom: 0, right: 1, top: 1 }, state.ctm));
        break;
      case "shadingFill":
        picture(state.clip, gradientOf(facts.patternOf(args[0]), state.ctm));
        break;
      case "rawFillPath":
      case "paintInlineImageXObjectGroup":
      case "paintImageXObjectRepeat":
      case "paintImageMaskXObjectRepeat":
      case "paintImageMaskXObjectGroup":
        picture(state.clip);
        break;
    }
  }
  return { runs, paints };
}
