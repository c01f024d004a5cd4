/** A page as text in which each hidden passage has a mark at its place. A mark is random, so no page can write one. */
import { randomUUID } from "node:crypto";
import { cleanText } from "#/src/formats/text/clean-text.ts";
import type { NotePlaces } from "#/src/formats/text/own-lines.ts";
import type { Removal } from "#/src/model/removal.ts";
import { TextWriter } from "./text-writer.ts";

export interface ConcealedText {
  /** A line of the text. */
  readonly mark: string;
  readonly why: Removal;
  /** At most `shownMax` characters of it. */
  readonly text: string;
  readonly words: number;
}

const shownMax = 2000;

export class EvidenceWriter extends TextWriter {
  #pending: { readonly text: string; readonly why: Removal }[] = [];

  constructor(notes: NotePlaces, concealed: ConcealedText[]) {
    super("text", notes, () => {
      const passages = this.#pending;
      this.#pending = [];
      const text = passages
        .map((passage) => passage.text)
        .join(" ")
        .replace(/\s+/g, " ")
        .trim();
      const mark = `[${randomUUID()}]`;
      concealed.push({
        mark,
        why: passages[0]!.why,
        text: cleanText(text.slice(0, shownMax), () => {}).trim(),
        words: text.split(" ").length,
      });
      return mark;
    });
  }

  override leaveOut(): void {
    // `conceal` has it, with its text.
  }

  conceal(text: string, why: Removal): void {
    if (text.trim() === "") return;
    this.#pending.push({ text, why });
    super.leaveOut();
  }
}
