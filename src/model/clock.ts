/** Time in milliseconds since 1970 UTC. Everything that needs the time is given a clock, so that a test can turn it. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Whether a year of four digits says the time. */
export function isInYears(ms: number): boolean {
  return ms >= yearZero && ms < yearTenThousand;
}

const yearZero = Date.parse("0000-01-01T00:00:00Z");
const yearTenThousand = 253_402_300_800_000;
