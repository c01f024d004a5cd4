/** The text of a page of a PDF from its words: in the order in which they are painted, with spaces and line ends where their places say so.
 *  Letters of scripts that are written from right to left are painted from left to right; they are put into the order in which they are read. */
import type { TextRun } from "./pdf-painted.ts";
import { spaceLeast } from "./pdf-runs.ts";

/** Ems that letters may reach back over the ones before. */
const backMost = 1;
/** Ems that a word may begin before the one that is painted before it, and words of a line in which others are looked for. */
const overlapMost = 0.2;
const lineMost = 60;
/** Ems that the base lines of one line differ at most. */
const riseMost = 0.5;
/** Cosine of the angle between directions that are the same. */
const sameDirection = 0.9;
/** Ems between words that are printed twice to look bold. */
const twiceMost = 0.15;

/** `isGiven`: of a word; another one leaves its place empty. `notes`: what stands behind a word. */
export function textOfRuns(
  runs: readonly TextRun[],
  isGiven: (run: TextRun) => boolean,
  notes: ReadonlyMap<TextRun, string>,
): string {
  const lines: string[] = [];
  /** Pieces of one line that go on from left to right. */
  let piece = "";
  let line = "";
  let last: TextRun | undefined;
  const places = new Map<string, TextRun>();
  const endPiece = (): void => {
    line += inReadingOrder(piece);
    piece = "";
  };
  const endLine = (): void => {
    endPiece();
    lines.push(line.trimEnd());
    line = "";
  };
  for (const run of runs) {
    const key = `${run.text} ${run.colour}`;
    const before = places.get(key);
    places.set(key, run);
    const note = notes.get(run);
    const addNote = (): void => {
      if (note === undefined) return;
      endPiece();
      line += note;
    };
    if (before !== undefined && isGiven(before) && isAtPlace(before, run)) {
      addNote();
      continue;
    }
    const between = last === undefined ? "" : separator(last, run);
    if (between === "\n") endLine();
    else if (between === "back") {
      endPiece();
      line += " ";
    } else if (between === " " && !`${line}${piece}`.endsWith(" ")) piece += " ";
    last = run;
    if (isGiven(run)) piece += run.text;
    addNote();
  }
  endLine();
  return lines.join("\n");
}

/** Words that are painted in another order than that in which they are read: one ends where another one of its line begins that was painted
 *  before it. */
export function outOfOrder(runs: readonly TextRun[]): ReadonlySet<TextRun> {
  const found = new Set<TextRun>();
  let line: TextRun[] = [];
  for (const run of runs) {
    if (line.length > 0 && separator(line.at(-1)!, run) === "\n") line = [];
    for (const one of line) {
      if (!isJustBefore(run, one)) continue;
      found.add(one);
      found.add(run);
    }
    line.push(run);
    if (line.length > lineMost) line.shift();
  }
  return found;
}

/** It begins before a word, and ends in it or so near that no space is seen between. */
function isJustBefore(run: TextRun, { from, along: [x, y], size }: TextRun): boolean {
  const [least, most] = [Math.min(size, run.size), Math.max(size, run.size)];
  const before = (at: readonly [number, number]): number => (from[0] - at[0]) * x + (from[1] - at[1]) * y;
  return (
    before(run.from) > overlapMost * most && before(run.to) < spaceLeast * least && !fromRight.test(run.text)
  );
}

function isAtPlace(one: TextRun, other: TextRun): boolean {
  return (
    Math.hypot(one.from[0] - other.from[0], one.from[1] - other.from[1]) < twiceMost * other.size &&
    Math.abs(one.size - other.size) < twiceMost * other.size
  );
}

function separator(last: TextRun, next: TextRun): "" | " " | "\n" | "back" {
  const [x, y] = last.along;
  const size = Math.max(last.size, next.size);
  if (x * next.along[0] + y * next.along[1] < sameDirection) return "\n";
  const [awayX, awayY] = [next.from[0] - last.to[0], next.from[1] - last.to[1]];
  if (Math.abs(awayY * x - awayX * y) > riseMost * size) return "\n";
  const away = awayX * x + awayY * y;
  if (away < -backMost * size) return "back";
  return next.isAfterSpace || away > spaceLeast * Math.min(last.size, next.size) ? " " : "";
}

const fromRight = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const partFromRight =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]+(?:[^\p{L}\p{N}]+[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]+)*/gu;
/** What stays from left to right among such letters: words and numbers of others, with what joins them. */
const fromLeft = /[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}]|[.,:/@_'’-](?=[\p{L}\p{N}]))*/gu;
const mirrored: Readonly<Record<string, string>> = {
  "(": ")",
  ")": "(",
  "[": "]",
  "]": "[",
  "{": "}",
  "}": "{",
  "<": ">",
  ">": "<",
  "«": "»",
  "»": "«",
};
/** Letters as fonts have them, which stand for others: joined ones, and forms of Arabic ones. */
const forms = /[\u00a0\u2000-\u200a\u202f\ufb00-\ufdff\ufe70-\ufefc]/g;

/** Of a line, the share of letters from right to left below which it is one from left to right. */
const fromRightLeast = 0.3;

/** A piece of a line as it is read, from one as it is painted. */
function inReadingOrder(piece: string): string {
  const letters = piece.match(/\p{L}/gu) ?? [];
  const others = letters.filter((letter) => fromRight.test(letter)).length;
  const read =
    others === 0
      ? piece
      : others < fromRightLeast * letters.length
        ? piece.replace(partFromRight, turned)
        : turned(piece);
  return read.replace(forms, (one) => one.normalize("NFKC"));
}

function turned(piece: string): string {
  const words: string[] = [];
  let at = 0;
  const add = (text: string): void => {
    for (const letter of text.match(/\P{M}\p{M}*|\p{M}+/gu) ?? []) words.push(mirrored[letter] ?? letter);
  };
  for (const found of piece.matchAll(fromLeft)) {
    if (fromRight.test(found[0])) continue;
    add(piece.slice(at, found.index));
    words.push(found[0]);
    at = found.index + found[0].length;
  }
  add(piece.slice(at));
  return words.reverse().join("");
}
