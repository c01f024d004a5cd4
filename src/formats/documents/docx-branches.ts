/** Alternatives of a Word document, of which a program shows one (ECMA-376 part 3, section 10.2): which elements stand in a branch that
 *  Word does not take. */
import type { SaxesTagNS } from "saxes";
import { attributeValue, isWord } from "./docx-xml.ts";

interface Alternatives {
  readonly depth: number;
  wasTaken: boolean;
  isUnknown: boolean;
}

const compatibility = "http://schemas.openxmlformats.org/markup-compatibility/2006";
const names: ReadonlySet<string> = new Set(["AlternateContent", "Choice", "Fallback"]);

/** Words of newer programs that Word knows since 2013. */
const known: ReadonlySet<string> = new Set(
  [
    "word/2010/wordml",
    "word/2010/wordprocessingShape",
    "word/2010/wordprocessingGroup",
    "word/2010/wordprocessingCanvas",
    "word/2010/wordprocessingDrawing",
    "word/2012/wordml",
    "drawing/2010/main",
  ].map((name) => `http://schemas.microsoft.com/office/${name}`),
);

export function isOfAlternatives({ uri, local }: SaxesTagNS): boolean {
  return uri === compatibility && names.has(local);
}

export class DocumentBranches {
  readonly #alternatives: Alternatives[] = [];
  #depth = 0;
  /** Where the branch begins that is not taken and in which the reader is. */
  #leftAt: number | undefined;
  /** In letters of it. */
  isInLeftText = false;
  /** A branch stands where none may be. */
  isUnclear = false;

  get isLeft(): boolean {
    return this.#leftAt !== undefined;
  }

  /** Programs differ in whether they take this branch. */
  get isUnknown(): boolean {
    return this.#alternatives.some(({ isUnknown }) => isUnknown);
  }

  open(tag: SaxesTagNS, resolve: (prefix: string) => string | undefined): void {
    this.#depth++;
    this.isInLeftText = this.isLeft && isWord(tag) && tag.local === "t";
    if (this.isLeft || !isOfAlternatives(tag)) return;
    if (tag.local === "AlternateContent") {
      this.#alternatives.push({ depth: this.#depth, wasTaken: false, isUnknown: false });
      return;
    }
    const all = this.#alternatives.at(-1);
    if (all === undefined || all.depth !== this.#depth - 1) this.isUnclear = true;
    else if (all.wasTaken) this.#leftAt = this.#depth;
    else if (tag.local === "Choice") {
      const needed = attributeValue(tag, "Requires").split(/\s+/).filter(Boolean);
      all.wasTaken = needed.length > 0 && needed.every((prefix) => known.has(resolve(prefix) ?? ""));
      // What is taken behind a branch that newer programs may take is as little known.
      all.isUnknown ||= !all.wasTaken;
    }
  }

  /** Behind `isLeft`: of the branch itself it is so too. */
  close(tag: SaxesTagNS): void {
    this.isInLeftText = false;
    if (this.#leftAt === this.#depth) this.#leftAt = undefined;
    if (this.#alternatives.at(-1)?.depth === this.#depth && tag.local === "AlternateContent")
      this.#alternatives.pop();
    this.#depth--;
  }
}
