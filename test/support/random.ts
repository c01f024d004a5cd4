/** A small random generator (mulberry32). The same seed always gives the same numbers. */
export interface RandomSource {
  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number;
  one<T>(choices: readonly T[]): T;
}

export function randomSource(seed: number): RandomSource {
  let state = seed;
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
  return { below, one: (choices) => choices[below(choices.length)]! };
}
