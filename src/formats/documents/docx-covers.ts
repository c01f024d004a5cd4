/** What a shape of a Word document may cover that stands before the text (ECMA-376 part 1, section 20.4.2.3). */

/** A place relative to something: of the same thing two places can be compared. Points. */
export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly acrossFrom: string;
  readonly downFrom: string;
}

/** Colours that something may have; "any" where it is not known. */
export type Ground = readonly string[] | "any";

export interface Cover {
  /** It stands behind the text, which is seen where it differs from the ground. */
  readonly isBehind: boolean;
  readonly ground: Ground;
  /** undefined: it is not known where it stands on its page. */
  readonly rect: Rect | undefined;
  readonly area: number;
  /** Text flows around it, but not that of text boxes. */
  readonly isAside: boolean;
  /** Its own text boxes. */
  readonly boxes: number[];
}

export interface Place {
  /** Points from the beginning, at least. */
  readonly down: Down;
  /** Breaks of pages before, and where the last one is. */
  readonly page: number;
  readonly pageBegan: Down;
  readonly line: Line;
  /** Paragraphs that have begun, with this one. */
  readonly paragraph: number;
  readonly box: BoxPlace | undefined;
}

/** Of a text box. `wide`, `tall`: points; 0 if they are not said. */
export interface BoxPlace {
  readonly number: number;
  readonly rect: Rect | undefined;
  readonly wide: number;
  readonly tall: number;
}

/** Of a paragraph. */
export interface Line {
  /** Points that its letters reach from the left of the text at most, if they are one line. */
  across: number;
  /** Where it ends, when it has ended. */
  end: Down | undefined;
  /** Points before or behind it. */
  gap: number;
  /** It stands in a frame, a cell or something else that may be put elsewhere. */
  isApart: boolean;
}

export interface Down {
  readonly any: number;
  /** Where pages are not wider than usual ones. */
  readonly usual: number;
}

/** Points of a page on which lines of letters have a usual length. */
export const usualWidth = 620;

export interface PageForm {
  readonly width: number;
  readonly height: number;
  /** Of its text. */
  readonly top: number;
  readonly left: number;
  /** Its widest margin on the right, and the narrowest of one side. */
  readonly right: number;
  readonly leastSide: number;
  /** Of its lower margin, and from its edges to headers and footers. */
  readonly bottom: number;
  readonly header: number;
  readonly footer: number;
  /** Letters stand in columns: what follows may stand higher. */
  readonly hasColumns: boolean;
}

/** Points of an edge of a page in which headers and footers stand. */
const edgeMost = 100;
/** Points that letters or edges may be out of their place. */
const slack = 4;

/** `at`: the anchor of the shape. */
export function mayCover(cover: Cover, at: Place, place: Place, page: PageForm): boolean {
  const { rect } = cover;
  const { box } = place;
  if (box !== undefined && cover.boxes.includes(box.number)) return false;
  if (cover.isAside && box === undefined) return false;
  if (at.page !== place.page) return false;
  if (rect === undefined) return true;
  if (box?.rect !== undefined && haveSameOrigin(rect, box.rect, at, place)) return intersect(rect, box.rect);
  if (page.hasColumns) return true;
  if (box === undefined && endsBefore(place, rect, page)) return false;
  const down = (one: Down): number => (page.width <= usualWidth ? one.usual : one.any);
  const isAfter = down(place.down) > down(at.down);
  const away = isAfter
    ? down(place.down) - down(at.down)
    : Math.max(0, down(at.down) - down(place.line.end ?? at.down));
  const bottom = bottomOf(rect, page);
  const height = rect.bottom - rect.top;
  // A shape that does not fit below its anchor is put higher.
  if (bottom === undefined) return away < Math.max(-rect.top, rect.bottom, height) + slack;
  if (away >= page.height) return false;
  // Only behind a break, and before the text of its page, is it known on which page the anchor stands.
  if (box !== undefined || at.down.any > at.pageBegan.any) return true;
  return page.top + down(place.down) - down(place.pageBegan) < bottom + slack;
}

/** Whether a shape of the main part may cover text of a header or a footer, on the first page. */
export function mayCoverAround(
  cover: Cover & { readonly at: Place },
  place: Place,
  kind: "header" | "footer",
  page: PageForm,
): boolean {
  const { rect, at } = cover;
  if (cover.isAside) return false;
  if (rect === undefined) return true;
  if (endsBefore(place, rect, page)) return false;
  const bottom = bottomOf(rect, page);
  if (kind === "footer") return bottom === undefined || bottom > page.height - edgeMost;
  // Below the first line of the page no shape reaches above it that does not begin above its anchor.
  if (bottom === undefined) return at.down.any + rect.top < 0 || rect.bottom - rect.top > page.height / 2;
  return bottom - (rect.bottom - rect.top) < Math.max(page.top, edgeMost) + edgeMost;
}

