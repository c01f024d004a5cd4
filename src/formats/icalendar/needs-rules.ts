/** Whether reading the times of a calendar object may evaluate recurrence rules: its own, or those of a time zone without a known name.
 *  Rules of a time zone with a known name are not read (`find-time-zone.ts`).
 *
 *  It is asked of text that nobody has parsed, so it looks for letters, and takes for a zone only what has no other form: an object that
 *  is written in an unusual way counts as one with rules. */
import { unfoldedOctets } from "../content-lines/unfold.ts";
import { findNamedZone } from "./find-time-zone.ts";

const rules = ["RRULE", "RDATE", "EXRULE"];
/** A line that begins or ends a component, also one with a group or parameters. */
const boundary = /^(?:[^:;]*\.)?(?:BEGIN|END)[;:]/;
const observance = /^(?:BEGIN|END):(?:STANDARD|DAYLIGHT)$/;

export function needsRules(calendar: Uint8Array): boolean {
  const text = unfoldedOctets(calendar);
  const letters = text.toUpperCase();
  if (!rules.some((name) => letters.includes(name)) && !letters.includes("VTIMEZONE")) return false;
  let isZone = false;
  let isNamed = false;
  for (const written of text.split(/\r?\n/)) {
    const line = written.toUpperCase();
    if (line === "BEGIN:VTIMEZONE" && !isZone) {
      isZone = true;
      isNamed = false;
    } else if (line === "END:VTIMEZONE" && isNamed) isZone = false;
    else if (line.includes("VTIMEZONE")) return true;
    else if (!isZone) {
      if (rules.some((name) => line.includes(name))) return true;
    } else if (line.includes("TZID")) {
      isNamed = line.startsWith("TZID:") && findNamedZone(written.slice("TZID:".length)) !== undefined;
      if (!isNamed) return true;
    } else if (boundary.test(line) && !observance.test(line)) return true;
    // A soft line end makes one line of two.
    else if (line.endsWith("=")) return true;
  }
  return isZone;
}
