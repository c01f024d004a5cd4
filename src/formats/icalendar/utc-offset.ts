/** UTC-OFFSET values (RFC 5545 section 3.3.14): ("+" / "-") 2DIGIT 2DIGIT [2DIGIT]. In milliseconds east of UTC.
 *  Lenient: -0000, and a colon between hours and minutes. */
export function parseUtcOffset(text: string): number | undefined {
  const match = /^([+-])(\d\d):?(\d\d)(?::?(\d\d))?$/.exec(text.trim());
  if (match === null) return undefined;
  const [hours, minutes, seconds] = [Number(match[2]), Number(match[3]), Number(match[4] ?? 0)];
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const ms = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return match[1] === "-" ? 0 - ms : ms;
}
