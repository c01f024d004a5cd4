/** Times as answers have them. */

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Dates beyond what ISO 8601 writes in four digits are as good as none. */
export function isoTimeOrNothing(ms: number | null): string | undefined {
  return ms === null || !(ms >= yearZero && ms < yearTenThousand) ? undefined : isoTime(ms);
}

const yearZero = Date.parse("0000-01-01T00:00:00Z");
const yearTenThousand = 253_402_300_800_000;
