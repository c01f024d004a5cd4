/** Fonts of a PDF as pdf.js has read them: what they draw for each letter. */
import { isFontOfSigns } from "./docx-letters.ts";
import type { Ink, Outline } from "./letter-shapes.ts";

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
  /** undefined if the font has none for it. */
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

export function fontOf(objects: FontObjects, name: string): PageFont {
  const font = objects.has(name) ? (objects.get(name) as ReadFont) : undefined;
  const matrix = font?.fontMatrix ?? thousandth;
  return {
    name,
    isDrawn: font === undefined || font.isType3Font === true,
    isMissing: font?.missingFile === true,
    isOfSigns: font?.missingFile === true && isNameOfSigns(font.name ?? ""),
    unit: matrix[0] ?? 0.001,
    outlineOf({ fontChar }) {
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

/** Of an outline, in ems; undefined if it has no points. */
export function inkOf(outline: Outline): Ink | undefined {
  const ink = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };
  for (let at = 0; at < outline.length; ) {
    const count = [2, 2, 6, 4, 0][outline[at++]!];
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
