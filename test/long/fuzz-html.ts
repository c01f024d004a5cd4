/** An adversary of the HTML renderer: random pages that hide sentences or seem to. The pixels of headless Chromium decide what is
 *  visible. A given sentence that changes no pixel is a leak; the page is made as small as possible and written as a case. Visible
 *  sentences that the renderer leaves out are counted. It does not run without Chromium.
 *  `node test/long/fuzz-html.ts [--documents N] [--minutes N] [--seed S] [--leaks N] [--keep FOLDER]` */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { renderHtml } from "#/src/formats/html/render-html.ts";
import { type Browser, hasChromium, startBrowser } from "../peers/browser.ts";
import { randomSource } from "../support/random.ts";
import { givenMarks, type Leak, minimise } from "./adversary/hunt.ts";
import { createJudge, type Judge, type Question } from "./adversary/judge.ts";
import { type Mark, marksOf, type Page, type PageNode, wordsOf, writePage } from "./adversary/page.ts";
import { randomPage } from "./adversary/random-page.ts";
import { didNotRun } from "./did-not-run.ts";

const { values } = parseArgs({
  options: {
    documents: { type: "string", default: "1000000000" },
    minutes: { type: "string", default: "1" },
    seed: { type: "string" },
    leaks: { type: "string", default: "10" },
    keep: { type: "string" },
  },
});

/** The number of documents that a window judges at once. */
const batchSize = 60;
/** The number of documents after which the browser is restarted. */
const browserDocuments = 3000;
const workers = 3;
/** One in this many sentences that are left out is judged. */
const leftOutOneIn = 50;
const toldMs = 60_000;
/** When the browser ends more often than this, the machine cannot run it. */
const restartsMax = 200;

interface Asked extends Question {
  readonly page: Page;
  readonly seed: number;
  /** For each mark, whether the renderer gives its sentence. */
  readonly areGiven: readonly boolean[];
}

const counts = {
  documents: 0,
  withGiven: 0,
  given: 0,
  leftOut: 0,
  leftOutJudged: 0,
  leftOutSeen: 0,
  leaks: 0,
  restarts: 0,
};
/** The number of sentences left out of each document that is not judged yet, by its seed. */
const leftOut = new Map<number, number>();
const causes = new Map<string, number>();
const signatures = new Map<string, string>();
let seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const firstSeed = seed;

interface Batch {
  readonly asked: readonly Asked[];
  /** The seeds of all documents, including those without a sentence to judge. */
  readonly seeds: readonly number[];
}

/** Halves of batches during which the browser ended. */
const again: Batch[] = [];
const wasAlone = new Set<number>();
const passedBy: number[] = [];
/** The number of documents in batches so far, without those that were skipped. */
let begun = 0;

function nextBatch(): Batch | undefined {
  const known = again.pop();
  if (known !== undefined) return known;
  const asked: Asked[] = [];
  const seeds: number[] = [];
  const most = Math.min(batchSize, Number(values.documents) - begun);
  for (let documents = 0; documents < most; documents++) {
    seeds.push(seed);
    begun++;
    const random = randomSource(seed);
    const page = randomPage(random);
    const marks: Mark[] = [];
    const areGiven: boolean[] = [];
    const givenOnes = givenMarks(page);
    for (const mark of marksOf(page)) {
      const given = givenOnes.has(mark.mark);
      if (!given) leftOut.set(seed, (leftOut.get(seed) ?? 0) + 1);
      if (!given && random.below(leftOutOneIn) > 0) continue;
      marks.push(mark);
      areGiven.push(given);
    }
    if (marks.length > 0)
      asked.push({ seed, page, write: (others) => writePage(page, others), marks, areGiven });
    seed++;
  }
  return seeds.length === 0 ? undefined : { asked, seeds };
}

/** Splits a batch during which the browser ended, until the document that ends it is alone. That document is then skipped. */
function tryAgain({ asked, seeds }: Batch): void {
  if (seeds.length === 1) {
    // Another window may have ended the browser, so a single document is tried twice.
    if (!wasAlone.has(seeds[0]!)) {
      wasAlone.add(seeds[0]!);
      again.push({ asked, seeds });
      return;
    }
    passedBy.push(seeds[0]!);
    begun--;
    console.log(`seed ${seeds[0]} is passed by`);
    return;
  }
  const half = Math.ceil(seeds.length / 2);
  for (const some of [seeds.slice(0, half), seeds.slice(half)])
    again.push({ seeds: some, asked: asked.filter((one) => some.includes(one.seed)) });
}

/** The names of what the page uses, without values. Leaks with the same names count as one kind. */
function signatureOf({ page }: Leak): string {
  const names = (node: PageNode): string[] =>
    node.kind === "box"
      ? [
          ...node.style.map(([property]) => property),
          ...node.attributes.map(([name]) => `[${name}]`),
          ...node.children.flatMap(names),
        ]
      : [];
  const rules = page.rules.map((rule) =>
    typeof rule === "string"
      ? rule
      : `${rule.within.join(" ")} ${rule.style.map(([property]) => property).join(" ")}`,
  );
  return [...new Set([...names(page.body), ...rules, ...page.head])].sort().join(", ");
}

