const quote = 34;
const backslash = 92;

const comma = 44;

/** How deep JSON text is nested, counted on its bytes before anything walks the value. Of what is no JSON, some number. */
export function jsonDepth(bytes: Uint8Array): number {
  return jsonShape(bytes).depth;
}

export interface JsonShape {
  readonly depth: number;
  /** Of all arrays and objects together, and the text itself. Not counted on when there are more than asked for. */
  readonly values: number;
}

/** The same, and how many values there are: what the text costs who parses it. */
export function jsonShape(bytes: Uint8Array, valuesMax = Infinity): JsonShape {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let at = 0; at < text.length && values <= valuesMax; at++) {
    const byte = text[at]!;
    if (byte === quote) at = closingQuote(text, at);
    else if (byte === comma) values++;
    // "[" and "{", "]" and "}" differ in one bit.
    else if ((byte & 0xdf) === 0x5b) {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if ((byte & 0xdf) === 0x5d) depth--;
  }
  return { depth: deepest, values };
}

/** Of the string that begins at a quote: the first one with an even number of backslashes before. A string may be as long as
 *  the text, so that its bytes are not looked at one by one. */
export function closingQuote(text: Buffer, begin: number): number {
  for (let at = text.indexOf(quote, begin + 1); at !== -1; at = text.indexOf(quote, at + 1)) {
    let before = at;
    while (text[before - 1] === backslash) before--;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}
