/** Small TrueType fonts whose letters are made of boxes, and PDFs whose text is in them. */
import { deflateSync } from "node:zlib";
import { letterShape } from "#/src/formats/documents/letter-shapes.ts";
import { pdfOfObjects } from "./documents.ts";

/** Left, bottom, right and top, in thousandths of an em. */
export type FontBox = readonly [number, number, number, number];

/** Boxes that look like a letter in a usual font. */
export function boxesOf(letter: string): readonly FontBox[] {
  const { cells, ink } = letterShape(letter)!;
  const side = Math.round(Math.sqrt(cells.length));
  const [wide, tall] = [(ink.right - ink.left) * 500, (ink.top - ink.bottom) * 500].map(
    (one) => one / side,
  ) as [number, number];
  return [...cells].flatMap((share, at): FontBox[] => {
    const [row, column] = [Math.floor(at / side), at % side];
    if (share < 0.5) return [];
    const place = [column * wide + 50, row * tall, (column + 1) * wide + 50, (row + 1) * tall];
    return [place.map(Math.round) as unknown as FontBox];
  });
}

/** Glyphs 1, 2, … are these; glyph 0 is empty. */
export function madeFont(glyphs: readonly (readonly FontBox[])[]): Buffer {
  const all = [[], ...glyphs].map(glyphOf);
  const places = [0];
  for (const glyph of all) places.push(places.at(-1)! + glyph.length);
  const numbers = (...values: readonly number[]): Buffer =>
    Buffer.concat(
      values.map((value) => {
        const two = Buffer.alloc(2);
        two.writeInt16BE(value > 32_767 ? value - 65_536 : value);
        return two;
      }),
    );
  const four = (value: number): Buffer => {
    const octets = Buffer.alloc(4);
    octets.writeUInt32BE(value);
    return octets;
  };
  const tables: readonly (readonly [string, Buffer])[] = [
    ["glyf", Buffer.concat(all)],
    [
      "head",
      Buffer.concat([
        ...[four(0x00010000), four(0x00010000), four(0), four(0x5f0f3cf5)],
        ...[numbers(11, 1000), Buffer.alloc(16), numbers(-1000, -1000, 2000, 2000, 0, 8, 2, 1, 0)],
      ]),
    ],
    [
      "hhea",
      Buffer.concat([four(0x00010000), numbers(900, -200, 0, 1000), Buffer.alloc(22), numbers(all.length)]),
    ],
    ["hmtx", Buffer.concat(all.map(() => numbers(600, 0)))],
    ["loca", Buffer.concat(places.map(four))],
    ["maxp", Buffer.concat([four(0x00010000), numbers(all.length), Buffer.alloc(26)])],
  ];
  let at = 12 + tables.length * 16;
  const entries = tables.map(([name, table]) => {
    const entry = Buffer.concat([Buffer.from(name), four(0), four(at), four(table.length)]);
    at += padded(table).length;
    return entry;
  });
  return Buffer.concat([
    ...[four(0x00010000), numbers(tables.length, 64, 2, 32)],
    ...entries,
    ...tables.map(([, table]) => padded(table)),
  ]);
}

function padded(table: Buffer): Buffer {
  return Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)]);
}

function glyphOf(boxes: readonly FontBox[]): Buffer {
  if (boxes.length === 0) return Buffer.alloc(0);
  const points = boxes.flatMap(([left, bottom, right, top]) => [
    [left, bottom],
    [left, top],
    [right, top],
    [right, bottom],
  ]) as [number, number][];
  const values = [
    boxes.length,
    ...[Math.min, Math.max].flatMap((most) => [0, 1].map((axis) => most(...points.map((one) => one[axis]!)))),
    ...boxes.map((_, box) => box * 4 + 3),
    0,
  ];
  const coordinates = [0, 1].flatMap((axis) =>
    points.map((one, index) => one[axis]! - (index === 0 ? 0 : points[index - 1]![axis]!)),
  );
  const head = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) head.writeInt16BE(value, index * 2);
  const body = Buffer.alloc(coordinates.length * 2);
  for (const [index, value] of coordinates.entries()) body.writeInt16BE(value, index * 2);
  return padded(Buffer.concat([head, Buffer.alloc(points.length, 1), body]));
}

export interface FontText {
  readonly glyphs: readonly (readonly FontBox[])[];
  /** What each glyph is said to be. */
  readonly said: readonly string[];
  /** The glyphs that the page shows. */
  readonly shown: readonly number[];
  /** Operators before and behind them. */
  readonly before?: string;
  readonly after?: string;
}

/** A page whose text is in such a font, by the numbers of its glyphs. */
export function pdfInFont({ glyphs, said, shown, before = "", after = "" }: FontText): Buffer {
  const hex = (value: number): string => value.toString(16).padStart(4, "0");
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def
1 begincodespacerange <0000> <ffff> endcodespacerange
${said.length} beginbfchar
${said.map((text, at) => `<${hex(at + 1)}> <${Buffer.from(text, "utf16le").swap16().toString("hex")}>`).join("\n")}
endbfchar endcmap end end`;
  const font = deflateSync(madeFont(glyphs)).toString("latin1");
  const stream = `${before} BT /F2 12 Tf 72 720 Td <${shown.map(hex).join("")}> Tj ET ${after}`;
  const length = (text: string): string => `<< /Length ${text.length}`;
  return pdfOfObjects([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R /F2 6 0 R >> >> /Contents 5 0 R >>",
    `${length(stream)} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type0 /BaseFont /AAAAAA+Made /Encoding /Identity-H /DescendantFonts [7 0 R] /ToUnicode 10 0 R >>",
    "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /AAAAAA+Made /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /CIDToGIDMap /Identity /DW 600 /FontDescriptor 8 0 R >>",
    "<< /Type /FontDescriptor /FontName /AAAAAA+Made /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 /FontFile2 9 0 R >>",
    `${length(font)} /Filter /FlateDecode >>\nstream\n${font}\nendstream`,
    `${length(map)} >>\nstream\n${map}\nendstream`,
  ]);
}
