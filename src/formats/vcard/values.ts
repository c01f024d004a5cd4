/** Values of vCard properties (RFC 6350 section 3.4 and 4, RFC 2426 section 4).
 *  text       = *TEXT-CHAR with \\ \, \; \n escaped
 *  structured = list-component *(";" list-component); list-component = text *("," text)
 *  Lenient: a backslash before another character is a literal backslash, because Apple and Google write paths like that. */

export function unescapeText(value: string): string {
  if (!value.includes("\\")) return value;
  return value.replace(/\\([\\,;:nN])/g, (_, escaped: string) =>
    escaped === "n" || escaped === "N" ? "\n" : escaped,
  );
}

export function escapeText(text: string): string {
  return text.replace(/\r\n|[\\,;\r\n]/g, (found) => (/[\\,;]/.test(found) ? `\\${found}` : "\\n"));
}

/** Bound on the values of a list and the components of a structured value. ADR has 18; the longest lists are categories. */
const listMax = 1000;

/** The pieces between unescaped separators, still escaped; at most `max`, and the last one has the rest. */
export function splitEscaped(value: string, separator: string, max = listMax): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (let at = 0; at < value.length && pieces.length < max - 1; at++) {
    if (value[at] === "\\") at++;
    else if (value[at] === separator) {
      pieces.push(value.slice(start, at));
      start = at + 1;
    }
  }
  pieces.push(value.slice(start));
  return pieces;
}

export function readTextList(value: string): string[] {
  return splitEscaped(value, ",").map(unescapeText);
}

export function formatTextList(texts: readonly string[]): string {
  return texts.map(escapeText).join(",");
}

/** Components of a structured value, each a list without empty texts. */
export function readStructured(value: string): string[][] {
  return splitEscaped(value, ";").map((component) =>
    component === ""
      ? []
      : splitEscaped(component, ",")
          .map(unescapeText)
          .filter((text) => text !== ""),
  );
}

export function formatStructured(components: readonly (readonly string[])[]): string {
  return components.map(formatTextList).join(";");
}

/** Components that are not lists (ORG, GENDER): a comma is part of the text. */
export function readTextComponents(value: string): string[] {
  return splitEscaped(value, ";").map(unescapeText);
}

export function formatTextComponents(texts: readonly string[]): string {
  return texts.map(escapeText).join(";");
}
