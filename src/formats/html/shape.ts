/** Transforms and clips: whether they leave nothing of a box, and how far they move it. */

import { black } from "#/src/formats/css/colour.ts";
import { angleOf, type LengthBasis, lengthOf, numberOf } from "#/src/formats/css/length.ts";
import { componentsOf, gradientStops, isGradient, type Value, wordOf } from "#/src/formats/css/properties.ts";
import { splitByComma } from "#/src/formats/css/tokens.ts";

export interface Transform {
  readonly dx: number;
  readonly dy: number;
  readonly scale: number;
  readonly isGone: boolean;
}

type Values = ReadonlyMap<string, Value>;

/** Smaller than that in either direction is nothing. */
const scaleMin = 0.02;

/** Shares of `basis` are of the box's width; its height is not known, and at least a line. */
export function transformOf(values: Values, basis: LengthBasis): Transform | undefined {
  const transform = values.get("transform");
  const parts = [
    ...(transform === undefined || wordOf(transform) === "none" ? [] : componentsOf(transform)),
    ...individual(values),
  ];
  if (parts.length === 0) return undefined;
  const ofHeight = { ...basis, whole: basis.lineHeight };
  let dx = 0;
  let dy = 0;
  let scale = 1;
  let isGone = false;
  for (const part of parts) {
    const [token] = part;
    if (token?.type !== "function") continue;
    const inner = splitByComma(part.slice(1, -1));
    const number = (index: number, otherwise: number): number => numberOf(inner[index] ?? [], 1) ?? otherwise;
    const along = (index: number): number => lengthOf(inner[index] ?? [], basis) ?? 0;
    const down = (index: number): number => lengthOf(inner[index] ?? [], ofHeight) ?? 0;
    const angle = (index: number): number => angleOf(inner[index] ?? []) ?? 0;
    const grow = (x: number, y: number): void => {
      if (Math.abs(x) < scaleMin || Math.abs(y) < scaleMin) isGone = true;
      scale *= Math.min(Math.abs(x), Math.abs(y));
    };
    switch (token.value.toLowerCase()) {
      case "translate":
      case "translate3d":
        dx += scale * along(0);
        dy += scale * down(1);
        break;
      case "translatex":
        dx += scale * along(0);
        break;
      case "translatey":
        dy += scale * down(0);
        break;
      case "scale":
      case "scale3d":
        grow(number(0, 1), number(1, number(0, 1)));
        break;
      case "scalex":
        grow(number(0, 1), 1);
        break;
      case "scaley":
        grow(1, number(0, 1));
        break;
      case "matrix": {
        const [a, b, c, d] = [number(0, 1), number(1, 0), number(2, 0), number(3, 1)];
        if (Math.abs(a * d - b * c) < scaleMin ** 2) isGone = true;
        scale *= Math.sqrt(Math.abs(a * d - b * c));
        dx += number(4, 0);
        dy += number(5, 0);
        break;
      }
      case "matrix3d":
        if (Math.abs(number(0, 1) * number(5, 1) - number(1, 0) * number(4, 0)) < scaleMin ** 2)
          isGone = true;
        dx += number(12, 0);
        dy += number(13, 0);
        break;
      case "rotatex":
      case "rotatey":
        if (isEdgeOn(angle(0))) isGone = true;
        break;
      case "rotate3d":
        if (isEdgeOn(angle(3)) && number(2, 0) === 0) isGone = true;
        break;
      case "skew":
      case "skewx":
      case "skewy":
        if (isEdgeOn(angle(0)) || isEdgeOn(angle(1))) isGone = true;
        break;
    }
  }
  return { dx, dy, scale, isGone };
}

/** The properties `translate`, `scale` and `rotate` as functions of `transform`. */
function individual(values: Values): Value[] {
  const parts: Value[] = [];
  const add = (name: string, value: Value | undefined): void => {
    if (value === undefined || wordOf(value) === "none") return;
    const inner = componentsOf(value).flatMap((part, index) =>
      index === 0 ? part : [{ type: "," } as const, ...part],
    );
    parts.push([{ type: "function", value: name }, ...inner, { type: ")" }]);
  };
  add("translate", values.get("translate"));
  add("scale", values.get("scale"));
  const rotate = componentsOf(values.get("rotate") ?? []);
  const [axis, angle] = rotate;
  if (axis !== undefined && angle !== undefined && ["x", "y"].includes(wordOf(axis)))
    add(`rotate${wordOf(axis)}`, angle);
  return parts;
}

