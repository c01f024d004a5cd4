/** Outlines of letters of a TrueType font (OpenType: cmap format 4, loca, glyf; composite glyphs by moves alone), in ems, as pdf.js writes them. */

export interface TrueTypeFont {
  outlineOf(letter: string): readonly number[] | undefined;
}

export function readTrueType(bytes: Buffer): TrueTypeFont {
  const tables = new Map<string, number>();
  for (let at = 0; at < bytes.readUInt16BE(4); at++)
    tables.set(bytes.toString("latin1", 12 + at * 16, 16 + at * 16), bytes.readUInt32BE(20 + at * 16));
  const of = (name: string): number => tables.get(name)!;
  const unitsPerEm = bytes.readUInt16BE(of("head") + 18);
  const isLong = bytes.readInt16BE(of("head") + 50) === 1;
  const glyphAt = (glyph: number): readonly [from: number, to: number] => {
    const place = (index: number): number =>
      of("glyf") +
      (isLong ? bytes.readUInt32BE(of("loca") + index * 4) : bytes.readUInt16BE(of("loca") + index * 2) * 2);
    return [place(glyph), place(glyph + 1)];
  };
  const map = unicodeMap(bytes, of("cmap"));

  function outline(glyph: number, moveX: number, moveY: number): number[] {
    const [from, to] = glyphAt(glyph);
    if (to <= from) return [];
    const contours = bytes.readInt16BE(from);
    if (contours < 0) return parts(from + 10, moveX, moveY);
    const ends = Array.from({ length: contours }, (_, at) => bytes.readUInt16BE(from + 10 + at * 2));
    const count = (ends.at(-1) ?? -1) + 1;
    let at = from + 10 + contours * 2;
    at += 2 + bytes.readUInt16BE(at);
    const flags: number[] = [];
    while (flags.length < count) {
      const flag = bytes[at++]!;
      flags.push(flag);
      if (flag & 8) for (let left = bytes[at++]!; left > 0; left--) flags.push(flag);
    }
    const read = (short: number, same: number): number[] => {
      let value = 0;
      return flags.map((flag) => {
        if (flag & short) value += flag & same ? bytes[at++]! : -bytes[at++]!;
        else if ((flag & same) === 0) {
          value += bytes.readInt16BE(at);
          at += 2;
        }
        return value;
      });
    };
    const xs = read(2, 16);
    const ys = read(4, 32);
    const written: number[] = [];
    let first = 0;
    for (const end of ends) {
      const points = Array.from({ length: end - first + 1 }, (_, index) => ({
        x: (xs[first + index]! + moveX) / unitsPerEm,
        y: (ys[first + index]! + moveY) / unitsPerEm,
        isOn: (flags[first + index]! & 1) === 1,
      }));
      writeContour(written, points);
      first = end + 1;
    }
    return written;
  }

  function parts(start: number, moveX: number, moveY: number): number[] {
    const written: number[] = [];
    let at = start;
    for (let flags = 32; flags & 32; ) {
      flags = bytes.readUInt16BE(at);
      const glyph = bytes.readUInt16BE(at + 2);
      const isWide = (flags & 1) !== 0;
      const x = isWide ? bytes.readInt16BE(at + 4) : bytes.readInt8(at + 4);
      const y = isWide ? bytes.readInt16BE(at + 6) : bytes.readInt8(at + 5);
      at += 4 + (isWide ? 4 : 2) + (flags & 8 ? 2 : flags & 64 ? 4 : flags & 128 ? 8 : 0);
      written.push(...outline(glyph, moveX + x, moveY + y));
    }
    return written;
  }

  return {
    outlineOf(letter) {
      const glyph = map(letter.codePointAt(0)!);
      return glyph === 0 ? undefined : outline(glyph, 0, 0);
    },
  };
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly isOn: boolean;
}

function writeContour(written: number[], points: readonly Point[]): void {
  if (points.length === 0) return;
  const middle = (one: Point, other: Point): Point => ({
    x: (one.x + other.x) / 2,
    y: (one.y + other.y) / 2,
    isOn: true,
  });
  const start = points[0]!.isOn ? points[0]! : middle(points[0]!, points.at(-1)!);
  written.push(0, start.x, start.y);
  for (let at = points[0]!.isOn ? 1 : 0; at <= points.length; at++) {
    const point = at === points.length ? start : points[at]!;
    if (point.isOn) {
      written.push(1, point.x, point.y);
      continue;
    }
    const next = at + 1 < points.length ? points[at + 1]! : start;
    const end = next.isOn ? next : middle(point, next);
    written.push(3, point.x, point.y, end.x, end.y);
    if (next.isOn) at++;
  }
  written.push(4);
}

/** Format 4 of the table for Windows. */
function unicodeMap(bytes: Buffer, cmap: number): (code: number) => number {
  let table = 0;
  for (let at = 0; at < bytes.readUInt16BE(cmap + 2); at++) {
    const entry = cmap + 4 + at * 8;
    const place = cmap + bytes.readUInt32BE(entry + 4);
    if (bytes.readUInt16BE(place) === 4) table = place;
  }
  if (table === 0) throw new Error("The font has no table of Unicode");
  const segments = bytes.readUInt16BE(table + 6) / 2;
  return (code) => {
    for (let at = 0; at < segments; at++) {
      const end = bytes.readUInt16BE(table + 14 + at * 2);
      if (code > end) continue;
      const start = bytes.readUInt16BE(table + 16 + segments * 2 + at * 2);
      if (code < start) return 0;
      const delta = bytes.readUInt16BE(table + 16 + segments * 4 + at * 2);
      const place = table + 16 + segments * 6 + at * 2;
      const offset = bytes.readUInt16BE(place);
      if (offset === 0) return (code + delta) & 0xffff;
      const glyph = bytes.readUInt16BE(place + offset + (code - start) * 2);
      return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
    }
    return 0;
  };
}
