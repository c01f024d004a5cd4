/** Octets in the form of `octetText` of `sql.ts`. */

export type OctetText = string | Uint8Array;

const replacement = "\ufffd";

/** Whether a text that was decoded as UTF-8 represents the stored octets exactly, which is so when all of them are ASCII. An octet that is
 *  not UTF-8 has become a replacement character, and any other text beyond ASCII has fewer characters than octets. */
export function isWhole(text: OctetText, octets: number): boolean {
  return typeof text !== "string" || (text.length === octets && !text.includes(replacement));
}
