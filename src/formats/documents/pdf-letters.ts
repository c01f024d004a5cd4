/** Whether the fonts of a PDF draw the letters that its text says. What a letter says is a table of the file (ToUnicode, ISO 32000-1 section
 *  9.10.3), what it draws is its outline: the two are compared. An outline is empty, or far from its place, or one outline is said to be several
 *  letters, or it looks like another letter than the one that is said: such text is not what a person reads.
 *  Fonts that are not in the file are drawn by the names of their letters, which are compared with the text.
 *  Letters without a usual shape (of other scripts, with accents) are asked only whether they are drawn, and whether two are drawn alike. */

import { type Ink, letterClass, rankOf, shapeOf } from "./letter-shapes.ts";
import { type Glyph, inkOf, type PageFont } from "./pdf-fonts.ts";

export type Drawn = "as-said" | "not-drawn" | "otherwise";

/** Classes of letters that an outline of an honest font may resemble more than its own. */
const rankMost = 8;
/** Of the different letters of a font that are read, the share that may look like others. */
const othersShare = 0.15;
const othersLeast = 2;
/** Ems: an outline is in this place around its letter. */
const place: Ink = { left: -1, bottom: -1, right: 2.5, top: 1.7 };
const tallLeast = 0.18;
/** Letters that are a line. */
const flat = /^[\u4e00\u30fc\u3161\u2f00\u0640]$/;
/** Ems that each of several letters in one outline is wide at least. */
const shareOfLigature = 0.12;
/** Those that usual fonts have: of others it is not known what they look like. */
const ligatures = /^(?:ff?[bfhijklt]?|f[tf]t|tti?|t[fi]|tt?f|Th|[cs]t|sp|ij|IJ|[Aa]e|[Oo]e|AE|OE)$/;
/** Signs with letters in them that usual texts have: fractions, trade marks, degrees, numbers. */
const signs = /^[\u00bc-\u00be\u2150-\u215f\u2189\u2100-\u2109\u2116\u2120-\u2122]$/;
/** Of letters of other scripts. */
const ligatureOfOthersMost = 8;
/** Outlines of a document that are compared. */
const outlinesMax = 20_000;

interface Letter {
  readonly drawn: Drawn;
  /** Of a letter with a usual shape. */
  readonly said?: string;
  readonly rank?: number;
  readonly outline?: string;
}

interface FontLetters {
  readonly letters: Map<string, Letter>;
  /** The worst rank of each letter. */
  readonly ranks: Map<string, number>;
  /** What each outline is said to be. */
  readonly said: Map<string, string>;
  readonly twice: Set<string>;
  /** Too many look like others. */
  isLying: boolean;
}

export interface LetterJudge {
  /** Before the letters of a page are asked for. */
  note(font: PageFont, glyph: Glyph): void;
  drawn(font: PageFont, glyph: Glyph): Drawn;
  /** It looks like another letter than the one that is said: of a few letters of a font that says nothing. */
  isOdd(font: PageFont, glyph: Glyph): boolean;
}

export function createLetterJudge(): LetterJudge {
  const fonts = new Map<string, FontLetters>();
  let outlines = 0;

  function lettersOf(font: PageFont): FontLetters {
    let found = fonts.get(font.name);
    if (found === undefined) {
      found = { letters: new Map(), ranks: new Map(), said: new Map(), twice: new Set(), isLying: false };
      fonts.set(font.name, found);
    }
    return found;
  }

  return {
    note(font, glyph) {
      const all = lettersOf(font);
      const key = keyOf(glyph);
      if (all.letters.has(key)) return;
      const letter = ++outlines > outlinesMax ? { drawn: "otherwise" as const } : letterOf(font, glyph);
      all.letters.set(key, letter);
      const { said, rank, outline } = letter;
      if (said === undefined || outline === undefined) return;
      if (rank !== undefined) {
        all.ranks.set(said, Math.max(rank, all.ranks.get(said) ?? 0));
        const others = [...all.ranks.values()].filter((one) => one > rankMost).length;
        all.isLying = others >= othersLeast && others > othersShare * all.ranks.size;
      }
      const before = all.said.get(outline) ?? letterClass(said);
      if (before !== letterClass(said)) all.twice.add(outline);
      all.said.set(outline, before);
    },
    drawn(font, glyph) {
      const all = lettersOf(font);
      const letter = all.letters.get(keyOf(glyph));
      if (letter === undefined) return "otherwise";
      if (letter.drawn !== "as-said" || letter.said === undefined) return letter.drawn;
      if (letter.outline !== undefined && all.twice.has(letter.outline)) return "otherwise";
      return all.isLying ? "otherwise" : "as-said";
    },
    isOdd(font, glyph) {
      return (lettersOf(font).letters.get(keyOf(glyph))?.rank ?? 0) > rankMost;
    },
  };
}

