/** Pixels of a PNG as Chromium writes it: eight bits, RGB or RGBA, not interlaced. */
import { inflateSync } from "node:zlib";

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly pixels: Buffer;
}

export function readPng(png: Buffer): Picture {
  const data: Buffer[] = [];
  let width = 0;
  let height = 0;
  let channels = 0;
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") {
      width = body.readUInt32BE(0);
      height = body.readUInt32BE(4);
      channels = body[9] === 6 ? 4 : 3;
    } else if (type === "IDAT") data.push(body);
    at += length + 12;
  }
  return {
    width,
    height,
    channels,
    pixels: unfilter(inflateSync(Buffer.concat(data)), width * channels, height, channels),
  };
}

/** PNG section 9: each line says how its bytes follow from those to the left and above. */
function unfilter(filtered: Buffer, stride: number, height: number, channels: number): Buffer {
  const pixels = Buffer.alloc(stride * height);
  for (let line = 0; line < height; line++) {
    const filter = filtered[line * (stride + 1)]!;
    const from = line * (stride + 1) + 1;
    const to = line * stride;
    if (filter === 0) filtered.copy(pixels, to, from, from + stride);
    else if (filter === 1) {
      filtered.copy(pixels, to, from, from + channels);
      for (let at = channels; at < stride; at++)
        pixels[to + at] = filtered[from + at]! + pixels[to + at - channels]!;
    } else if (filter === 2 && line > 0)
      for (let at = 0; at < stride; at++) pixels[to + at] = filtered[from + at]! + pixels[to + at - stride]!;
    else
      for (let at = 0; at < stride; at++) {
        const left = at >= channels ? pixels[to + at - channels]! : 0;
        const up = line > 0 ? pixels[to + at - stride]! : 0;
        const corner = line > 0 && at >= channels ? pixels[to + at - stride - channels]! : 0;
        const added = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!;
        pixels[to + at] = filtered[from + at]! + added;
      }
  }
  return pixels;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/** How much the pixels of a rectangle differ, from 0 to 255: letters that are seen differ from what is behind them. */
export function contrastIn(
  picture: Picture,
  left: number,
  top: number,
  right: number,
  bottom: number,
): number {
  const { width, height, channels, pixels } = picture;
  const low = [255, 255, 255];
  const high = [0, 0, 0];
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, Math.ceil(bottom)); y++)
    for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, Math.ceil(right)); x++)
      for (let channel = 0; channel < 3; channel++) {
        const value = pixels[(y * width + x) * channels + channel]!;
        if (value < low[channel]!) low[channel] = value;
        if (value > high[channel]!) high[channel] = value;
      }
  return Math.max(...high.map((value, channel) => value - low[channel]!));
}
