/** Lower case and white space as in CSS and HTML: only ASCII characters count. The Kelvin sign is not a "k", and a no-break space
 *  is not white space. */

import { trimEnd } from "#/src/model/trim-end.ts";

const beyondAscii = /[^\0-\x7f]/;
const hasUpper = /[A-Z]/;

export function asciiLower(text: string): string {
  if (!hasUpper.test(text)) return text;
  return beyondAscii.test(text)
    ? text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
    : text.toLowerCase();
}

export function asciiTrim(text: string): string {
  return trimEnd(text.replace(/^[ \t\n\f\r]+/, ""), " \t\n\f\r");
}