function keyOf({ fontChar, operatorListId, unicode }: Glyph): string {
  return `${fontChar} ${operatorListId ?? ""} ${unicode}`;
}

function letterOf(font: PageFont, glyph: Glyph): Letter {
  const text = glyph.unicode.normalize("NFKC").trim();
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(text)) return { drawn: "as-said" };
  if (font.isMissing) return { drawn: isNamed(glyph.fontChar, text) ? "as-said" : "otherwise" };
  const outline = font.outlineOf(glyph);
  const ink = outline && inkOf(outline);
  if (outline === undefined && font.isDrawn) return { drawn: "otherwise" };
  if (outline === undefined || ink === undefined) return { drawn: "not-drawn" };
  const isTall = ink.top - ink.bottom >= tallLeast;
  if (!isInPlace(ink) || (/^[\p{L}\p{N}]/u.test(text) && !isTall && !flat.test(text)))
    return { drawn: "otherwise" };
  const letters = [...glyph.unicode.trim()].filter((one) => !/\p{M}/u.test(one));
  if (letters.length > 1) return { drawn: isLigature(letters, ink) ? "as-said" : "otherwise" };
  const plain = [...text.normalize("NFKD").replace(/\p{M}/gu, "")];
  if (plain.length > 1 && !signs.test(glyph.unicode.trim()) && /[A-Za-z0-9]/.test(plain.join("")))
    return { drawn: isLigature(plain, ink) ? "as-said" : "otherwise" };
  if (!/^[A-Za-z0-9]/.test(text.normalize("NFD"))) return { drawn: "as-said" };
  const said = { drawn: "as-said", said: text, outline: wordOf(outline) } as const;
  if (!/^[A-Za-z0-9]$/.test(text)) return said;
  const shape = shapeOf(outline);
  return { ...said, rank: (shape && rankOf(shape, text)) ?? Number.POSITIVE_INFINITY };
}

function isLigature(letters: readonly string[], { left, right }: Ink): boolean {
  const text = letters.join("").normalize("NFKD");
  const isUsual = /[A-Za-z0-9]/.test(text) ? ligatures.test(text) : letters.length <= ligatureOfOthersMost;
  return isUsual && right - left >= shareOfLigature * letters.length;
}

/** Of a font that a program takes from elsewhere. */
function isNamed(name: string, text: string): boolean {
  const plain = (one: string): string => one.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return !/[\p{L}\p{N}]/u.test(text) || plain(name) === plain(text);
}

function isInPlace({ left, bottom, right, top }: Ink): boolean {
  return left >= place.left && right <= place.right && bottom >= place.bottom && top <= place.top;
}

/** Outlines that are the same have the same. */
function wordOf(outline: ArrayLike<number>): string {
  let [one, other] = [outline.length, 7];
  for (let at = 0; at < outline.length; at++) {
    const number = Math.round(outline[at]! * 2000);
    one = (Math.imul(one, 31) + number) | 0;
    other = (Math.imul(other, 1_000_003) ^ number) | 0;
  }
  return `${one} ${other}`;
}
