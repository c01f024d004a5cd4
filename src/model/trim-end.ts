/** The text without these characters at its end. A regular expression for the end of a text takes time that grows with the square of a
 *  run that ends elsewhere. */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
