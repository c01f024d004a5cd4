/** Removes characters that are invisible to a person but not to a program: zero-width characters, blank signs, direction controls,
 *  tags, variation selectors, fillers, private-use runs. Joiners of letters and emoji stay where a script or an emoji needs them.
 *  Line ends become LF. */
import type { Doubt, Removal } from "#/src/model/removal.ts";

export type CountRemoval = (what: Removal, count: number) => void;
/** `why`: only for "doubtful". */
export type CountLeftOut = (what: Removal, count: number, why?: Doubt) => void;

const suspicious =
  /(?:(?![\t\n])\p{Cc}|\p{Default_Ignorable_Code_Point}|\p{Co}|\p{Noncharacter_Code_Point}|[\u2028\u2029\u2800\ufff9-\ufffb\ufffc\u{1d159}\u{16fe4}\u{13430}-\u{1343f}])+/gu;
const isSuspicious = new RegExp(suspicious.source, "u");
/** Most texts have only these characters, and this test takes a fifth of the time. */
const isPlain = /^[\t\n -~]*$/;

export function cleanText(text: string, count: CountRemoval): string {
  const broken = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  if (isPlain.test(broken)) return broken;
  const lines = broken.toWellFormed();
  if (!isSuspicious.test(lines)) return lines;
  return lines.replace(suspicious, (run: string, at: number) => cleanRun(run, lines, at, count));
}

function cleanRun(run: string, text: string, at: number, count: CountRemoval): string {
  const before = lastCharacter(text, at);
  const after = firstCharacter(text, at + run.length);
  if (isNeeded(run, before, after, text, at)) return run;
  let kept = "";
  for (const character of run) {
    const kind = kindOf(character, run, before);
    if (kind === "line") kept += "\n";
    else if (kind === "kept") kept += character;
    else count(kind, 1);
  }
  return kept;
}

/** Longer runs are removed. Single private-use characters stay: they are bullets and logos of special fonts. */
const privateRunMax = 2;

function kindOf(character: string, run: string, before: string): Removal | "line" | "kept" {
  const point = character.codePointAt(0)!;
  if (point === 0x2028 || point === 0x2029) return "line";
  if (/\p{Cc}/u.test(character)) return "control-character";
  if (point >= 0xe0000 && point <= 0xe007f) return "unicode-tag";
  if (/\p{Variation_Selector}/u.test(character)) return "variation-selector";
  if (isBidi(point)) return "bidi-control";
  if (point === 0x2800) return /[\u2801-\u28ff]/.test(before) ? "kept" : "zero-width";
  if (point >= 0xe000 && point <= 0xf8ff && run.length <= privateRunMax) return "kept";
  return /\p{Co}|\p{Noncharacter_Code_Point}/u.test(character) ? "control-character" : "zero-width";
}

function isBidi(point: number): boolean {
  return (
    point === 0x61c ||
    point === 0x200e ||
    point === 0x200f ||
    (point >= 0x202a && point <= 0x202e) ||
    (point >= 0x2066 && point <= 0x206f)
  );
}

/** Scripts that use joiners and non-joiners. */
const joining =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mandaic}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Adlam}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Balinese}\p{Script=Javanese}]/u;
const pictographic = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u20e3/u;
const emojiBase = /[\p{Emoji}\p{Extended_Pictographic}]/u;
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const arabic = /\p{Script=Arabic}/u;
/** Arabic letters that are not joined to the next one (Joining_Type R and U). */
const joinsNothing =
  /[\u0621-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06d5]/;

function isJoining(character: string): boolean {
  return joining.test(character) && !/\p{Nd}|\p{P}/u.test(character);
}

/** Black flag with the tags of England, Scotland and Wales: the only tag sequences that fonts have pictures for. */
const flagTags: ReadonlySet<string> = new Set(
  ["gbeng", "gbsct", "gbwls"].map((name) =>
    String.fromCodePoint(...[...name].map((letter) => 0xe0000 + letter.codePointAt(0)!), 0xe007f),
  ),
);

function isNeeded(run: string, before: string, after: string, text: string, at: number): boolean {
  switch (run) {
    case "\u200d":
      if (pictographic.test(before) && pictographic.test(after)) return true;
      return isJoining(before) && (!arabic.test(before) || !(joinsNothing.test(before) && isJoining(after)));
    case "\u200c":
      // Of Arabic letters it parts two that would join. In other scripts it may stand at the end of a word.
      return isJoining(before) && (!arabic.test(before) || (!joinsNothing.test(before) && isJoining(after)));
    case "\ufe0f":
    case "\ufe0e":
      // Digits are signs of their own only as keys.
      return emojiBase.test(before) && (!/[0-9#*]/.test(before) || after === "\u20e3");
    case "\ufe0f\u200d":
    case "\ufe0e\u200d":
      return emojiBase.test(before) && pictographic.test(after);
    case "\u200e":
    case "\u200f":
    case "\u061c":
      return rightToLeft.test(
        text.slice(Math.max(0, at - markReach), at) + text.slice(at + 1, at + markReach),
      );
  }
  if (before === "\u{1f3f4}" && flagTags.has(run)) return true;
  if (/^[\u180b-\u180d\u180f]$/.test(run)) return /\p{Script=Mongolian}/u.test(before);
  if (/^[\u{fe00}-\u{fe02}]$/u.test(run)) return /[\p{Script=Han}\p{Sm}\p{Script=Myanmar}]/u.test(before);
  // Ideographs have few registered forms; more selectors would write what nobody sees.
  if (/^[\u{e0100}-\u{e0107}]$/u.test(run)) return /\p{Script=Han}/u.test(before);
  return false;
}

/** A direction mark stays only if a right-to-left character is within this distance. */
const markReach = 8;

function lastCharacter(text: string, end: number): string {
  const low = text.charCodeAt(end - 1);
  return text.slice(low >= 0xdc00 && low <= 0xdfff ? end - 2 : end - 1, end);
}

function firstCharacter(text: string, start: number): string {
  const point = text.codePointAt(start);
  return point === undefined ? "" : String.fromCodePoint(point);
}
