/** Octets as `octetText` of `sql.ts` gives them. */

export type OctetText = string | Uint8Array;

const replacement = "\ufffd";

/** Whether a text that was decoded as UTF-8 has a character for each octet that is stored, and that one: then all of them are ASCII. An
 *  octet that is no UTF-8 has become a replacement character, and whatever else is beyond ASCII fewer characters than octets. */
export function isWhole(text: OctetText, octets: number): boolean {
  return typeof text !== "string" || (text.length === octets && !text.includes(replacement));
}
