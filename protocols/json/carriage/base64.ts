import { WaypostError } from "#/src/model/errors.ts";

export const base64Form = "Base64 (RFC 4648 section 4), with its padding and without line ends.";

/** The bytes, or `invalid` at the field. */
export function readBase64(text: string, field: string): Buffer {
  const bytes = Buffer.from(text, "base64");
  // Node skips characters that are not base64. If encoding gives the same text again, there were none.
  if (bytes.toString("base64") === text) return bytes;
  throw new WaypostError("invalid", "The data is not base64.", { field, hint: base64Form });
}
