/** The words of `q`: searched one by one, so that they may stand anywhere and in any order. What stands between double quotes is one. */
import { WaypostError } from "#/src/model/errors.ts";

/** Each is looked for in the index. A search with fewer words finds the same and more. */
const wordsMax = 16;

/** Operators of other searches. As text no mail has them, and the answer would be empty. */
const operators = /^(?:from|to|cc|bcc|subject|labels?|in|is|has|filename|before|after|since|until):[^\s/]/;

/** Each word once, in the order given. Refuses operators, and text without a word, at /q. */
export function searchedWords(q: string): readonly string[] {
  return [...readWords(q).keys()];
}

/** The words that a search of mail looks for. Those of one or two small letters, such as `of`, are left out where there are others, unless
 *  they stand in quotes: nearly every text has them, and the index has trigrams. */
export function wordsThatNarrow(q: string): readonly string[] {
  const words = readWords(q);
  const kept = [...words].flatMap(([word, isQuoted]) =>
    isQuoted || !/^\p{Ll}{1,2}$/u.test(word) ? [word] : [],
  );
  return (kept.length === 0 ? [...words.keys()] : kept).slice(0, wordsMax);
}

/** Each word, and whether it stands in quotes. A quote that none ends is left out. */
function readWords(q: string): ReadonlyMap<string, boolean> {
  const words = new Map<string, boolean>();
  for (const [whole, quoted] of q.matchAll(/"([^"]*)"|[^\s"]+/g)) {
    if (quoted === undefined) assertNoOperator(whole);
    const word = (quoted ?? whole).trim();
    if (word !== "") words.set(word, words.get(word) === true || quoted !== undefined);
  }
  if (words.size === 0)
    throw new WaypostError("invalid", "The field /q has no words.", {
      field: "/q",
      hint: "Without it, all that the other fields choose is listed.",
    });
  return words;
}

function assertNoOperator(word: string): void {
  if (!operators.test(word)) return;
  const name = word.slice(0, word.indexOf(":"));
  throw new WaypostError("invalid", `The field /q has words alone, not ${name}:.`, {
    field: "/q",
    hint: 'Fields beside it: from, since, before, folder, labels, unread, flagged. The words of q are searched in the subject, names, addresses and the body. Text with a colon stands in double quotes: "\\"to:do\\"".',
  });
}
