/** The lines of a PNG as Chromium writes it in haste (each by the filter "up", PNG section 9), and where two such pictures differ,
 *  without unpacking what is the same. */
import { inflateSync } from "node:zlib";
import { readPng } from "../../peers/png.ts";

export interface Lines {
  readonly height: number;
  /** Octets of a line, the first of which names its filter. */
  readonly stride: number;
  readonly channels: number;
  readonly octets: Buffer;
}

/** Lines the one above which is black. */
export type Strip = Lines;

export type Rectangle = readonly [left: number, top: number, right: number, bottom: number];

/** Differences of a colour's parts, of 255, that a person does not see: text of #ddd on white has twice as much. */
const differenceMin = 16;
const up = 2;

export function readLines(png: Buffer): Lines {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const stride = width * channels + 1;
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const octets = inflateSync(Buffer.concat(data));
  for (let at = 0; at < octets.length; at += stride)
    if (octets[at] !== up) return { height, stride, channels, octets: inFilterUp(png, stride) };
  return { height, stride, channels, octets };
}

/** Lines of other filters, written anew. */
function inFilterUp(png: Buffer, stride: number): Buffer {
  const { pixels, height } = readPng(png);
  const octets = Buffer.alloc(stride * height);
  const length = stride - 1;
  for (let line = 0; line < height; line++) {
    octets[line * stride] = up;
    for (let at = 0; at < length; at++)
      octets[line * stride + 1 + at] =
        pixels[line * length + at]! - (line === 0 ? 0 : pixels[(line - 1) * length + at]!);
  }
  return octets;
}

/** Lines of a picture, the one above which is black. */
export function cutPicture({ stride, channels, octets }: Lines, top: number, height: number): Strip {
  return { height, stride, channels, octets: octets.subarray(top * stride, (top + height) * stride) };
}

/** Pixels that a person sees to differ. */
export function differencesIn(one: Strip, other: Strip): number {
  if (one.octets.equals(other.octets)) return 0;
  const { channels } = one;
  const first = pixelsOf(one);
  const second = pixelsOf(other);
  let count = 0;
  for (let at = 0; at < first.length; at += channels)
    if (
      Math.abs(first[at]! - second[at]!) >= differenceMin ||
      Math.abs(first[at + 1]! - second[at + 1]!) >= differenceMin ||
      Math.abs(first[at + 2]! - second[at + 2]!) >= differenceMin
    )
      count++;
  return count;
}

/** Pixels that a person sees not to be black, of a rectangle or of all, and outside of others. */
export function lightIn(strip: Strip, within?: Rectangle, outside: readonly Rectangle[] = []): number {
  const { stride, channels, height, octets } = strip;
  if (octets.equals(blackLines(stride, height))) return 0;
  const width = (stride - 1) / channels;
  const [left, top, right, bottom] = within ?? [0, 0, width, height];
  const from = Math.max(0, Math.floor(left));
  const first = Math.max(0, Math.floor(top));
  const last = Math.min(height, Math.ceil(bottom));
  // Of these columns alone: each line follows from the one above.
  const line = new Uint8Array(Math.max(0, Math.min(width, Math.ceil(right)) - from) * channels);
  let count = 0;
  for (let y = 0; y < last; y++) {
    const start = y * stride + 1 + from * channels;
    for (let at = 0; at < line.length; at++) line[at]! += octets[start + at]!;
    if (y < first) continue;
    for (let at = 0; at < line.length; at += channels) {
      const isLight =
        line[at]! >= differenceMin || line[at + 1]! >= differenceMin || line[at + 2]! >= differenceMin;
      if (isLight && !outside.some((other) => isInside(from + at / channels, y, other))) count++;
    }
  }
  return count;
}

function isInside(x: number, y: number, [left, top, right, bottom]: Rectangle): boolean {
  return x + 1 > left && x < right && y + 1 > top && y < bottom;
}

const black = new Map<number, Buffer>();

function blackLines(stride: number, height: number): Buffer {
  const known = black.get(stride);
  if (known !== undefined && known.length >= stride * height) return known.subarray(0, stride * height);
  const lines = Buffer.alloc(stride * height);
  for (let at = 0; at < lines.length; at += stride) lines[at] = up;
  black.set(stride, lines);
  return lines;
}

function pixelsOf({ stride, height, octets }: Strip): Buffer {
  const length = stride - 1;
  const pixels = Buffer.alloc(length * height);
  for (let line = 0; line < height; line++)
    for (let at = 0; at < length; at++)
      pixels[line * length + at] =
        octets[line * stride + 1 + at]! + (line === 0 ? 0 : pixels[(line - 1) * length + at]!);
  return pixels;
}
