/** What a page of a PDF paints, in order, from the operators of pdf.js: pieces of text with what decides whether they are seen, and
 *  everything else as boxes. Coordinates are those of the page (ISO 32000-1 section 8.3), before it is turned. */

import {
  type Box,
  boxOf,
  identity,
  intersection,
  isUpright,
  type Matrix,
  matrixOf,
  multiply,
  point,
  subpaths,
  transformed,
  unionOf,
  widened,
} from "./pdf-geometry.ts";

/** A box that something opaque or not is painted into. `colour` is undefined for pictures and patterns. */
export interface Paint {
  readonly kind: "fill" | "line" | "picture" | "text";
  readonly box: Box;
  readonly colour: string | undefined;
  readonly alpha: number;
  /** It fills all of its box. */
  readonly isWhole: boolean;
  /** Its place among all paints. */
  readonly at: number;
  /** Of text: what it says. */
  readonly text?: string;
  /** Of text: pixels of an em, of lines: their width. */
  readonly size: number;
}

export interface TextRun extends Paint {
  readonly text: string;
  /** The ends of its base line. */
  readonly from: readonly [number, number];
  readonly to: readonly [number, number];
  /** Its letters are narrower than a third of what their height lets expect. */
  readonly isSqueezed: boolean;
  readonly mode: number;
  readonly clip: Box;
  /** It is cut by something else than a box, seen through a mask, or drawn by a font made of drawings. */
  readonly isUnclear: boolean;
  /** It belongs to a layer that is not shown. */
  readonly isLayerOff: boolean;
}

export interface PagePaint {
  readonly runs: readonly TextRun[];
  readonly paints: readonly Paint[];
}

