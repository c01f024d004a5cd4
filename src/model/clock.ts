/** Time in milliseconds since 1970 UTC. Everything that needs the time is given a clock, so that a test can turn it. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
