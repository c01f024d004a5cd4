/** Content lines as one text, each on a line of its own (RFC 5545 section 3.1), as an octet string. A line may be folded inside a
 *  name, so a search needs unfolded text. */
import { octetString } from "../mime/octets.ts";

export function unfoldedOctets(text: Uint8Array): string {
  return octetString(text).replace(/\r?\n[ \t]/g, "");
}

/** Finds letters anywhere in content lines, in any case, also with folds between them. It makes no unfolded copy. */
export function findsLetters(letters: string): (text: Uint8Array) => boolean {
  const folded = new RegExp(
    [...letters].map((letter) => RegExp.escape(letter)).join("(?:\\r?\\n[ \\t])*"),
    "i",
  );
  return (text) => folded.test(octetString(text));
}
