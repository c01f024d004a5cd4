/** What a rendering left out ("Read result" of the interface). It only records it; a person can see the original. */
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
  "doubtful",
] as const;
export type Removal = (typeof removals)[number];

/** Why text of HTML could not be proven visible (`doubtful`). What is removed for another reason is proven hidden. */
export const doubts = [
  /** A property or value on it, or above it, that the renderer does not understand. */
  "style-not-understood",
  /** A rule whose selector or condition is not understood, and that may hide it. */
  "rule-may-apply",
  /** A rule of which each window decides whether it applies, and that may hide it. */
  "depends-on-window",
  /** An element or attribute that the renderer does not understand. */
  "element-not-understood",
  /** Another box may be painted over it. */
  "may-be-covered",
  /** It may not fit into a box that cuts off what does not fit. */
  "may-be-cut-off",
  /** It may stand outside of what can be scrolled to. */
  "may-be-off-screen",
  /** Its colour may not differ enough from what is behind it. */
  "colours-may-match",
  /** Its letters may be too small to read. */
  "may-be-too-small",
  /** It may be read in another order than it is written. */
  "order-may-differ",
  /** A font draws other signs than the text says. */
  "font-of-signs",
  /** Something in the document makes all of its text doubtful. */
  "whole-document",
] as const;
export type Doubt = (typeof doubts)[number];

/** How often each kind of content was removed. `why`: only for "doubtful". */
export type RemovalCounts = readonly (readonly [what: Removal, count: number, why?: Doubt | undefined])[];
