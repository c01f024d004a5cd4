/** An adversary of the HTML renderer: random pages that hide sentences or seem to, each in a window by chance. The pixels of headless
 *  Chromium and of headless Firefox decide what is visible, in the same window. A given sentence that changes no pixel in one of them is
 *  a leak; the page is made as small as possible and written as a case, with the browsers that do not show it. A sentence that the renderer
 *  gives and a judge without pixels does not is looked at in one more window. Sentences that the renderer leaves out and that the first
 *  browser shows are counted. It does not run without a browser, and says which one is absent.
 *  `node test/long/fuzz-html.ts [--documents N] [--minutes N] [--seed S] [--leaks N] [--keep FOLDER] [--judges chromium,firefox]` */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { renderHtml } from "#/src/formats/html/render-html.ts";
import { randomSource } from "../support/random.ts";
import { drawnIn, givenMarks, type Leak, marksOfFormer, minimise } from "./adversary/hunt.ts";
import {
  type Asked as AskedOfJudges,
  chosenEngines,
  type Judges,
  openJudges,
  work,
} from "./adversary/judges.ts";
import { type Mark, marksOf, type Page, type PageNode, wordsOf, writePage } from "./adversary/page.ts";
import { randomPage } from "./adversary/random-page.ts";
import { randomWindow, type Window, writeWindow } from "./adversary/windows.ts";
import { didNotRun } from "./did-not-run.ts";

const { values } = parseArgs({
  options: {
    documents: { type: "string", default: "1000000000" },
    minutes: { type: "string", default: "1" },
    seed: { type: "string" },
    leaks: { type: "string", default: "10" },
    keep: { type: "string" },
    judges: { type: "string" },
  },
});

/** The number of documents that a window judges at once. */
const batchSize = 60;
/** The number of documents after which the browsers are restarted. */
const browserDocuments = 3000;
/** One in this many sentences that are left out is judged. */
const leftOutOneIn = 50;
const toldMs = 60_000;
/** When the browser ends more often than this, the machine cannot run it. */
const restartsMax = 200;

interface Asked extends AskedOfJudges {
  readonly page: Page;
  readonly seed: number;
  /** For each mark, whether the judge without pixels gives it. */
  readonly areFormer: readonly boolean[];
}

const counts = {
  documents: 0,
  withGiven: 0,
  given: 0,
  /** Given by the renderer alone, and by the judge without pixels alone. */
  frameAlone: 0,
  formerAlone: 0,
  leftOut: 0,
  leftOutJudged: 0,
  leftOutSeen: 0,
  leaks: 0,
  restarts: 0,
};
/** The number of sentences left out of each document that is not judged yet, by its seed. */
const leftOut = new Map<number, number>();
const causes = new Map<string, number>();
const signatures = new Set<string>();
/** The number of leaks for each set of browsers that do not show the sentence. */
const unseenIn = new Map<string, number>();
let seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const firstSeed = seed;

interface Batch {
  readonly window: Window;
  readonly other: Window;
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
  const chosen = randomSource(seed ^ 0x5bd1e995);
  const [window, other] = [randomWindow(chosen), randomWindow(chosen)];
  const most = Math.min(batchSize, Number(values.documents) - begun);
  for (let documents = 0; documents < most; documents++) {
    seeds.push(seed);
    begun++;
    const random = randomSource(seed);
    const page = randomPage(random);
    const marks: Mark[] = [];
    const areGiven: boolean[] = [];
    const areFormer: boolean[] = [];
    const givenOnes = givenMarks(page);
    const formerOnes = marksOfFormer(page);
    for (const mark of marksOf(page)) {
      const given = givenOnes.has(mark.mark);
      const isFormer = formerOnes.has(mark.mark);
      if (given && !isFormer) counts.frameAlone++;
      if (isFormer && !given) counts.formerAlone++;
      if (!given) leftOut.set(seed, (leftOut.get(seed) ?? 0) + 1);
      if (!given && random.below(leftOutOneIn) > 0) continue;
      marks.push(mark);
      areGiven.push(given);
      areFormer.push(isFormer);
    }
    if (marks.length > 0)
      asked.push({ seed, page, write: drawnIn(window, page), marks, areGiven, areFormer });
    seed++;
  }
  return seeds.length === 0 ? undefined : { asked, seeds, window, other };
}

