/** Whether a test draws by the seed of the run. */
export function drawsBySeed(source: string): boolean {
  return /\binject\("seed"\)|\bsampleOf\(/.test(source);
}

/** Whether it has properties, which draw anew each time and name the seed that fails. */
export function hasProperties(source: string): boolean {
  return source.includes('from "fast-check"');
}
