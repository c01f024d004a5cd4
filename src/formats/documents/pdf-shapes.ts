/** What lies surely inside or outside of a path (ISO 32000-1 section 8.5.3). A box that no piece of the path touches has one winding all over:
 *  that of its middle. Curves are cut into pieces; a curve stays in the box around the points that make it. */
import { around, type Box, type Matrix, numbersOfOperator, point } from "./pdf-geometry.ts";

export interface Shape {
  readonly pieces: readonly Piece[];
  readonly isEvenOdd: boolean;
}

type Point = readonly [x: number, y: number];

interface Piece {
  /** The piece does not leave it. */
  readonly around: Box;
  readonly from: Point;
  readonly to: Point;
}

/** Pieces of a path; of a longer one nothing is known. */
const piecesMost = 1500;
/** Pieces of all shapes of a page; of later ones nothing is known. */
const piecesOfPage = 200_000;
/** Halvings of a curve. */
const halvings = 3;

/** Reads the shapes of one page. */
export function shapesOfPage(): typeof shapeOf {
  let pieces = 0;
  return (data, matrix, isEvenOdd) => {
    if (pieces > piecesOfPage) return undefined;
    const shape = shapeOf(data, matrix, isEvenOdd);
    pieces += shape?.pieces.length ?? piecesMost;
    return shape;
  };
}

/** `data`: operators and points. undefined: nothing is known of it. */
function shapeOf(data: ArrayLike<number>, matrix: Matrix, isEvenOdd: boolean): Shape | undefined {
  const pieces: Piece[] = [];
  let start: Point | undefined;
  let last: Point | undefined;
  const close = (): void => {
    if (start !== undefined && last !== undefined) pieces.push(pieceOf([last, start]));
    last = start;
  };
  for (let at = 0; at < data.length; ) {
    const operator = data[at++]!;
    const count = numbersOfOperator[operator];
    if (count === undefined || pieces.length > piecesMost) return undefined;
    const points: Point[] = [];
    for (const end = at + count; at < end; at += 2)
      points.push(point(matrix, data[at] ?? Number.NaN, data[at + 1] ?? Number.NaN));
    if (operator === 4) close();
    else if (operator === 0) {
      close();
      start = points[0];
    } else if (last === undefined) return undefined;
    else addCurve(pieces, [last, ...points], operator === 1 ? 0 : halvings);
    last = points.at(-1) ?? last;
  }
  close();
  return pieces.length > piecesMost ? undefined : { pieces, isEvenOdd };
}

function addCurve(pieces: Piece[], points: readonly Point[], times: number): void {
  if (times === 0) {
    pieces.push(pieceOf(points));
    return;
  }
  // De Casteljau's halves.
  const first: Point[] = [];
  const second: Point[] = [];
  for (let left = points; left.length > 0; left = left.slice(1).map((one, at) => middle(left[at]!, one))) {
    first.push(left[0]!);
    second.unshift(left.at(-1)!);
  }
  addCurve(pieces, first, times - 1);
  addCurve(pieces, second, times - 1);
}

function middle([x, y]: Point, [otherX, otherY]: Point): Point {
  return [(x + otherX) / 2, (y + otherY) / 2];
}

function pieceOf(points: readonly Point[]): Piece {
  return { around: around(points), from: points[0]!, to: points.at(-1)! };
}

/** Where a box is: all of it inside of the shape, all of it outside, or it is not known. */
export function placeIn({ pieces, isEvenOdd }: Shape, box: Box): "inside" | "outside" | undefined {
  const x = (box.left + box.right) / 2;
  const y = (box.bottom + box.top) / 2;
  let winding = 0;
  for (const { around: reach, from, to } of pieces) {
    if (!isApart(reach, box)) return undefined;
    if (from[1] > y === to[1] > y) continue;
    const crossing = from[0] + ((y - from[1]) / (to[1] - from[1])) * (to[0] - from[0]);
    if (crossing > x) winding += to[1] > from[1] ? 1 : -1;
  }
  return (isEvenOdd ? winding % 2 !== 0 : winding !== 0) ? "inside" : "outside";
}

/** Of places that are not known it is not so. */
function isApart(one: Box, other: Box): boolean {
  return one.right < other.left || one.left > other.right || one.top < other.bottom || one.bottom > other.top;
}
