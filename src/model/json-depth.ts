const quote = 34;
const backslash = 92;

/** How deep JSON text is nested, counted on its bytes before anything walks the value. Of what is no JSON, some number. */
export function jsonDepth(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (isInString) {
      if (byte === backslash) at++;
      else if (byte === quote) isInString = false;
    } else if (byte === quote) isInString = true;
    // "[" and "{", "]" and "}" differ in one bit.
    else if ((byte & 0xdf) === 0x5b) deepest = Math.max(deepest, ++depth);
    else if ((byte & 0xdf) === 0x5d) depth--;
  }
  return deepest;
}