async function report(judge: Judge, page: Page, mark: Mark, ofSeed: number): Promise<void> {
  const small = await minimise(judge, { page, mark: mark.mark });
  tellLeak(small.page, mark, ofSeed);
}

function tellLeak(page: Page, mark: Mark, ofSeed: number): void {
  const small = { page, mark: mark.mark };
  const signature = signatureOf(small);
  if (signatures.has(signature)) return;
  const html = writePage(small.page);
  signatures.set(signature, html);
  const hidden = marksOf(small.page)
    .filter((one) => one.mark === mark.mark)
    .flatMap(wordsOf);
  console.log(`seed ${ofSeed}: ${hidden.join(" ")} is given and not seen (${signature}):\n  ${html}`);
  if (values.keep === undefined) return;
  mkdirSync(values.keep, { recursive: true });
  writeFileSync(path.join(values.keep, `${ofSeed}.html`), `<!-- hidden: ${hidden.join(" ")} -->\n${html}\n`);
}

async function judgeBatch(judge: Judge, { asked, seeds }: Batch): Promise<void> {
  const seen = await judge.seen(asked);
  counts.documents += seeds.length;
  for (const one of seeds) {
    counts.leftOut += leftOut.get(one) ?? 0;
    leftOut.delete(one);
  }
  for (const { areGiven } of asked) {
    const given = areGiven.filter((isGiven) => isGiven).length;
    counts.given += given;
    if (given > 0) counts.withGiven++;
  }
  for (const [at, { page, marks, areGiven, seed: ofSeed }] of asked.entries())
    for (const [index, mark] of marks.entries()) {
      const pixels = seen[at]![index]!;
      if (areGiven[index]) {
        if (pixels === 0) leaks.push({ page, mark, seed: ofSeed });
        continue;
      }
      counts.leftOutJudged++;
      if (pixels === 0) continue;
      counts.leftOutSeen++;
      for (const [what, , why] of renderHtml(writePage(page), "text").removed)
        causes.set(why ?? what, (causes.get(why ?? what) ?? 0) + 1);
    }
}

/** Given sentences that are not visible and not yet reported. */
const leaks: { readonly page: Page; readonly mark: Mark; readonly seed: number }[] = [];

async function tellLeaks(judge: Judge): Promise<void> {
  for (let leak = leaks.pop(); leak !== undefined; leak = leaks.pop()) {
    counts.leaks++;
    try {
      await report(judge, leak.page, leak.mark, leak.seed);
    } catch (error) {
      // The leak counts although it could not be made smaller.
      tellLeak(leak.page, leak.mark, leak.seed);
      throw error;
    }
  }
}

function tell(): void {
  const { documents, withGiven, given, leftOut, leftOutJudged, leftOutSeen, leaks, restarts } = counts;
  console.log(
    `${documents} documents from seed ${firstSeed}: ${given} sentences given in ${withGiven} of them, ${leaks} of these not seen (${signatures.size} kinds); ${leftOut} left out, of ${leftOutJudged} judged ${leftOutSeen} seen; ${passedBy.length} passed by; browser lost ${restarts} times`,
  );
}

async function run(): Promise<void> {
  const endsAt = Date.now() + Number(values.minutes) * 60_000;
  let toldAt = Date.now();
  const isOver = (): boolean =>
    Date.now() > endsAt ||
    (begun >= Number(values.documents) && again.length === 0) ||
    signatures.size >= Number(values.leaks);
  while (!isOver() && counts.restarts < restartsMax) {
    try {
      await using browser: Browser = await startBrowser();
      const endsWith = counts.documents + browserDocuments;
      const work = async (): Promise<void> => {
        const judge = await createJudge(browser);
        while (!isOver() && counts.documents < endsWith) {
          const batch = nextBatch();
          if (batch === undefined) return;
          try {
            await judgeBatch(judge, batch);
          } catch (error) {
            tryAgain(batch);
            throw error;
          }
          await tellLeaks(judge);
          if (Date.now() - toldAt < toldMs) continue;
          toldAt = Date.now();
          tell();
        }
      };
      const ends = await Promise.allSettled(Array.from({ length: workers }, work));
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      counts.restarts++;
      console.log(`near seed ${seed}: ${error.message.slice(0, 300)}`);
    }
  }
  for (const leak of leaks) {
    counts.leaks++;
    tellLeak(leak.page, leak.mark, leak.seed);
  }
  tell();
  for (const [cause, count] of [...causes].sort((one, other) => other[1] - one[1]).slice(0, 20))
    console.log(`  ${count} of what is seen and left out: ${cause}`);
  process.exitCode = signatures.size === 0 ? 0 : 1;
}

if (!hasChromium) didNotRun("there is no Chromium");
await run();
