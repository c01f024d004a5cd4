/** Message identifiers (RFC 5322 section 3.6.4): msg-id = [CFWS] "<" id-left "@" id-right ">" [CFWS]. */
import { noteReading } from "#/src/model/foreign-text.ts";

/** The identifiers of a Message-ID, In-Reply-To or References body, without the brackets, in order. White space inside the brackets
 *  is removed (old gateways folded there). In a body without brackets: the words with an "@". */
export function parseMessageIds(octets: string): string[] {
  noteReading("message ids", octets.length);
  const ids: string[] = [];
  let at = octets.indexOf("<");
  if (at === -1) return octets.split(/[ \t,;]+/).filter((word) => word.includes("@"));
  while (at !== -1) {
    const close = octets.indexOf(">", at + 1);
    if (close === -1) break;
    const open = octets.lastIndexOf("<", close);
    const id = octets.slice(open + 1, close).replace(/[ \t]+/g, "");
    if (id !== "") ids.push(id);
    at = octets.indexOf("<", close + 1);
  }
  return ids;
}
