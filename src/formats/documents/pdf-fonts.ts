/** Fonts of a PDF as pdf.js has read them: what they draw for each letter. */
import { isFontOfSigns } from "./docx-letters.ts";
import type { Ink, Outline } from "./letter-shapes.ts";
import { type Matrix, matrixOf, multiply, numbersOfOperator, point } from "./pdf-geometry.ts";

/** A letter in an operator that shows text. */
export interface Glyph {
  readonly unicode: string;
  readonly width: number;
  readonly isSpace: boolean;
  readonly vmetric?: unknown;
  /** Its name in the font. */
  readonly fontChar: string;
  /** Of a font whose letters are drawings: the name of its drawing. */
  readonly operatorListId?: string | null;
  /** Of a font with outlines: whether it has one. */
  readonly isInFont?: boolean;
}

export interface PageFont {
  /** The same font has the same name on all pages. */
  readonly name: string;
  /** Its letters are drawings (Type 3). A font that is not known counts as such. */
  readonly isDrawn: boolean;
  /** The document does not have it: a program draws the letters by their names. */
  readonly isMissing: boolean;
  /** It draws signs for letters. */
  readonly isOfSigns: boolean;
  /** Ems of a unit of width. */
  readonly unit: number;
  /** undefined if the font has none for it. Of a drawing: if it is nothing but an outline. */
  outlineOf(glyph: Glyph): Outline | undefined;
  drawingOf(glyph: Glyph): Drawing | undefined;
}

export interface Drawing {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
  /** From units of the drawing to ems. */
  readonly matrix: readonly number[];
}

/** Of a page, or of all pages. */
export interface FontObjects {
  has(name: string): boolean;
  get(name: string): unknown;
}

interface ReadFont {
  readonly name?: string;
  readonly isType3Font?: boolean;
  readonly missingFile?: boolean;
  readonly fontMatrix?: readonly number[];
  readonly charProcOperatorList?: Readonly<Record<string, Omit<Drawing, "matrix">>>;
}

const thousandth = [0.001, 0, 0, 0.001, 0, 0];

/** `ops`: the numbers of the operators by name. */
export function fontOf(objects: FontObjects, name: string, ops: Readonly<Record<string, number>>): PageFont {
  const font = objects.has(name) ? (objects.get(name) as ReadFont) : undefined;
  const matrix = font?.fontMatrix ?? thousandth;
  const outlines = new Map<Drawing["fnArray"], Outline | undefined>();
  return {
    name,
    isDrawn: font === undefined || font.isType3Font === true,
    isMissing: font?.missingFile === true,
    isOfSigns: font?.missingFile === true && isNameOfSigns(font.name ?? ""),
    unit: matrix[0] ?? 0.001,
    outlineOf(glyph) {
      if (font?.isType3Font === true) {
        const drawing = this.drawingOf(glyph);
        if (drawing !== undefined && !outlines.has(drawing.fnArray))
          outlines.set(drawing.fnArray, drawnOutline(drawing, ops));
        return drawing && outlines.get(drawing.fnArray);
      }
      const { fontChar, isInFont } = glyph;
      if (isInFont === false) return undefined;
      const path = `${name}_path_${fontChar}`;
      return objects.has(path) ? (objects.get(path) as { readonly path: Outline }).path : undefined;
    },
    drawingOf({ operatorListId }) {
      const drawing = font?.charProcOperatorList?.[operatorListId ?? ""];
      return drawing && { fnArray: drawing.fnArray, argsArray: drawing.argsArray, matrix };
    },
  };
}

/** pdf.js knows what Symbol and ZapfDingbats draw. */
function isNameOfSigns(name: string): boolean {
  const plain = name
    .replace(/^[A-Z]{6}\+/, "")
    .split(/[,-]/, 1)[0]!
    .toLowerCase();
  return isFontOfSigns(plain) && !/^(?:symbol|zapf ?dingbats)$/.test(plain);
}

const inks = new WeakMap<Outline, Ink | undefined>();

/** Of an outline, in ems; undefined if it has no points. It is measured once. */
export function inkOf(outline: Outline): Ink | undefined {
  if (!inks.has(outline)) inks.set(outline, measured(outline));
  return inks.get(outline);
}

function measured(outline: Outline): Ink | undefined {
  const ink = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };
  for (let at = 0; at < outline.length; ) {
    const count = numbersOfOperator[outline[at++]!];
    if (count === undefined) return undefined;
    for (const end = at + count; at < end; at += 2) {
      ink.left = Math.min(ink.left, outline[at]!);
      ink.right = Math.max(ink.right, outline[at]!);
      ink.bottom = Math.min(ink.bottom, outline[at + 1]!);
      ink.top = Math.max(ink.top, outline[at + 1]!);
    }
  }
  return ink.left < ink.right && ink.bottom < ink.top ? ink : undefined;
}

/** The outline that a drawing fills with the colour of the text (ISO 32000-1 section 9.6.5, operator d1). */
function drawnOutline(
  { fnArray, argsArray, matrix }: Drawing,
  ops: Readonly<Record<string, number>>,
): Outline | undefined {
  const outline: number[] = [];
  const saved: Matrix[] = [];
  let current = matrixOf([matrix]);
  for (const [at, operator] of fnArray.entries()) {
    const args = argsArray[at] as readonly unknown[];
    if (at === 0 && operator === ops.setCharWidthAndBounds) continue;
    if (at === 0) return undefined;
    if (operator === ops.save) saved.push(current);
    else if (operator === ops.restore) current = saved.pop() ?? current;
    else if (operator === ops.transform) current = multiply(current, matrixOf(args));
    else if (operator === ops.constructPath && isFill(args[0], ops))
      moveOutline((args[1] as readonly (ArrayLike<number> | null)[])[0] ?? [], current, outline);
    else if (operator !== ops.dependency) return undefined;
  }
  return outline;
}

function isFill(operator: unknown, ops: Readonly<Record<string, number>>): boolean {
  return [ops.fill, ops.eoFill, ops.rawFillPath].includes(operator as number);
}

function moveOutline(from: ArrayLike<number>, matrix: Matrix, to: number[]): void {
  for (let at = 0; at < from.length; ) {
    const operator = from[at++]!;
    to.push(operator);
    for (const end = at + (numbersOfOperator[operator] ?? from.length); at < end; at += 2)
      to.push(...point(matrix, from[at] ?? Number.NaN, from[at + 1] ?? Number.NaN));
  }
}
