/** Content lines as one text, each on a line of its own (RFC 5545 section 3.1), as an octet string. A line may be folded inside a
 *  name, so nothing is looked for in text that is not unfolded. */
import { octetString } from "../mime/octets.ts";

export function unfoldedOctets(text: Uint8Array): string {
  return octetString(text).replace(/\r?\n[ \t]/g, "");
}