/** Splits a batch during which the browser ended, until the document that ends it is alone. That document is then skipped. */
function tryAgain({ asked, seeds, ...windows }: Batch): void {
  if (seeds.length === 1) {
    // Another window may have ended the browser, so a single document is tried twice.
    if (!wasAlone.has(seeds[0]!)) {
      wasAlone.add(seeds[0]!);
      again.push({ asked, seeds, ...windows });
      return;
    }
    passedBy.push(seeds[0]!);
    begun--;
    console.log(`seed ${seeds[0]} is passed by`);
    return;
  }
  const half = Math.ceil(seeds.length / 2);
  for (const some of [seeds.slice(0, half), seeds.slice(half)])
    again.push({ ...windows, seeds: some, asked: asked.filter((one) => some.includes(one.seed)) });
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

async function report(judges: Judges, found: Found): Promise<void> {
  const { page, mark, window, blind } = found;
  const small = await minimise(judges.sameAs(blind), { page, mark: mark.mark, window });
  tellLeak({ ...found, page: small.page });
}

function tellLeak({ page, mark, seed: ofSeed, window, blind }: Found): void {
  const engines = blind.join(" and ");
  const signature = `${engines}: ${signatureOf({ page, mark: mark.mark, window })}`;
  if (signatures.has(signature)) return;
  signatures.add(signature);
  const html = writePage(page);
  const hidden = marksOf(page)
    .filter((one) => one.mark === mark.mark)
    .flatMap(wordsOf);
  console.log(
    `seed ${ofSeed}: ${hidden.join(" ")} is given and not seen in ${engines} at ${writeWindow(window)} (${signature}):\n  ${html}`,
  );
  if (values.keep === undefined) return;
  mkdirSync(values.keep, { recursive: true });
  writeFileSync(
    path.join(values.keep, `${ofSeed}.html`),
    `<!-- hidden: ${hidden.join(" ")} in ${engines} at ${writeWindow(window)} -->\n${html}\n`,
  );
}

async function judgeBatch(judges: Judges, { asked, seeds, window, other }: Batch): Promise<void> {
  const seen = await judges.seen(asked, window);
  const doubted = asked.flatMap((one) => {
    const marks = one.marks.filter((_, index) => one.areGiven[index] && !one.areFormer[index]);
    const areGiven = marks.map(() => true);
    return marks.length === 0 ? [] : [{ ...one, marks, areGiven, write: drawnIn(other, one.page) }];
  });
  const seenAgain = await judges.seen(doubted, other);
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
  for (const [at, { page, marks, seed: ofSeed }] of doubted.entries())
    for (const [index, mark] of marks.entries()) {
      const blind = judges.blindIn(seenAgain[at]![index]!);
      if (blind.length > 0) leaks.push({ page, mark, seed: ofSeed, window: other, blind });
    }
  for (const [at, { page, marks, areGiven, seed: ofSeed }] of asked.entries())
    for (const [index, mark] of marks.entries()) {
      const pixels = seen[at]![index]!;
      const blind = judges.blindIn(pixels);
      if (areGiven[index]) {
        if (blind.length > 0) leaks.push({ page, mark, seed: ofSeed, window, blind });
        continue;
      }
      counts.leftOutJudged++;
      if (blind.length > 0) continue;
      counts.leftOutSeen++;
      for (const [what, , why] of renderHtml(writePage(page), "text").removed)
        causes.set(why ?? what, (causes.get(why ?? what) ?? 0) + 1);
    }
}

interface Found {
  readonly page: Page;
  readonly mark: Mark;
  readonly seed: number;
  readonly window: Window;
  /** The browsers that do not show it. */
  readonly blind: readonly string[];
}

/** Given sentences that are not visible in a browser and not yet reported. */
const leaks: Found[] = [];

function countLeak({ blind }: Found): void {
  counts.leaks++;
  const engines = blind.join(" and ");
  unseenIn.set(engines, (unseenIn.get(engines) ?? 0) + 1);
}

async function tellLeaks(judges: Judges): Promise<void> {
  for (let leak = leaks.pop(); leak !== undefined; leak = leaks.pop()) {
    countLeak(leak);
    try {
      await report(judges, leak);
    } catch (error) {
      // The leak counts although it could not be made smaller.
      tellLeak(leak);
      throw error;
    }
  }
}

function tell(): void {
  const {
    documents,
    withGiven,
    given,
    frameAlone,
    formerAlone,
    leftOut,
    leftOutJudged,
    leftOutSeen,
    leaks,
    restarts,
  } = counts;
  const unseen = [...unseenIn].map(([engines, count]) => `${count} in ${engines}`);
  console.log(
    `${documents} documents from seed ${firstSeed}: ${given} sentences given in ${withGiven} of them, ${leaks} of these not seen (${[`${signatures.size} kinds`, ...unseen].join(", ")}); ${frameAlone} given that the judge without pixels does not give, ${formerAlone} the other way; ${leftOut} left out, of ${leftOutJudged} judged ${leftOutSeen} seen; ${passedBy.length} passed by; browser lost ${restarts} times`,
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
      await using judges = await openJudges(engines);
      const endsWith = counts.documents + browserDocuments;
      while (!isOver() && counts.documents < endsWith) {
        const batch = nextBatch();
        if (batch === undefined) break;
        try {
          await judgeBatch(judges, batch);
        } catch (error) {
          tryAgain(batch);
          throw error;
        }
        await tellLeaks(judges);
        if (Date.now() - toldAt < toldMs) continue;
        toldAt = Date.now();
        tell();
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      counts.restarts++;
      console.log(`near seed ${seed}: ${error.message.slice(0, 300)}`);
    }
  }
  for (const leak of leaks) {
    countLeak(leak);
    tellLeak(leak);
  }
  tell();
  for (const [cause, count] of [...causes].sort((one, other) => other[1] - one[1]).slice(0, 20))
    console.log(`  ${count} of what is seen and left out: ${cause}`);
  for (const [name, { ms, pages }] of work)
    console.log(`  ${name}: ${Math.round((pages * 60_000) / Math.max(1, ms))} pages a minute`);
  process.exitCode = signatures.size === 0 ? 0 : 1;
}

const engines = chosenEngines(values.judges);
if (engines.length === 0) didNotRun("there is no browser to judge");
await run();
