/** Pages of PDF with a few texts, each drawn in a way that shows it, hides it, or is not sure to. */
import { pdfOfObjects } from "../../support/documents.ts";
import { type RandomSource, randomSource } from "../../support/random.ts";

interface Drawn {
  readonly word: string;
  /** The operators that paint the text; `%` is where it stands. */
  readonly operators: string;
  /** Where it is painted, without what hides it. */
  readonly place: string;
  readonly isLegible: boolean;
}

export interface RandomPdf {
  readonly words: readonly string[];
  /** Whether a text is large and wide enough to be read. */
  isLegible(at: number): boolean;
  /** All texts; without the one at this place; that one alone, black on white. */
  whole(): Buffer;
  without(at: number): Buffer;
  alone(at: number): Buffer;
}

const width = 612;
const height = 792;

export function randomPdf(seed: number): RandomPdf {
  const random = randomSource(seed);
  const texts = Array.from({ length: 2 + random.below(4) }, (_, at) => textOf(random, at));
  const stream = (left?: number): string =>
    texts
      .map(({ operators, word }, at) => operators.replace("%", at === left ? " ".repeat(word.length) : word))
      .join("\n");
  return {
    words: texts.map(({ word }) => word),
    isLegible: (at) => texts[at]!.isLegible,
    whole: () => pdfWith(stream()),
    without: (at) => pdfWith(stream(at)),
    alone: (at) => pdfWith(texts[at]!.place.replace("%", texts[at]!.word)),
  };
}

const colours = [
  "0 0 0",
  "1 1 1",
  "1 0 0",
  "0 0 0.5",
  "0.9 0.9 0.9",
  "0.97 0.98 0.96",
  "0.6 0.6 0.6",
  "1 1 0",
];

function textOf(random: RandomSource, at: number): Drawn {
  const word = `Wz${at}${Array.from({ length: 5 }, () => random.one([..."bdgkmnprt"])).join("")}`;
  /** Of ten texts six have it. */
  const usual = <One>(one: One, others: readonly One[]): One =>
    random.below(10) < 6 ? one : random.one(others);
  const size = usual(12, [10, 8, 18, 24, 2, 0.5, 40]);
  const x = 60 + random.below(200);
  const y = 700 - at * 110 - random.below(30);
  const matrix = usual(`1 0 0 1 ${x} ${y} Tm`, [
    `0.2 0 0 0.2 ${x} ${y} Tm`,
    `0.05 0 0 1 ${x} ${y} Tm`,
    `0.97 0.26 -0.26 0.97 ${x} ${y} Tm`,
    `1 0 0 1 ${x - 900} ${y} Tm`,
    `-1 0 0 1 ${x + 100} ${y} Tm`,
  ]);
  const state = usual("", ["-0.9 Tz", "3 Tz", "-9 Tc", "20 Tc", "400 Ts", "-3 Ts"]);
  const show = `/F1 ${size} Tf ${matrix} ${state} (%) Tj`;
  const colour = usual("0 0 0", colours);
  const mode = usual(0, [1, 2, 3, 7]);
  const box = (grow: number): string =>
    `${x - 10 - grow} ${y - 10 - grow} ${220 + 2 * grow} ${40 + 2 * grow} re`;
  const before = usual("", [
    `${random.one(colours)} rg ${box(10)} f`,
    `q 1 0 0 1 0 0 cm ${box(0)} W n`,
    `q ${x + 20} ${y - 20} 3 60 re W n`,
    "q 0 0 1 1 re W n",
    "q /G1 gs",
    "q /G5 gs",
    "q 0.05 0 0 0.05 0 0 cm",
    "/OC /Off BDC",
    "/OC /On BDC",
    `q 240 0 0 60 ${x - 20} ${y - 20} cm ${picture} Q`,
  ]);
  const open = (before.match(/\bq\b/g)?.length ?? 0) - (before.match(/\bQ\b/g)?.length ?? 0);
  const closing = before.endsWith("BDC") ? "EMC" : "Q ".repeat(open);
  const after = usual("", [
    `${random.one(colours)} rg ${box(0)} f`,
    `q /G1 gs ${random.one(colours)} rg ${box(0)} f Q`,
    `${random.one(colours)} RG 1 w ${x} ${y - 2} m ${x + 80} ${y - 2} l S`,
    `${random.one(colours)} RG 60 w ${x - 20} ${y + 4} m ${x + 300} ${y + 4} l S`,
    `q 240 0 0 60 ${x - 20} ${y - 20} cm ${picture} Q`,
    `${random.one(colours)} rg ${x} ${y - 10} 20 40 re f`,
  ]);
  // Letters that clip are seen by what is painted into them.
  const through = mode === 7 && random.below(2) === 0 ? `${random.one(colours)} rg ${box(0)} f` : "";
  const operators = `${before} q ${colour} rg ${colour} RG BT ${mode} Tr ${show} ET ${through} Q ${closing} q ${after} Q`;
  const isLegible =
    size >= 8 && !/Tz|-9 Tc/.test(state) && !/^0\.(?:05|2) /.test(matrix) && !/ 0\.05 /.test(before);
  return { word, operators, place: `BT 0 g 0 Tr ${show} ET`, isLegible };
}

/** Of one pixel. */
const picture = "BI /W 1 /H 1 /CS /G /BPC 8 ID \xff EI";

function pdfWith(stream: string): Buffer {
  return pdfOfObjects([
    "<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R 7 0 R] /D << /ON [7 0 R] /OFF [6 0 R] /Order [6 0 R 7 0 R] >> >> >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Resources << /Font << /F1 3 0 R >> /ExtGState << /G1 << /ca 0.02 /CA 0.02 >> /G5 << /ca 0.5 /CA 0.5 >> >> /Properties << /Off 6 0 R /On 7 0 R >> >> /Contents 5 0 R >>`,
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /OCG /Name (off) >>",
    "<< /Type /OCG /Name (on) >>",
  ]);
}