/** Points from the edges of a page at which usual headers and footers begin. */
export const usualEdge = 36;

/** Whether a shape of a header or a footer may stand behind the text of a page: programs paint them before it. `height`: points that the text of
 *  the header or footer takes at most. The text of the page begins below a header that is higher than its margin, and ends above such a footer. */
export function mayStandBehind(
  { rect, isAside, at }: Cover & { readonly at: Place },
  place: Place,
  kind: "header" | "footer",
  page: PageForm,
  height: number,
): boolean {
  if (isAside) return false;
  if (rect === undefined) return true;
  if (endsBefore(place, rect, page)) return false;
  const bottom = bottomOf(rect, page);
  if (kind === "header") {
    if (bottom !== undefined) return bottom > page.top + slack;
    // Of a later paragraph, and of one in a frame or a table, it is not known how far down it stands.
    return at.paragraph > 1 || at.line.isApart || page.header + at.line.gap + rect.bottom > page.top + slack;
  }
  if (bottom === undefined) return page.footer + height - rect.top > page.bottom + slack;
  return bottom - (rect.bottom - rect.top) < page.height - edgeMost;
}

/** Points of a box that may stand over the edge of a page: what is inside begins further in. */
const boxSlack = 12;

/** Whether a text box is larger than its page, or reaches over its edges. */
export function isBoxOff({ rect, wide, tall }: BoxPlace, page: PageForm): boolean {
  if (wide > page.width + 2 * boxSlack || tall > page.height + 2 * boxSlack) return true;
  if (rect === undefined) return false;
  const { left, right, top, bottom } = rect;
  const across = originsAcross(rect, page);
  const down = originsDown(rect, page);
  return (
    (across !== undefined &&
      (across[0] + left < -boxSlack ||
        across[1] + Math.min(right, left + page.width) > page.width + boxSlack)) ||
    (down !== undefined && (down[0] + top < -boxSlack || down[1] + bottom > page.height + boxSlack))
  );
}

/** Where places of shapes are counted from, at least and at most; undefined where it is in the text. */
function originsAcross({ acrossFrom }: Rect, page: PageForm): readonly [number, number] | undefined {
  if (acrossFrom === "page" || acrossFrom === "leftMargin") return [0, 0];
  if (acrossFrom === "margin" || (acrossFrom === "column" && !page.hasColumns))
    return [page.leastSide, page.left];
  return acrossFrom === "character" || acrossFrom === "column" || acrossFrom === ""
    ? undefined
    : [0, page.width - page.leastSide];
}

function originsDown({ downFrom }: Rect, page: PageForm): readonly [number, number] | undefined {
  if (downFrom === "page" || downFrom === "topMargin") return [0, 0];
  if (downFrom === "margin") return [page.top, page.top];
  return downFrom === "bottomMargin" ? [page.height - page.bottom, page.height - page.bottom] : undefined;
}

function haveSameOrigin(one: Rect, other: Rect, at: Place, place: Place): boolean {
  if (one.acrossFrom !== other.acrossFrom || one.downFrom !== other.downFrom) return false;
  // The same paragraph, or a page.
  return isOfPage(one.downFrom) || at.line === place.line;
}

function isOfPage(from: string): boolean {
  return from === "page" || from === "margin" || from === "topMargin";
}

function intersect(one: Rect, other: Rect): boolean {
  return (
    one.left < other.right + slack &&
    other.left < one.right + slack &&
    one.top < other.bottom + slack &&
    other.top < one.bottom + slack
  );
}

/** Whether the line ends before the shape begins, which is put on the page where it does not fit. */
function endsBefore({ line }: Place, { left, right, acrossFrom }: Rect, page: PageForm): boolean {
  const isKnown = ["page", "margin", "column"].includes(acrossFrom);
  const origin = acrossFrom === "page" ? 0 : page.left;
  const from = Math.min(origin + left, page.width - (right - left));
  return isKnown && page.left + line.across + slack < from;
}

/** From the top of the page; undefined if its place is relative to its paragraph. */
function bottomOf({ top, bottom, downFrom }: Rect, page: PageForm): number | undefined {
  if (downFrom === "paragraph" || downFrom === "line") return undefined;
  if (!isOfPage(downFrom)) return Number.POSITIVE_INFINITY;
  return Math.max((downFrom === "margin" ? page.top : 0) + bottom, bottom - top);
}
