/** A page as text in which the passages are given of which it is not known whether a person sees them. While the page is written, each
 *  stands between two random texts, so that its words cannot end it; then between two characters that no cleaned text has. */
import type { NotePlaces } from "#/src/formats/text/own-lines.ts";
import type { Style } from "./computed-style.ts";
import { type TextForm, TextWriter } from "./text-writer.ts";

/** Noncharacters of Unicode, which are removed from texts of others. */
export const doubtfulMarks = { begin: "\ufdd0", end: "\ufdd1" } as const;

export type PassageMarks = NotePlaces;

export class DoubtWriter extends TextWriter {
  readonly #marks: PassageMarks;

  constructor(form: TextForm, notes: NotePlaces, marks: PassageMarks) {
    super(form, notes, () => "");
    this.#marks = marks;
  }

  override leaveOut(): void {
    // `doubt` has it, with its text.
  }

  doubt(text: string, style: Style): void {
    const begun = text.trimStart();
    const before = text.slice(0, text.length - begun.length);
    const words = begun.trimEnd();
    const { begin, end } = this.#marks;
    this.text(before + begin + words + end + begun.slice(words.length), style);
  }
}

/** The text with the characters in the places of the random texts. Texts beside each other are one passage. */
export function withPassages(text: string, { begin, end }: PassageMarks): string {
  if (!text.includes(begin)) return text;
  return text
    .replaceAll(begin, doubtfulMarks.begin)
    .replaceAll(end, doubtfulMarks.end)
    .replace(/\ufdd1([ \t]?)\ufdd0/g, "$1");
}
