/** Matrices, boxes and paths of a page of a PDF (ISO 32000-1 section 8.3). */

export type Matrix = readonly [number, number, number, number, number, number];

export interface Box {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

export const identity: Matrix = [1, 0, 0, 1, 0, 0];

export interface Subpath {
  readonly box: Box;
  readonly isBox: boolean;
  readonly lines: readonly Box[];
}

/** Numbers behind each operator of a path: 0 moves, 1 draws a line, 2 a cubic curve, 3 a quadratic one, 4 closes. */
export const numbersOfOperator: readonly number[] = [2, 2, 6, 4, 0];

/** The pieces of a path. */
export function subpaths(data: ArrayLike<number>, matrix: Matrix): Subpath[] {
  const found: Subpath[] = [];
  let points: (readonly [number, number])[] = [];
  /** Of the points, where each line or curve begins and ends. */
  let pieces: (readonly [from: number, to: number])[] = [];
  let hasCurve = false;
  const end = (): void => {
    if (points.length > 1) {
      const lines = pieces.map(([from, to]) => around(points.slice(from, to + 1)));
      const box = around(points);
      const corners = new Set(points.map(([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`));
      const isBox =
        !hasCurve &&
        corners.size === 4 &&
        points.every(
          (to, at) => at === 0 || near(to[0], points[at - 1]![0]) || near(to[1], points[at - 1]![1]),
        ) &&
        points.every(
          ([x, y]) => (near(x, box.left) || near(x, box.right)) && (near(y, box.bottom) || near(y, box.top)),
        );
      found.push({ box, isBox, lines });
    }
    points = [];
    pieces = [];
    hasCurve = false;
  };
  for (let at = 0; at < data.length; ) {
    const operator = data[at++]!;
    const count = numbersOfOperator[operator];
    if (count === undefined) break;
    if (operator === 0) end();
    hasCurve ||= operator === 2 || operator === 3;
    const from = points.length - 1;
    for (let n = 0; n < count; n += 2) points.push(point(matrix, data[at + n]!, data[at + n + 1]!));
    at += count;
    if (operator === 4 && points.length > 0) points.push(points[0]!);
    if (from >= 0 && points.length - 1 > from) pieces.push([from, points.length - 1]);
  }
  end();
  return found;
}

function near(one: number, other: number): boolean {
  return Math.abs(one - other) < 0.01;
}

export function matrixOf(args: readonly unknown[]): Matrix {
  const six = (typeof args[0] === "number" ? args : Array.from(args[0] as ArrayLike<number>)) as number[];
  return six.length >= 6 ? (six.slice(0, 6) as unknown as Matrix) : identity;
}

export function multiply(one: Matrix, other: Matrix): Matrix {
  return [
    one[0] * other[0] + one[2] * other[1],
    one[1] * other[0] + one[3] * other[1],
    one[0] * other[2] + one[2] * other[3],
    one[1] * other[2] + one[3] * other[3],
    one[0] * other[4] + one[2] * other[5] + one[4],
    one[1] * other[4] + one[3] * other[5] + one[5],
  ];
}

export function point([a, b, c, d, e, f]: Matrix, x: number, y: number): readonly [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** The most that a length grows. */
export function scaleOf([a, b, c, d]: Matrix): number {
  return Math.max(Math.hypot(a, b), Math.hypot(c, d));
}

export function isUpright([a, b, c, d]: Matrix): boolean {
  return (near(b, 0) && near(c, 0)) || (near(a, 0) && near(d, 0));
}

export function boxOf(four: ArrayLike<number>): Box {
  return around([
    [four[0]!, four[1]!],
    [four[2]!, four[3]!],
  ]);
}

export function around(points: readonly (readonly [number, number])[]): Box {
  const box = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };
  for (const [x, y] of points) {
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.bottom = Math.min(box.bottom, y);
    box.top = Math.max(box.top, y);
  }
  return box;
}

export function transformed({ left, bottom, right, top }: Box, matrix: Matrix): Box {
  return around(
    [
      [left, bottom],
      [right, bottom],
      [left, top],
      [right, top],
    ].map(([x, y]) => point(matrix, x!, y!)),
  );
}

export function widened({ left, bottom, right, top }: Box, by: number): Box {
  return { left: left - by, bottom: bottom - by, right: right + by, top: top + by };
}

export function unionOf(boxes: readonly Box[]): Box | undefined {
  return boxes.length === 0
    ? undefined
    : around(
        boxes.flatMap(({ left, bottom, right, top }) => [[left, bottom] as const, [right, top] as const]),
      );
}

export function intersection(one: Box, other: Box): Box | undefined {
  const box = {
    left: Math.max(one.left, other.left),
    bottom: Math.max(one.bottom, other.bottom),
    right: Math.min(one.right, other.right),
    top: Math.min(one.top, other.top),
  };
  return box.left < box.right && box.bottom < box.top ? box : undefined;
}

/** Of a path, that are compared with each other. */
const partsMost = 40;

/** Parts of a path that lie on each other may leave each other out. */
export function isAlone(part: Subpath, parts: readonly Subpath[]): boolean {
  if (parts.length > partsMost) return false;
  return parts.every((other) => other === part || intersection(other.box, part.box) === undefined);
}
