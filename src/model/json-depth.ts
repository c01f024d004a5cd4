const quote = 34;
const backslash = 92;

const comma = 44;
const brace = 0x7b;
/** No array has so many. */
const arrayCommas = -Number.MAX_SAFE_INTEGER;

/** How deep JSON text is nested, counted on its bytes before it is parsed. For text that is not JSON, any number. */
export function jsonDepth(bytes: Uint8Array): number {
  return jsonShape(bytes).depth;
}

export interface JsonShape {
  readonly depth: number;
  /** Values of all arrays and objects together, and the text itself. Counting stops above `valuesMax`. */
  readonly values: number;
  /** Members of the object that has most. */
  readonly members: number;
}

/** The depth and the number of values: together the cost of parsing the text. */
export function jsonShape(bytes: Uint8Array, valuesMax = Infinity): JsonShape {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let members = 0;
  /** Commas of each array and object that is open; below 0 in an array. */
  const commas: number[] = [];
  for (let at = 0; at < text.length && values <= valuesMax; at++) {
    const byte = text[at]!;
    if (byte === quote) at = closingQuote(text, at);
    else if (byte === comma) {
      values++;
      const count = commas[depth] ?? arrayCommas;
      commas[depth] = count + 1;
      if (count >= members) members = count + 1;
    }
    // "[" and "{", "]" and "}" differ in one bit.
    else if ((byte & 0xdf) === 0x5b) {
      values++;
      deepest = Math.max(deepest, ++depth);
      commas[depth] = byte === brace ? 1 : arrayCommas;
    } else if ((byte & 0xdf) === 0x5d) depth--;
  }
  return { depth: deepest, values, members };
}

/** The closing quote of a string: the first one with an even number of backslashes before it. A string may be as long as the text, so
 *  its bytes are not read one by one. */
export function closingQuote(text: Buffer, begin: number): number {
  const at = text.indexOf(quote, begin + 1);
  if (at === -1) return text.length;
  if (text[at - 1] !== backslash) return at;
  // If one quote has a backslash before it, many may.
  for (let next = begin + 1; next < text.length; next++) {
    if (text[next] === backslash) next++;
    else if (text[next] === quote) return next;
  }
  return text.length;
}
