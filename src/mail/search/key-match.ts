/** Which of several keys match a document that is read piece by piece. */
import { type DocumentReader, documentHolds, type TextKey } from "./search-document.ts";

/** Searches texts in a document that comes in pieces; also finds a text that crosses the border of two pieces. */
export class PieceMatch {
  readonly #texts: readonly string[];
  readonly #held: boolean[];
  readonly #keptLength: number;
  #kept = "";
  #missing: number;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    this.#held = texts.map((text) => text === "");
    this.#missing = this.#held.filter((isHeld) => !isHeld).length;
    this.#keptLength = texts.reduce((longest, text) => Math.max(longest, text.length - 1), 0);
  }

  /** For each text, whether it was found so far. */
  get held(): readonly boolean[] {
    return this.#held;
  }

  /** Whether all texts are found, so that more pieces change nothing. */
  get isDone(): boolean {
    return this.#missing === 0;
  }

  add(piece: string): void {
    const text = this.#kept + piece;
    for (const [at, searched] of this.#texts.entries())
      if (!this.#held[at] && text.includes(searched)) {
        this.#held[at] = true;
        this.#missing--;
      }
    this.#kept = this.#keptLength === 0 ? "" : text.slice(-this.#keptLength);
  }
}

/** Matches folded keys against the header. undefined if the header does not decide. */
export async function matchHeader(
  reader: DocumentReader,
  keys: readonly TextKey[],
): Promise<(boolean | undefined)[]> {
  const hasParts = keys.some(({ kind }) => kind === "text");
  const document = { ...(await reader.readHeader(hasParts)), body: "" };
  return keys.map((key) => {
    if (key.kind === "body") return undefined;
    return documentHolds(document, key) || (key.kind === "header" ? false : undefined);
  });
}

/** Matches folded keys against the body. Reads no more of it than needed. */
export async function matchBody(reader: DocumentReader, keys: readonly TextKey[]): Promise<boolean[]> {
  const match = new PieceMatch(keys.map(({ text }) => text));
  if (!match.isDone)
    for await (const piece of reader.bodyPieces()) {
      match.add(piece);
      if (match.isDone) break;
    }
  return [...match.held];
}
