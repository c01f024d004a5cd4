/** What Chromium draws of random pages of PDF, against the text that is given of them: text that is given must be drawn, and text that is
 *  drawn and legible may be in doubt and is not called hidden. pdf.js draws them on a canvas; it also reads them for us, so what it reads wrong is not found.
 *  `node test/long/fuzz-pdf.ts [--documents N] [--minutes N] [--seed S]` */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { readDocument } from "#/src/formats/documents/read-document.ts";
import { hasChromium, startBrowser } from "../peers/browser.ts";
import { didNotRun } from "./did-not-run.ts";
import { randomPdf } from "./pdf/random-pdf.ts";

const { values } = parseArgs({
  options: {
    documents: { type: "string", default: "200" },
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
if (!hasChromium) didNotRun("there is no chromium");
const first = Number(values.seed);
const endsAt = Date.now() + Number(values.minutes) * 60_000;
/** Shares of the pixels that a text has alone: below, nobody sees it; above, everybody does. */
const unseenShare = 0.05;
const seenShare = 0.8;
const faultsMax = 20;

await using browser = await startBrowser();
const tab = await browser.openTab();
await tab.send("Emulation.setScriptExecutionDisabled", { value: false });
const library = readFileSync(new URL(import.meta.resolve("unpdf/pdfjs")), "utf8");
const judge = readFileSync(new URL("./pdf/in-page.js", import.meta.url), "utf8").replace("export ", "");
await tab.evaluate(
  `${judge}
   import(URL.createObjectURL(new Blob([${JSON.stringify(library)}], { type: "text/javascript" })))
     .then((pdfjs) => { globalThis.judgePdf = pdfJudge(pdfjs); return true; })`,
);

const faults: string[] = [];
const counts = { documents: 0, texts: 0, unseen: 0, seen: 0, given: 0, lost: 0 };
for (let seed = first; counts.documents < Number(values.documents); seed++) {
  if (Date.now() > endsAt || faults.length >= faultsMax) break;
  const pdf = randomPdf(seed);
  const whole = pdf.whole();
  const { text, removed } = await readDocument(whole, "pdf");
  const base64 = (bytes: Buffer): string => bytes.toString("base64");
  const texts = pdf.words.map((_, at) => ({
    without: base64(pdf.without(at)),
    alone: base64(pdf.alone(at)),
  }));
  const drawn = await tab.evaluate<(readonly [changed: number, alone: number])[]>(
    `judgePdf(${JSON.stringify(base64(whole))}, ${JSON.stringify(texts)})`,
  );
  counts.documents++;
  for (const [at, word] of pdf.words.entries()) {
    const [changed, alone] = drawn[at]!;
    const share = alone === 0 ? 0 : changed / alone;
    const isGiven = text.replace(/\s+/g, "").includes(word);
    counts.texts++;
    if (isGiven) counts.given++;
    if (share < unseenShare) counts.unseen++;
    if (share >= seenShare) counts.seen++;
    if (share < unseenShare && isGiven) faults.push(`seed ${seed}: ${word} is given and not drawn`);
    if (share < seenShare || isGiven || !pdf.isLegible(at)) continue;
    counts.lost++;
    if (!removed.some(([what]) => what === "doubtful"))
      faults.push(`seed ${seed}: ${word} is drawn and called hidden: ${JSON.stringify(removed)}`);
  }
}
console.log(`seed ${first}: ${JSON.stringify(counts)}`);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
