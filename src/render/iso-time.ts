/** Times as answers have them. */
import { isInYears } from "#/src/model/clock.ts";

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Dates beyond what ISO 8601 writes in four digits are as good as none. */
export function isoTimeOrNothing(ms: number | null): string | undefined {
  return ms === null || !isInYears(ms) ? undefined : isoTime(ms);
}
