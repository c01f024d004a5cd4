/** Comments and quoted strings of structured header fields (RFC 5322 section 3.2). Functions take and return positions; none is
 *  recursive. An unclosed comment or string reaches to the end of the text. */

const backslash = 92;
const quote = 34;
const openParenthesis = 40;
const closeParenthesis = 41;

/** The position after the comment that begins at `at`. Comments nest (section 3.2.2). */
export function commentEnd(text: string, at: number): number {
  let depth = 0;
  for (let position = at; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code === backslash) position++;
    else if (code === openParenthesis) depth++;
    else if (code === closeParenthesis && --depth === 0) return position + 1;
  }
  return text.length;
}

/** The position after the quoted string that begins at `at`. */
export function quotedEnd(text: string, at: number): number {
  for (let position = at + 1; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code === backslash) position++;
    else if (code === quote) return position + 1;
  }
  return text.length;
}

/** The first position from `at` that is neither white space nor inside a comment (CFWS). */
export function skipCfws(text: string, at: number): number {
  let position = at;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === 32 || code === 9 || code === 13 || code === 10) position++;
    else if (code === openParenthesis) position = commentEnd(text, position);
    else break;
  }
  return position;
}

/** Content of the quoted string or comment from `start` to `end`, without its delimiters and backslashes. */
export function unquote(text: string, start: number, end: number): string {
  const closer = text.charCodeAt(start) === quote ? '"' : ")";
  const isClosed = end - start >= 2 && text[end - 1] === closer;
  const content = text.slice(start + 1, isClosed ? end - 1 : end);
  return content.includes("\\") ? content.replace(/\\(.?)/gs, "$1") : content;
}
