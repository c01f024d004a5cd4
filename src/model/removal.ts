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
  "name-is-address",
] as const;
export type Removal = (typeof removals)[number];

/** How often of each kind, where "where" is known to the one who counts. */
export type RemovalCounts = readonly (readonly [what: Removal, count: number])[];
