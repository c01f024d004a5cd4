/** What some people see of a page in another way than it is given: told, and no reason to leave words out. */
import { splitByComma } from "#/src/formats/css/tokens.ts";
import { addressOf, foldedName, isHeld, type Value } from "#/src/formats/css/value-forms.ts";
import type { Difference } from "#/src/model/differences.ts";
import type { Cascade } from "./cascade.ts";
import { isLoaded, type PictureSizes } from "./held-pictures.ts";
import type { Note } from "./notes.ts";
import type { Page } from "./page.ts";
import type { Part } from "./part.ts";
import { isPicture, rawElements } from "./survey.ts";
import { attributeOf, type HtmlElement, type HtmlText } from "./tree.ts";

/** So far below or beside what is before, words may never be scrolled to. */
const farAway = 2000;
/** A line of usual text in a usual column, to tell about how high text is. */
const lineWide = 600;

/** What is fetched, behind words and in place of their letters. */
interface Fetched {
  readonly isBehind: boolean;
  readonly isFont: boolean;
}

interface Seen {
  isGiven(text: HtmlText): boolean;
  notesOf(element: HtmlElement): readonly Note[];
  readonly cascade: Cascade;
  readonly pictures: PictureSizes;
  /** A link of the page names a sheet that is fetched. */
  readonly hasRemoteSheet: boolean;
}

export function differencesOf(page: Page, seen: Seen): readonly Difference[] {
  const { cascade, isGiven, notesOf, pictures } = seen;
  const { remoteFonts, hasRemoteSheet } = cascade.sheets;
  const isSheetFetched = hasRemoteSheet || seen.hasRemoteSheet;
  let isRemote = false;
  let isFar = false;
  /** About where the last words end, and where the next ones begin. */
  let last = { below: 0, beside: 0 };
  let below = 0;

  const see = (beside: number, high: number): void => {
    if (below - last.below > farAway || beside - last.beside > farAway) isFar = true;
    below += high;
    last = { below, beside };
  };

  const seeText = ({ text, style }: Part, beside: number): void => {
    for (const line of style.whiteSpace.startsWith("pre") ? text!.text.split("\n") : [text!.text])
      if (line.trim() === "") below += style.lineHeight;
      else see(beside, Math.ceil((line.length * style.fontSize) / 2 / lineWide) * style.lineHeight);
  };

  const visit = (part: Part, around: Fetched, left: number): void => {
    cascade.meter.spend(1);
    const { element, box } = part;
    if (part.text !== undefined) {
      if (!isGiven(part.text)) return;
      if (around.isBehind || around.isFont || isSheetFetched) isRemote = true;
      seeText(part, left);
      return;
    }
    const values = page.valuesOf.get(part);
    const family = values?.get("font-family");
    const inside: Fetched = {
      isBehind: hasFetched(part, values?.get("background-image")) || (around.isBehind && !part.isOpaque),
      isFont: family === undefined ? around.isFont : namesAny(family, remoteFonts),
    };
    const { margin, border, padding } = box;
    const start = below + Math.max(0, margin.top);
    below = start + border.top + padding.top;
    for (const { kind } of element === undefined ? [] : notesOf(element)) {
      if (kind === "picture" && !isLoaded(element!, pictures)) isRemote = true;
      see(left, part.style.lineHeight);
    }
    if (element?.name === "br") below += part.style.lineHeight;
    const isRow = box.display === "table-row";
    const inner = left + Math.max(0, margin.left) + border.left + padding.left;
    const top = below;
    let end = below;
    let beside = inner;
    for (const child of part.children) {
      if (isRow) below = top;
      visit(child, inside, beside);
      end = Math.max(end, below);
      if (isRow) beside += Math.max(child.demand, child.box.width?.px ?? 0);
    }
    below = Math.max(end + padding.bottom + border.bottom, start + Math.max(part.high, heightOf(part)));
    below += Math.max(0, margin.bottom);
    // What follows stands beside it, or in its place.
    if (box.isFloat || box.isOutOfFlow) below = start;
  };

  /** Elements in each other are read once. */
  const empty = new Set<HtmlElement>();
  const holdsAnything = (element: HtmlElement): boolean => {
    if (empty.has(element)) return false;
    cascade.meter.spend(1);
    empty.add(element);
    return (
      isPicture(element) ||
      element.children.some((child) =>
        child.kind === "text"
          ? child.text.trim() !== ""
          : child.kind === "element" && !rawElements.has(child.name) && holdsAnything(child),
      )
    );
  };

  visit(page.root, { isBehind: false, isFont: false }, 0);
  const isOther = page.otherOnPhone.some(holdsAnything);
  return [
    ...(isOther ? (["phone"] as const) : []),
    ...(isRemote ? (["remote"] as const) : []),
    ...(isFar ? (["far"] as const) : []),
  ];
}

function heightOf({ box }: Part): number {
  return box.isInline ? 0 : Math.max(box.minHeight, Math.min(box.height ?? 0, box.maxHeight ?? farAway * 10));
}

/** The attribute that some elements have for it counts where no style does. */
function hasFetched({ element, style }: Part, image: Value | undefined): boolean {
  if (image !== undefined) return splitByComma(image).some((layer) => !isHeld(addressOf(layer) ?? "data:"));
  const address =
    element !== undefined && withPicture.test(element.name) && attributeOf(element, "background");
  return !style.values.has("background-image") && !isHeld(address || "data:");
}

const withPicture = /^(?:body|table|thead|tbody|tfoot|tr|td|th)$/;

function namesAny(family: Value, fonts: ReadonlySet<string>): boolean {
  if (fonts.size === 0) return false;
  return splitByComma(family).some((name) =>
    fonts.has(
      foldedName(
        name
          .flatMap((token) => (token.type === "string" || token.type === "ident" ? [token.value] : []))
          .join(" "),
      ),
    ),
  );
}
