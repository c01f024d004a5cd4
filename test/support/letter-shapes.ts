/** Makes `src/formats/documents/letter-shape-table.ts` from TrueType fonts:
 *  `node test/support/letter-shapes.ts FONT…`. The table that stands was made from Liberation Sans, Liberation Sans Bold Italic, Liberation
 *  Serif, Liberation Serif Italic, Liberation Mono, DejaVu Sans Bold and DejaVu Serif. */
import { readFileSync, writeFileSync } from "node:fs";
import { octetsOf, shapedLetters, shapeOf } from "#/src/formats/documents/letter-shapes.ts";
import { readTrueType } from "./true-type.ts";

const lineLength = 120;
const octets: Buffer[] = [];
for (const path of process.argv.slice(2)) {
  const font = readTrueType(readFileSync(path));
  for (const letter of shapedLetters) {
    const shape = shapeOf(font.outlineOf(letter) ?? []);
    if (shape === undefined) throw new Error(`${path} does not draw ${letter}`);
    octets.push(octetsOf(shape));
  }
}
const text = Buffer.concat(octets).toString("base64");
const lines = text.match(new RegExp(`.{1,${lineLength}}`, "g")) ?? [];
const path = new URL("../../src/formats/documents/letter-shape-table.ts", import.meta.url);
const head = readFileSync(path, "utf8").split("export")[0]!;
writeFileSync(
  path,
  `${head}export const shapeTable: readonly string[] = [\n${lines.map((line) => `  "${line}",\n`).join("")}];\n`,
);
