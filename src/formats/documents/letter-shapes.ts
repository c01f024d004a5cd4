/** What an outline looks like: laid on a grid in the box around it, and compared with the same letter in usual fonts. A font says itself
 *  which letters its outlines are; this asks the outlines. */
import { shapeTable } from "./letter-shape-table.ts";
import { numbersOfOperator } from "./pdf-geometry.ts";

/** Operators and points of a path in ems. */
export type Outline = ArrayLike<number>;

export interface Ink {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

export interface Shape {
  readonly ink: Ink;
  /** Of each cell of the grid, row by row from the bottom, the share that is inked. */
  readonly cells: Float32Array;
}

const gridSide = 8;
const cellCount = gridSide * gridSide;
/** Lines through each row of cells, on which the ink is measured. */
const scansOfRow = 3;
const stepsOfCurve = 6;
/** Numbers of one outline; a longer one has no shape here. */
const outlineMax = 6000;
/** Weight of a shape's proportions beside its cells. */
const proportionWeight = 0.9;

/** Letters and digits with a usual shape; those that fonts draw alike are one. */
export const shapedLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const alike: Readonly<Record<string, string>> = { i: "l", "1": "l", "0": "o" };

/** The same for letters that look alike in one font or another: large and small ones too. */
export function letterClass(letter: string): string {
  const small = letter.toLowerCase();
  return alike[small] ?? small;
}

/** The octets of a shape in the table: 4 cells each, then the proportions. */
const octetsOfShape = cellCount / 4 + 1;

interface Known {
  readonly cells: Float32Array;
  readonly proportion: number;
}

const known: ReadonlyMap<string, readonly Known[]> = readTable();

function readTable(): ReadonlyMap<string, readonly Known[]> {
  const octets = Buffer.from(shapeTable.join(""), "base64");
  const found = new Map<string, Known[]>();
  const fonts = Math.floor(octets.length / octetsOfShape / shapedLetters.length);
  for (let font = 0; font < fonts; font++)
    for (const [at, letter] of [...shapedLetters].entries()) {
      const start = (font * shapedLetters.length + at) * octetsOfShape;
      const cells = Float32Array.from(
        { length: cellCount },
        (_, cell) => ((octets[start + (cell >> 2)]! >> (2 * (cell & 3))) & 3) / 3,
      );
      const name = letterClass(letter);
      const proportion = octets[start + octetsOfShape - 1]! / 32 - 4;
      const all = found.get(name);
      if (all === undefined) found.set(name, [{ cells, proportion }]);
      else all.push({ cells, proportion });
    }
  return found;
}

/** What the table has of one shape. */
export function octetsOf({ ink, cells }: Shape): Buffer {
  const octets = Buffer.alloc(octetsOfShape);
  for (const [at, share] of cells.entries()) octets[at >> 2]! |= Math.round(share * 3) << (2 * (at & 3));
  octets[octetsOfShape - 1] = Math.max(0, Math.min(255, Math.round((proportionOf(ink) + 4) * 32)));
  return octets;
}

/** A letter as the first font of the table draws it, one em tall. */
export function letterShape(letter: string): Shape | undefined {
  const usual = known.get(letterClass(letter))?.[0];
  if (usual === undefined) return undefined;
  return { cells: usual.cells, ink: { left: 0, bottom: 0, right: 2 ** usual.proportion, top: 1 } };
}

/** How many classes of letters a shape resembles more than the one of this letter; undefined if the letter has no usual shape. */
export function rankOf({ ink, cells }: Shape, letter: string): number | undefined {
  const name = letterClass(letter);
  const own = known.get(name);
  if (own === undefined) return undefined;
  const proportion = proportionOf(ink);
  const distance = nearest(own, cells, proportion);
  let rank = 0;
  for (const [other, shapes] of known)
    if (other !== name && nearest(shapes, cells, proportion) < distance) rank++;
  return rank;
}

function nearest(all: readonly Known[], cells: Float32Array, proportion: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (const one of all) {
    let sum = proportionWeight * (one.proportion - proportion) ** 2;
    for (let at = 0; at < cellCount && sum < least; at++) sum += (one.cells[at]! - cells[at]!) ** 2;
    least = Math.min(least, sum);
  }
  return least;
}

/** Twofold logarithm of width by height. */
function proportionOf({ left, bottom, right, top }: Ink): number {
  return Math.log2(Math.max(right - left, 0.01) / Math.max(top - bottom, 0.01));
}

/** undefined if nothing is drawn, or more than is looked at. */
export function shapeOf(outline: Outline): Shape | undefined {
  const points = outline.length > outlineMax ? undefined : flattened(outline);
  if (points === undefined || points.length === 0) return undefined;
  const ink = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };
  for (const [fromX, fromY, toX, toY] of points) {
    ink.left = Math.min(ink.left, fromX, toX);
    ink.right = Math.max(ink.right, fromX, toX);
    ink.bottom = Math.min(ink.bottom, fromY, toY);
    ink.top = Math.max(ink.top, fromY, toY);
  }
  const [width, height] = [ink.right - ink.left, ink.top - ink.bottom];
  if (!(width > 0 && height > 0)) return undefined;
  const cells = new Float32Array(cellCount);
  const scans = gridSide * scansOfRow;
  const crossings: [x: number, turn: number][][] = Array.from({ length: scans }, () => []);
  for (const [fromX, fromY, toX, toY] of points) {
    if (fromY === toY) continue;
    const [low, high] = fromY < toY ? [fromY, toY] : [toY, fromY];
    const row = (y: number): number => ((y - ink.bottom) / height) * scans - 0.5;
    for (let scan = Math.max(0, Math.ceil(row(low))); scan < scans && scan < row(high); scan++) {
      const y = ink.bottom + ((scan + 0.5) / scans) * height;
      const x = fromX + ((y - fromY) / (toY - fromY)) * (toX - fromX);
      crossings[scan]!.push([((x - ink.left) / width) * gridSide, fromY < toY ? 1 : -1]);
    }
  }
  for (const [scan, all] of crossings.entries()) {
    all.sort(([one], [other]) => one - other);
    let turns = 0;
    for (const [at, [x, turn]] of all.entries()) {
      turns += turn;
      if (turns !== 0) addInk(cells, Math.floor(scan / scansOfRow), x, all[at + 1]?.[0] ?? x);
    }
  }
  return { ink, cells };
}

