/** Marks around text that others wrote ("Text that others wrote" of the interface), so that a reader sees where it begins and ends. A mark
 *  is 64 random bits, new for each answer, so that no text can have been written with it.
 *  fence: the text stands between two marks. words: in addition each run of blanks within a line is one character of private use, so that
 *  each word is seen to be one of others. Where there are no blanks it follows each tenth character. Code, tables and addresses stay. */
import { randomBytes, randomInt } from "node:crypto";

export const markKinds = ["none", "fence", "words"] as const;
export type MarkKind = (typeof markKinds)[number];

export function newMark(): string {
  return `⟦${randomBytes(8).toString("hex")}⟧`;
}

const sixtyFourBits = /(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])/gi;

/** What may be a mark in a text, with or without its brackets. */
export function marksIn(text: string): readonly string[] {
  return text.match(sixtyFourBits)?.map((bits) => `⟦${bits.toLowerCase()}⟧`) ?? [];
}

export interface Marker {
  readonly mark: string;
  /** Of words: the character in the place of blanks. */
  readonly blank: string | undefined;
  /** Characters of private use that were removed so far. */
  readonly removed: number;
  /** An empty text stays. */
  around(text: string): string;
}

export function createMarker(kind: Exclude<MarkKind, "none">, mark: string = newMark()): Marker {
  const blank = kind === "words" ? String.fromCodePoint(randomInt(0xe000, 0xf900)) : undefined;
  let removed = 0;
  return {
    mark,
    blank,
    get removed() {
      return removed;
    },
    around(text) {
      if (text === "") return text;
      if (blank === undefined) return mark + text + mark;
      const bare = text.replace(/\p{Co}/gu, () => {
        removed++;
        return "";
      });
      return mark + withoutBlanks(bare, blank) + mark;
    },
  };
}

const fence = /^[> \t]{0,40}(?:```|~~~)/;
const isTable = /\t|\|[^|\n]*\|/;
const blanks = /[\p{Zs}\t]/u;
const oneMark = /(⟦[0-9a-f]{16}⟧)/;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const stretchMax = 10;

function withoutBlanks(text: string, blank: string): string {
  let isCode = false;
  return text
    .split("\n")
    .map((line) => {
      if (fence.test(line)) {
        isCode = !isCode;
        return line;
      }
      return isCode || isTable.test(line) ? line : markedLine(line, blank);
    })
    .join("\n");
}

function markedLine(line: string, blank: string): string {
  const isUnspaced = !blanks.test(line.trim());
  const pieces = line.split("`");
  return pieces
    .map((piece, at) => {
      const isCodeHere = at % 2 === 1 && at < pieces.length - 1;
      return isCodeHere ? piece : markedWords(piece, blank, isUnspaced);
    })
    .join("`");
}

function markedWords(text: string, blank: string, isUnspaced: boolean): string {
  const joined = text.replace(/[\p{Zs}\t]+/gu, blank);
  if (!isUnspaced && !unspaced.test(joined)) return joined;
  return joined
    .split(blank)
    .map((stretch) => (isAddress(stretch) ? stretch : divided(stretch, blank)))
    .join(blank);
}

function isAddress(stretch: string): boolean {
  return stretch.includes("://") || /^(?:www\.|mailto:)/i.test(stretch);
}

/** With a blank behind each tenth character. */
function divided(text: string, blank: string): string {
  return text
    .split(oneMark)
    .map((piece, at) => (at % 2 === 1 ? piece : tenByTen(piece, blank)))
    .join("");
}

function tenByTen(text: string, blank: string): string {
  let written = "";
  let since = 0;
  for (const character of text) {
    written += character;
    if (++since < stretchMax) continue;
    written += blank;
    since = 0;
  }
  return written;
}
