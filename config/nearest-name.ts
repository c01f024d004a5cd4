/** The name that shares the most letters and pairs of letters with what was written; undefined where none is near. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const piecesOf = (text: string) => {
    const plain = text.slice(0, 100).toLowerCase().replaceAll(/[._-]/g, "_");
    return new Set([...plain].flatMap((letter, at) => [letter, plain.slice(at, at + 2)]));
  };
  const wanted = piecesOf(written);
  let best: string | undefined;
  let bestScore = 0.5;
  for (const name of names) {
    const own = piecesOf(name);
    const score = (2 * wanted.intersection(own).size) / (wanted.size + own.size);
    if (score > bestScore) [best, bestScore] = [name, score];
  }
  return best;
}
