/** What a test draws differs in each run, so a test that needs luck fails somebody's change. Each file that draws is listed, with why it holds
 *  whatever is drawn; `npm run test:seeds` runs them with many seeds. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { drawsBySeed } from "../seeds/draws.ts";

const top = path.resolve(import.meta.dirname, "..");
/** What measures, kills at any moment, or chooses by a seed that it prints. */
const left = /^(?:bench|long|mutate|support)\//;

const sources = fs
  .readdirSync(top, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && !left.test(file) && file !== "lint/chance.test.ts")
  .sort()
  .map((file) => ({ file, source: fs.readFileSync(path.join(top, file), "utf8") }));

const eachAlone = "what is asked of all is asked of each that is drawn";
const oracle = "whatever is drawn, another computation says what is right";
const drawn: Readonly<Record<string, string>> = {
  "acceptance/obedient.test.ts": eachAlone,
  "acceptance/straight-line.test.ts": eachAlone,
  "arrival/like-companies.test.ts":
    "a hundred seeds were tried; how many may be missed is so far above what they missed that one in a million has more",
  "arrival/look-alikes.test.ts":
    "a hundred seeds were tried; how many may be missed is so far above what they missed that one in a million has more",
  "dav/corpus.test.ts": "answers are counted in a run of all; in a sample they are of the known kinds",
  "evidence/organization.test.ts": oracle,
  "formats/corpus.test.ts": eachAlone,
  "formats/transfer-decoder.test.ts": oracle,
  "imap/list-fields.test.ts": oracle,
  "interface/matrix.test.ts": eachAlone,
  "json/free-time-people.test.ts": `${oracle}; the last day has no events`,
  "json/free-time-volume.test.ts": oracle,
  "json/hostile-mail.test.ts": eachAlone,
  "json/odd-input.test.ts": eachAlone,
  "lint/growth.test.ts": eachAlone,
  "postgres/access.test.ts": oracle,
  "render/index-batch.test.ts": eachAlone,
  "render/injection.test.ts": eachAlone,
  "storage/access.test.ts": oracle,
  "storage/indexed-terms.test.ts": oracle,
  "storage/near-keys.test.ts": "keys that have a row are asked for, however many are left",
};

test("each file that draws by the seed of the run says why it holds for every seed", () => {
  const drawing = sources.filter(({ source }) => drawsBySeed(source)).map(({ file }) => file);
  expect(drawing).toEqual(Object.keys(drawn));
});

test("nothing is drawn without a seed", () => {
  const without = sources.filter(({ source }) => /Math\.random\(|\brandomInt\(/.test(source));
  expect(without.map(({ file }) => file)).toEqual([]);
});
