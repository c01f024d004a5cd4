/** Whether a calendar object may have more than the instances that stand in it. Rules of time zones do not count: they are yearly, and
 *  bounded apart. */
import { octetString } from "../mime/octets.ts";

const rule = /^(?:RRULE|RDATE|EXRULE)[;:]/;

export function isRepeating(bytes: Uint8Array): boolean {
  const unfolded = octetString(bytes)
    .toUpperCase()
    .replace(/\r?\n[ \t]/g, "");
  let isZone = false;
  for (const line of unfolded.split(/\r?\n/)) {
    if (line.startsWith("BEGIN:VTIMEZONE")) isZone = true;
    else if (line.startsWith("END:VTIMEZONE")) isZone = false;
    else if (!isZone && rule.test(line)) return true;
  }
  return false;
}
