/** The lines of a PNG that Chromium wrote for speed (all with the filter "up", PNG section 9). Finds where two such pictures differ
 *  without decoding the parts that are equal. */
import { inflateSync } from "node:zlib";
import { readPng } from "../../peers/png.ts";

export interface Lines {
  readonly height: number;
  /** Octets of a line. The first octet is its filter. */
  readonly stride: number;
  readonly channels: number;
  readonly octets: Buffer;
}

/** Lines whose previous line is black, so they can be decoded without it. */
export type Strip = Lines;

export type Rectangle = readonly [left: number, top: number, right: number, bottom: number];

/** A colour component must differ by this much of 255 for a person to see it. Text of #ddd on white differs by twice as much. */
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

/** Codes a picture again with the filter "up" in all lines. */
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

/** Cuts lines out of a picture. The line above them must be black. */
export function cutPicture({ stride, channels, octets }: Lines, top: number, height: number): Strip {
  return { height, stride, channels, octets: octets.subarray(top * stride, (top + height) * stride) };
}

/** The number of pixels whose difference a person sees. */
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

/** The number of pixels that a person sees as not black, in a rectangle or in the whole strip, without those inside `outside`. */
export function lightIn(strip: Strip, within?: Rectangle, outside: readonly Rectangle[] = []): number {
  const { stride, channels, height, octets } = strip;
  if (octets.equals(blackLines(stride, height))) return 0;
  const width = (stride - 1) / channels;
  const [left, top, right, bottom] = within ?? [0, 0, width, height];
  const from = Math.max(0, Math.floor(left));
  const first = Math.max(0, Math.floor(top));
  const last = Math.min(height, Math.ceil(bottom));
  // Decodes only these columns. Each line needs the line above.
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
