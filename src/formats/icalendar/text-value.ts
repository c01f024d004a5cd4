/** TEXT values (RFC 5545 section 3.3.11). A backslash before any other character stands for itself. */
export function parseText(value: string): string {
  if (!value.includes("\\")) return value;
  return value.replace(/\\([nN,;\\])/g, (_, escaped: string) =>
    escaped === "n" || escaped === "N" ? "\n" : escaped,
  );
}

export function formatText(text: string): string {
  return text.replace(/\r\n|[\r\n,;\\]/g, (found) => (/[\r\n]/.test(found) ? "\\n" : `\\${found}`));
}

/** A list of texts (CATEGORIES, RESOURCES), separated by commas without a backslash. */
export function parseTexts(value: string): string[] {
  return splitEscaped(value, ",").map(parseText);
}

/** Splits a value at separators without a backslash before them. */
export function splitEscaped(value: string, separator: "," | ";"): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < value.length; at++) {
    if (value[at] === "\\") at++;
    else if (value[at] === separator) {
      parts.push(value.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, value.slice(start)];
}
