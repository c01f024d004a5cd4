/** Lines and marks (`marks.ts`) that the server writes among the words of others, and how those words are kept from looking like one: what
 *  begins as such a line or mark gets a backslash. */

/** Stands for passages that are left out. */
export function leftOutLine(passages: number): string {
  return passages === 1
    ? "[1 passage left out: it may not be visible to a person]"
    : `[${passages} passages left out: they may not be visible to a person]`;
}

/** Stands for a picture, with what it is said to show. */
export function pictureLine(alt: string): string {
  return alt === "" ? "[picture]" : `[picture: ${alt}]`;
}

/** Ends a page of a longer text. */
export function truncationLine(shown: number, total: number): string {
  return `[truncated: ${shown} of ${total} characters; continue with cursor]`;
}

const beginning =
  /\[(?=\s{0,20}(?:\d{1,20}\s{1,20}passages?\s|picture\s{0,20}[:\]]|truncated\s{0,20}:))|⟦(?=[0-9a-f]{16}⟧)/gi;

/** Text of others, in which no such line begins. */
export function escapeOwnLines(text: string): string {
  return /[[⟦]/.test(text) ? text.replace(beginning, "\\$&") : text;
}

/** The text as it was. */
export function unescapeOwnLines(text: string): string {
  return text.replace(
    /\\(\[\s{0,20}(?:\d{1,20}\s{1,20}passages?\s|picture\s{0,20}[:\]]|truncated\s{0,20}:)|⟦[0-9a-f]{16}⟧)/gi,
    "$1",
  );
}