function addInk(cells: Float32Array, row: number, from: number, to: number): void {
  for (let column = Math.floor(from); column < gridSide && column < to; column++) {
    const share = Math.min(to, column + 1) - Math.max(from, column);
    if (column >= 0 && share > 0) cells[row * gridSide + column]! += share / scansOfRow;
  }
}

type Line = readonly [fromX: number, fromY: number, toX: number, toY: number];

/** The outline as straight lines, each part of it closed; undefined where it has what is no operator or no number. */
function flattened(outline: Outline): readonly Line[] | undefined {
  const lines: Line[] = [];
  let [x, y, startX, startY] = [0, 0, 0, 0];
  const lineTo = (toX: number, toY: number): void => {
    if (toX !== x || toY !== y) lines.push([x, y, toX, toY]);
    [x, y] = [toX, toY];
  };
  for (let at = 0; at < outline.length; ) {
    const operator = outline[at++]!;
    const count = numbersOfOperator[operator];
    if (count === undefined) return undefined;
    const numbers = Array.from({ length: count }, (_, index) => outline[at + index] ?? Number.NaN);
    if (!numbers.every(Number.isFinite)) return undefined;
    at += count;
    const [endX = startX, endY = startY] = numbers.slice(-2);
    if (operator <= 1 || operator === 4) {
      if (operator !== 1) lineTo(startX, startY);
      if (operator === 1) lineTo(endX, endY);
      else [x, y, startX, startY] = [endX, endY, endX, endY];
      continue;
    }
    const [fromX, fromY] = [x, y];
    for (let step = 1; step <= stepsOfCurve; step++) {
      const t = step / stepsOfCurve;
      lineTo(bezier(fromX, numbers, 0, t), bezier(fromY, numbers, 1, t));
    }
  }
  lineTo(startX, startY);
  return lines;
}

/** A coordinate of a curve at `t`. `numbers`: two or three points behind the first one. */
function bezier(from: number, numbers: readonly number[], axis: 0 | 1, t: number): number {
  const [one, two, three] = [numbers[axis]!, numbers[axis + 2]!, numbers[axis + 4]];
  const left = 1 - t;
  if (three === undefined) return left * left * from + 2 * left * t * one + t * t * two;
  return left ** 3 * from + 3 * left * left * t * one + 3 * left * t * t * two + t ** 3 * three;
}
