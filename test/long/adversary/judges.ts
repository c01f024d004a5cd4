/** The browsers that judge pages by their pixels, each on its own. A sentence that one of them does not show is hidden from people who use it. */
import { type Browser, hasChromium, startBrowser } from "../../peers/browser.ts";
import { hasFirefox, startFirefox } from "../../peers/firefox.ts";
import { createJudge, type Judge, type Question } from "./judge.ts";
import type { Window } from "./windows.ts";

interface Engine {
  readonly name: string;
  readonly isThere: boolean;
  readonly start: () => Promise<Browser>;
}

const engines: readonly Engine[] = [
  { name: "chromium", isThere: hasChromium, start: startBrowser },
  { name: "firefox", isThere: hasFirefox, start: startFirefox },
];

/** The browsers that are asked for, in this order, as far as they are installed. */
export function chosenEngines(names: string = "chromium,firefox"): Engine[] {
  return names.split(",").flatMap((name) => {
    const engine = engines.find((one) => one.name === name);
    if (engine === undefined) throw new Error(`there is no judge ${name}`);
    if (!engine.isThere) console.log(`${name} does not judge: it is not installed`);
    return engine.isThere ? [engine] : [];
  });
}

/** What a question asks of the first judge, and of the others. */
export interface Asked extends Question {
  /** For each mark, whether the others are asked too: whether the renderer gives the sentence. */
  readonly areGiven: readonly boolean[];
}

export interface Judges extends AsyncDisposable {
  /** For each page and mark, the pixels that each browser shows; undefined where it was not asked. */
  seen(asked: readonly Asked[], window: Window): Promise<(readonly (number | undefined)[])[][]>;
  /** A judge that sees no pixels where these browsers show none and the others show some. */
  sameAs(blind: readonly string[]): Judge;
  /** The browsers that show nothing of a sentence. */
  blindIn(pixels: readonly (number | undefined)[]): string[];
}

/** The time that each browser took to judge, in milliseconds, and the pages that it judged. */
export const work = new Map<string, { ms: number; pages: number }>();

export async function openJudges(chosen: readonly Engine[]): Promise<Judges> {
  const starts = await Promise.allSettled(chosen.map(({ start }) => start()));
  const browsers = starts.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const end = async (): Promise<void> => {
    await Promise.all(browsers.map((one) => one[Symbol.asyncDispose]()));
  };
  try {
    for (const one of starts) if (one.status === "rejected") throw one.reason;
    const judges = await Promise.all(browsers.map(createJudge));
    const measured = async (at: number, questions: readonly Question[], window: Window) => {
      const before = performance.now();
      const seen = await judges[at]!.seen(questions, window);
      const { name } = chosen[at]!;
      const { ms, pages } = work.get(name) ?? { ms: 0, pages: 0 };
      work.set(name, { ms: ms + performance.now() - before, pages: pages + questions.length });
      return seen;
    };
    /** Pages without a sentence are not drawn. */
    const seenIn = async (at: number, asked: readonly Asked[], window: Window) => {
      const questions = asked.map(({ write, marks, areGiven }) => ({
        write,
        marks: at === 0 ? marks : marks.filter((_, index) => areGiven[index]),
      }));
      const seen = (
        await measured(
          at,
          questions.filter(({ marks }) => marks.length > 0),
          window,
        )
      ).values();
      return questions.map(({ marks }, number) => {
        const pixels = marks.length === 0 ? [] : seen.next().value!;
        return asked[number]!.marks.map((mark) => pixels[marks.indexOf(mark)]);
      });
    };
    const judged: Judges = {
      async seen(asked, window) {
        const seen = await Promise.all(judges.map((_, at) => seenIn(at, asked, window)));
        return asked.map(({ marks }, number) =>
          marks.map((_, index) => seen.map((pages) => pages[number]![index])),
        );
      },
      sameAs: (blind) => ({
        async seen(questions, window) {
          const seen = await Promise.all(judges.map((one) => one.seen(questions, window)));
          return questions.map(({ marks }, number) =>
            marks.map((_, index) => {
              const pixels = seen.map((pages) => pages[number]![index]!);
              return judged.blindIn(pixels).join() === blind.join() ? 0 : Math.max(1, ...pixels);
            }),
          );
        },
      }),
      blindIn: (pixels) => chosen.filter((_, at) => pixels[at] === 0).map(({ name }) => name),
      [Symbol.asyncDispose]: end,
    };
    return judged;
  } catch (error) {
    await end();
    throw error;
  }
}
