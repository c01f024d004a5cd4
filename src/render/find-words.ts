/** Where words stand in a text, without regard to case, marks and the kind of blanks between them. The text is read in short portions,
 *  with turns of the event loop between them. */
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { readForeign } from "#/src/model/foreign-text.ts";

/** In UTF-16 units of the text. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** One portion is less than what may be read on the main thread at once, in UTF-8 too. */
const portionUnits = 1000;
const wordsUnitsMax = 500;
/** Shorter ones stand everywhere. */
const wordUnitsMin = 4;

/** The first place of all words as they are given; else of the longest one of them that stands there. */
export async function findWords(text: string, words: string): Promise<Place | undefined> {
  const phrase = foldedOf(words.slice(0, wordsUnitsMax)).folded.trim();
  if (phrase === "") return undefined;
  const whole = await findFolded(text, phrase);
  if (whole !== undefined) return whole;
  const single = [...new Set(phrase.split(" "))].sort((one, other) => other.length - one.length);
  if (single.length === 1) return undefined;
  for (const word of single.filter(({ length }) => length >= wordUnitsMin).slice(0, 5)) {
    const found = await findFolded(text, word);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `phrase` is folded. */
async function findFolded(text: string, phrase: string): Promise<Place | undefined> {
  const turns = new LoopTurns();
  let kept: Folded = { folded: "", places: [] };
  for (let at = 0; at < text.length; at += portionUnits) {
    const portion = text.slice(at, at + portionUnits);
    const read = readForeign(
      "words",
      portion,
      () => foldedOf(portion, at),
      () => nothing,
    );
    // A blank at the border stands once.
    const isTwice = kept.folded.endsWith(" ") && read.folded.startsWith(" ");
    const from = isTwice ? 1 : 0;
    const joined = kept.folded + read.folded.slice(from);
    const places = [...kept.places, ...read.places.slice(from)];
    const found = joined.indexOf(phrase);
    if (found !== -1) {
      const last = places[found + phrase.length - 1]!;
      return { start: places[found]!, end: last + (text.codePointAt(last)! > 0xffff ? 2 : 1) };
    }
    const left = Math.max(0, joined.length - phrase.length);
    kept = { folded: joined.slice(left), places: places.slice(left) };
    await turns.turn();
  }
  return undefined;
}

interface Folded {
  readonly folded: string;
  /** For each unit of it, where its character begins in the text. */
  readonly places: readonly number[];
}

const nothing: Folded = { folded: "", places: [] };

function foldedOf(text: string, offset = 0): Folded {
  let folded = "";
  const places: number[] = [];
  let at = offset;
  for (const character of text) {
    const plain = /\s/.test(character)
      ? folded.endsWith(" ")
        ? ""
        : " "
      : character.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    folded += plain;
    for (let unit = 0; unit < plain.length; unit++) places.push(at);
    at += character.length;
  }
  return { folded, places };
}