/** Turned so that only the edge of the box shows. */
function isEdgeOn(angle: number): boolean {
  return Math.abs((((angle % 180) + 180) % 180) - 90) < 2;
}

/** Clipped or masked to nothing. */
export function isClippedAway(values: Values, isPlaced: boolean, basis: LengthBasis): boolean {
  const clip = values.get("clip");
  if (clip !== undefined && isPlaced && isEmptyRectangle(clip, basis)) return true;
  const path = values.get("clip-path");
  if (path !== undefined && isEmptyPath(path, basis)) return true;
  const mask = values.get("mask-image");
  return mask !== undefined && isEmptyMask(mask);
}

/** Edges nearer than this to each other show no letter. */
const spanMin = 3;

/** rect(top, right, bottom, left): distances from the upper and the left edge. */
function isEmptyRectangle(value: Value, basis: LengthBasis): boolean {
  const inner = value.slice(1, -1).filter((token) => token.type !== "space" && token.type !== ",");
  const [top, right, bottom, left] = inner.map((token) => lengthOf([token], basis));
  if (right !== undefined && right - (left ?? 0) < spanMin) return true;
  if (bottom !== undefined && bottom - (top ?? 0) < spanMin) return true;
  return (top ?? 0) > 2000 || (left ?? 0) > 2000;
}

function isEmptyPath(value: Value, basis: LengthBasis): boolean {
  const shape = componentsOf(value).find(([token]) => token?.type === "function");
  const [token] = shape ?? [];
  if (shape === undefined || token?.type !== "function") return false;
  const inner = shape.slice(1, -1);
  // Shares of the box: a hundred units are all of it.
  const share = { ...basis, whole: 100 };
  const sizes = componentsOf(inner).map((part) => ({
    size: lengthOf(part, share),
    isShare: part[0]?.type === "percent",
  }));
  switch (token.value.toLowerCase()) {
    case "inset": {
      const sides = sizes.slice(0, 4).filter(({ size }) => size !== undefined);
      const [top, right = top, bottom = top, left = right] = sides;
      if (top === undefined) return false;
      const spans = [
        [top, bottom],
        [left, right],
      ] as const;
      return spans.some(([one, other]) => {
        const sum = (one?.size ?? 0) + (other?.size ?? 0);
        return one?.isShare || other?.isShare ? sum >= 98 : sum >= 2000;
      });
    }
    case "circle":
    case "ellipse":
      return sizes[0]?.size !== undefined && sizes[0].size < 1;
    case "rect":
      return isEmptyRectangle(shape, share);
    case "xywh":
      return (sizes[2]?.size ?? 100) < 1 || (sizes[3]?.size ?? 100) < 1;
    case "polygon":
      return polygonArea(inner, share) < 1;
    case "path":
      return inner.some((one) => one.type === "string" && !/[a-z][\s\S]*\d[\s\S]*[a-z]/i.test(one.value));
  }
  return false;
}

function polygonArea(inner: Value, basis: LengthBasis): number {
  const points = splitByComma(inner).flatMap((part) => {
    const [x, y] = componentsOf(part).map((one) => lengthOf(one, basis));
    return x === undefined || y === undefined ? [] : [[x, y] as const];
  });
  let area = 0;
  for (const [index, [x, y]] of points.entries()) {
    const [nextX, nextY] = points[(index + 1) % points.length]!;
    area += x * nextY - nextX * y;
  }
  return Math.abs(area) / 2;
}

/** A mask of gradients that let nothing through. */
function isEmptyMask(value: Value): boolean {
  return splitByComma(value).some((layer) => {
    const gradient = componentsOf(layer).find(isGradient);
    if (gradient === undefined) return false;
    const stops = gradientStops(gradient, black);
    return stops.length > 0 && stops.every(([, , , alpha]) => alpha < 0.05);
  });
}