export interface Operators {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

interface State {
  ctm: Matrix;
  fill: string | undefined;
  stroke: string | undefined;
  fillAlpha: number;
  strokeAlpha: number;
  /** Of the groups around. */
  groupAlpha: number;
  lineWidth: number;
  clip: Box;
  isUnclear: boolean;
  size: number;
  isDrawn: boolean;
  charSpacing: number;
  wordSpacing: number;
  scale: number;
  leading: number;
  rise: number;
  mode: number;
}

interface Glyph {
  readonly unicode: string;
  readonly width: number;
  readonly isSpace: boolean;
  readonly vmetric?: unknown;
}

const everywhere: Box = { left: -1e6, bottom: -1e6, right: 1e6, top: 1e6 };

/** `ops`: the numbers of the operators by name. `isFontDrawn`: of a font by name, whether its letters are drawings (Type 3).
 *  `isLayerOn`: whether the content of a layer is shown. */
export function paintOf(
  { fnArray, argsArray }: Operators,
  facts: {
    readonly ops: Readonly<Record<string, number>>;
    isFontDrawn(name: string): boolean;
    isLayerOn(properties: unknown): boolean;
  },
): PagePaint {
  const names = new Map(Object.entries(facts.ops).map(([name, number]) => [number, name]));
  const runs: TextRun[] = [];
  const paints: Paint[] = [];
  const saved: State[] = [];
  const layers: boolean[] = [];
  let state: State = {
    ctm: identity,
    fill: "#000000",
    stroke: "#000000",
    fillAlpha: 1,
    strokeAlpha: 1,
    groupAlpha: 1,
    lineWidth: 1,
    clip: everywhere,
    isUnclear: false,
    size: 0,
    isDrawn: false,
    charSpacing: 0,
    wordSpacing: 0,
    scale: 1,
    leading: 0,
    rise: 0,
    mode: 0,
  };
  let line: Matrix = identity;
  let text: Matrix = identity;
  let isClipping = false;
  let at = 0;

  const save = (): void => void saved.push({ ...state });
  const restore = (): void => {
    state = saved.pop() ?? state;
  };
  const paint = (one: Omit<Paint, "at">): void => {
    const box = intersection(one.box, state.clip);
    if (box !== undefined && one.alpha > 0) paints.push({ ...one, box, at: at++ });
  };
  const picture = (box: Box): void =>
    paint({
      kind: "picture",
      box,
      colour: undefined,
      alpha: state.fillAlpha * state.groupAlpha,
      isWhole: false,
      size: 0,
    });
  const clipTo = (box: Box, isBox: boolean): void => {
    state.clip = intersection(state.clip, box) ?? { left: 0, bottom: 0, right: 0, top: 0 };
    if (!isBox) state.isUnclear = true;
  };
  const moveLine = (x: number, y: number): void => {
    line = multiply(line, [1, 0, 0, 1, x, y]);
    text = line;
  };

  function show(glyphs: readonly (Glyph | number)[]): void {
    let x = 0;
    let first: number | undefined;
    let last = 0;
    let said = "";
    let isVertical = false;
    for (const glyph of glyphs) {
      if (typeof glyph === "number") {
        x -= (glyph * state.size * state.scale) / 1000;
        continue;
      }
      if (glyph === null || typeof glyph !== "object") continue;
      const wide = (glyph.width * state.size * state.scale) / 1000;
      if (glyph.unicode.trim() !== "") {
        first ??= x;
        last = x + wide;
        said += glyph.unicode;
      }
      isVertical ||= glyph.vmetric !== undefined && glyph.vmetric !== null;
      x += wide + (state.charSpacing + (glyph.isSpace ? state.wordSpacing : 0)) * state.scale;
    }
    const matrix = multiply(state.ctm, text);
    text = multiply(text, [1, 0, 0, 1, x, 0]);
    if (first === undefined) return;
    const { size, rise } = state;
    const tall = Math.hypot(matrix[2], matrix[3]) * Math.abs(size);
    const wide = Math.hypot(matrix[0], matrix[1]) * Math.abs(size * state.scale);
    const isStroked = state.mode === 1 || state.mode === 5;
    const letters: Box = {
      left: Math.min(first, last),
      right: Math.max(first, last),
      bottom: rise + Math.min(0, 0.55 * size),
      top: rise + Math.max(0, 0.55 * size),
    };
    const run: TextRun = {
      kind: "text",
      box: transformed(letters, matrix),
      colour: isStroked ? state.stroke : state.fill,
      alpha: (isStroked ? state.strokeAlpha : state.fillAlpha) * state.groupAlpha,
      isWhole: false,
      at: at++,
      text: said,
      from: point(matrix, first, rise),
      to: point(matrix, last, rise),
      size: Math.min(tall, wide * 3),
      isSqueezed: wide * 3 < tall,
      mode: state.mode,
      clip: state.clip,
      isUnclear: state.isUnclear || state.isDrawn || isVertical,
      isLayerOff: layers.includes(false),
    };
    runs.push(run);
    if (state.mode !== 3 && state.mode !== 7) paints.push(run);
    if (state.mode >= 4) state.isUnclear = true;
  }

  function path(operator: string, data: ArrayLike<number>): void {
    const parts = subpaths(data, state.ctm);
    if (isClipping) {
      isClipping = false;
      const whole = unionOf(parts.map(({ box }) => box));
      clipTo(whole ?? { left: 0, bottom: 0, right: 0, top: 0 }, parts.length === 1 && parts[0]!.isBox);
    }
    if (/fill/i.test(operator))
      for (const { box, isBox } of parts)
        paint({
          kind: "fill",
          box,
          colour: state.fill,
          alpha: state.fillAlpha * state.groupAlpha,
          isWhole: isBox,
          size: 0,
        });
    if (/stroke/i.test(operator)) {
      const scale = Math.sqrt(Math.abs(state.ctm[0] * state.ctm[3] - state.ctm[1] * state.ctm[2]));
      const size = state.lineWidth * scale;
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
          else if (key === "SMask") state.isUnclear ||= Boolean(value);
          else if (key === "BM") state.isUnclear ||= value !== "source-over" && value !== "normal";
          else if (key === "Font") [state.size, state.isDrawn] = [value[1], facts.isFontDrawn(value[0])];
        }
        break;
      case "beginText":
        line = identity;
        text = identity;
        break;
      case "setFont":
        state.size = args[1];
        state.isDrawn = facts.isFontDrawn(args[0]);
        break;
      case "setCharSpacing":
        state.charSpacing = args[0];
        break;
      case "setWordSpacing":
        state.wordSpacing = args[0];
        break;
      case "setHScale":
        state.scale = args[0] / 100;
        break;
      case "setLeading":
        state.leading = -args[0];
        break;
      case "setTextRise":
        state.rise = args[0];
        break;
      case "setTextRenderingMode":
        state.mode = args[0];
        break;
      case "moveText":
        moveLine(args[0], args[1]);
        break;
      case "setLeadingMoveText":
        state.leading = args[1];
        moveLine(args[0], args[1]);
        break;
      case "setTextMatrix":
        line = matrixOf(args);
        text = line;
        break;
      case "nextLine":
        moveLine(0, state.leading);
        break;
      case "showText":
        show(args[0]);
        break;
      case "setFillRGBColor":
        state.fill = colourOf(args);
        break;
      case "setStrokeRGBColor":
        state.stroke = colourOf(args);
        break;
      case "setFillColorN":
      case "setFillColor":
        state.fill = undefined;
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
        isClipping = true;
        break;
      case "constructPath":
        path(names.get(args[0]) ?? "", (args[1] as (ArrayLike<number> | null)[])[0] ?? []);
        break;
      case "paintFormXObjectBegin": {
        save();
        if (args[0] !== null && args[0] !== undefined) state.ctm = multiply(state.ctm, matrixOf([args[0]]));
        const box = args[1] as number[] | null | undefined;
        if (box) clipTo(transformed(boxOf(box), state.ctm), isUpright(state.ctm));
        break;
      }
      case "beginGroup":
        save();
        state.groupAlpha *= state.fillAlpha;
        state.fillAlpha = 1;
        state.strokeAlpha = 1;
        break;
      case "beginAnnotation":
        save();
        if (Array.isArray(args[2])) state.ctm = multiply(state.ctm, matrixOf([args[2]]));
        if (Array.isArray(args[3])) state.ctm = multiply(state.ctm, matrixOf([args[3]]));
        break;
      case "paintFormXObjectEnd":
      case "endGroup":
      case "endAnnotation":
        restore();
        break;
      case "beginMarkedContent":
        layers.push(true);
        break;
      case "beginMarkedContentProps":
        layers.push(args[0] !== "OC" || facts.isLayerOn(args[1]));
        break;
      case "endMarkedContent":
        layers.pop();
        break;
      case "paintImageXObject":
      case "paintInlineImageXObject":
      case "paintImageMaskXObject":
      case "paintSolidColorImageMask":
        picture(transformed({ left: 0, bottom: 0, right: 1, top: 1 }, state.ctm));
        break;
      case "shadingFill":
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

function colourOf(args: readonly unknown[]): string | undefined {
  const [first] = args;
  return typeof first === "string" && /^#[0-9a-f]{6}$/i.test(first) ? first : undefined;
}
