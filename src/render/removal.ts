/** What a rendering left out ("Read result" of the interface). A record, not an accusation: the person sees the original. */
export const removals = [
  "hidden-element",
  "hidden-by-style",
  "zero-size-text",
  "invisible-colour",
  "off-screen",
  "comment",
  "script",
  "style",
  "form",
  "active-attribute",
  "remote-image",
  "tracking-pixel",
  "zero-width",
  "bidi-control",
  "unicode-tag",
  "variation-selector",
  "control-character",
  "quoted-history",
  "signature",
  "unsafe-link",
  "binary",
  "undecodable",
  "over-limit",
] as const;
export type Removal = (typeof removals)[number];

export interface RemovalDetail {
  readonly what: Removal;
  readonly count: number;
  /** A section number, a field, or part of a result. */
  readonly where: string;
}

export interface RemovalTally {
  add(what: Removal, where: string, count?: number): void;
  addAll(details: readonly RemovalDetail[]): void;
  list(): RemovalDetail[];
}

export function createRemovalTally(): RemovalTally {
  const counts = new Map<string, { what: Removal; where: string; count: number }>();
  const tally: RemovalTally = {
    add(what, where, count = 1) {
      if (count === 0) return;
      const key = `${what} ${where}`;
      const entry = counts.get(key);
      if (entry === undefined) counts.set(key, { what, where, count });
      else entry.count += count;
    },
    addAll(details) {
      for (const { what, where, count } of details) tally.add(what, where, count);
    },
    list: () => [...counts.values()].map(({ what, count, where }) => ({ what, count, where })),
  };
  return tally;
}
