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

/** Clocks are set back by as much all the time, and those of several daemons differ by it. */
export const clockSlackMs = 60_000;

/** Milliseconds until a time that was set at most `longestMs` ahead; 0 if it has come. What is further ahead by more than a minute was set by a
 *  clock that has been set back since, and is not waited for. */
export function leftUntil(at: number, now: number, longestMs: number): number {
  const leftMs = at - now;
  return leftMs > longestMs + clockSlackMs ? 0 : Math.max(0, leftMs);
}
