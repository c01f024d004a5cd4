/** Case and blanks as CSS and HTML know them: of ASCII alone. A Kelvin sign is no "k", and a no-break space is no blank. */

const beyondAscii = /[^\0-\x7f]/;

export function asciiLower(text: string): string {
  return beyondAscii.test(text)
    ? text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
    : text.toLowerCase();
}

export function asciiTrim(text: string): string {
  return text.replaceAll(/^[ \t\n\f\r]+|[ \t\n\f\r]+$/g, "");
}
