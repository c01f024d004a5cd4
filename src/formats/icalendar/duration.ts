/** DURATION values (RFC 5545 section 3.3.6). Weeks and days are nominal: they keep the local time over a change of the offset;
 *  hours, minutes and seconds are exact. Lenient: weeks together with other units (RFC 2445 allowed them). */
export interface Duration {
  /** Weeks are counted as days. Both are negative, or both are not. */
  readonly days: number;
  readonly ms: number;
}

const pattern =
  /^([+-]?)P(?:(\d{1,7})W)?(?:(\d{1,7})D)?(?:T(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,10})S)?)?$/i;

export function parseDuration(text: string): Duration | undefined {
  const match = pattern.exec(text.trim());
  if (match === null || !/\d/.test(text)) return undefined;
  const [weeks, days, hours, minutes, seconds] = match.slice(2).map((digits) => Number(digits ?? 0));
  const sign = match[1] === "-" ? -1 : 1;
  // Adding zero turns -0 into 0.
  return {
    days: sign * (weeks! * 7 + days!) + 0,
    ms: sign * ((hours! * 60 + minutes!) * 60 + seconds!) * 1000 + 0,
  };
}

export function formatDuration({ days, ms }: Duration): string {
  const sign = days < 0 || ms < 0 ? "-" : "";
  const wholeDays = Math.abs(days);
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds === 0 && wholeDays > 0 && wholeDays % 7 === 0) return `${sign}P${wholeDays / 7}W`;
  const units = [
    [Math.floor(seconds / 3600), "H"],
    [Math.floor(seconds / 60) % 60, "M"],
    [seconds % 60, "S"],
  ] as const;
  // The grammar allows no unit left out between two others: PT1H0M5S.
  const first = units.findIndex(([count]) => count > 0);
  const last = units.findLastIndex(([count]) => count > 0);
  const time =
    first < 0
      ? ""
      : units
          .slice(first, last + 1)
          .map(([count, unit]) => `${count}${unit}`)
          .join("");
  if (time === "") return wholeDays === 0 ? "PT0S" : `${sign}P${wholeDays}D`;
  return `${sign}P${wholeDays === 0 ? "" : `${wholeDays}D`}T${time}`;
}
