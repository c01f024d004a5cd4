/** Lines and marks (`marks.ts`) that the server writes among the words of others, and how those words are kept from looking like one: what
 *  begins as such a line or mark gets a backslash. */

/** Stands for passages that are left out. */
export function leftOutLine(passages: number): string {
  return passages === 1
    ? "[1 passage left out: it may not be visible to a person]"
    : `[${passages} passages left out: they may not be visible to a person]`;
}

/** The text, with such a line at its end if there are passages. */
export function withLeftOut(text: string, passages: number): string {
  return passages === 0 ? text : `${text}\n${leftOutLine(passages)}`.trimStart();
}

/** What a person sees but no text of the page holds: the words in the place of a picture, those in a drawing, in a field or on a button,
 *  of a part before or after an element that its style writes. */
export type NoteKind = "picture" | "drawing" | "field" | "button" | "before" | "after";

/** Stands for what is seen, with its words: of those each bracket, backslash and mark has a backslash before it. */
export function noteLine(kind: NoteKind, words: string): string {
  return words === "" ? `[${kind}]` : `[${kind}: ${words.replace(/[[\]\\⟦]/g, "\\$&")}]`;
}

/** Ends a page of a longer text. */
export function truncationLine(shown: number, total: number): string {
  return `[truncated: ${shown} of ${total} characters; continue with cursor]`;
}

const beginning =
  /\[(?=\s*(?:\d+\s+passages?\s|(?:picture|drawing|field|button|before|after)\s*[:\]]|truncated\s*:))|⟦(?=[0-9a-f]{16}⟧)/gi;

/** Text of others, in which no such line begins. */
export function escapeOwnLines(text: string): string {
  return /[[⟦]/.test(text) ? text.replace(beginning, "\\$&") : text;
}

const unfinished =
  /^\[\s*(?:\d+\s*(?:passages?\s*)?|(?:picture|drawing|field|button|before|after|truncated)\s*)?$/i;

/** Texts of others, each escaped, one under the other: no such line begins in one and goes on in the next. */
export function joinEscaped(texts: readonly string[]): string {
  return texts.map((text, at) => (at === texts.length - 1 ? text : withEscapedEnd(text))).join("\n");
}

function withEscapedEnd(text: string): string {
  const at = text.lastIndexOf("[");
  if (at === -1 || text[at - 1] === "\\" || !unfinished.test(text.slice(at))) return text;
  return `${text.slice(0, at)}\\${text.slice(at)}`;
}

/** The text as it was. */
export function unescapeOwnLines(text: string): string {
  return text.replace(
    /\\(\[\s*(?:\d+\s+passages?\s|(?:picture|drawing|field|button|before|after)\s*[:\]]|truncated\s*:)|⟦[0-9a-f]{16}⟧)/gi,
    "$1",
  );
}

/** The places of notes in a text that is being written: two texts that no page can write. */
export interface NotePlaces {
  readonly begin: string;
  readonly end: string;
}

/** The text, whose words are cleaned and escaped, with the notes in their places. A backslash before a note keeps its distance, so that
 *  a bracket after a backslash is a sender's. */
export function withNotes(text: string, { begin, end }: NotePlaces): string {
  const [first = "", ...rest] = text.split(begin);
  const pieces = [first];
  for (const piece of rest) {
    const [note = "", after = ""] = piece.split(end);
    const [kind = "", words = ""] = unescapeOwnLines(note).split(/:(.*)/s);
    if (pieces.at(-1)!.endsWith("\\")) pieces.push(" ");
    // Of words that were cleaned only blanks may be left.
    pieces.push(noteLine(kind as NoteKind, words.trim()), after);
  }
  return pieces.join("");
}

/** The text with the words of its notes alone, as it is searched. */
export function withoutNotes(text: string): string {
  return text.replace(
    /(?<!\\)\[(?:picture|drawing|field|button|before|after): ((?:[^[\]\\]|\\.)*)\]/gs,
    (_, words: string) => words.replace(/\\(.)/gs, "$1"),
  );
}
