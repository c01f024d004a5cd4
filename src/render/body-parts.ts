/** The parts that are the body of a message, and the parts that are its attachments: the algorithm of RFC 8621 section 4.1.4.
 *  Alternatives are preferred in the order of mail programs. */
import { type MimePart, walkParts } from "#/src/formats/mime/structure.ts";
import { mimePartsMax } from "#/src/model/limits.ts";

/** One place in the body: a part, or several ways of saying the same. */
export type BodyPlace =
  | { readonly kind: "part"; readonly part: MimePart }
  | { readonly kind: "alternatives"; readonly choices: readonly BodySequence[] };

/** What is shown one after the other. Of `choices` the preferred one stands first. */
export type BodySequence = readonly BodyPlace[];

export interface BodyPlan {
  readonly places: BodySequence;
  /** There are more text parts than are shown. */
  readonly isCut: boolean;
  /** Multiparts of the body with octets and without a part: their boundary never comes. */
  readonly unread: readonly MimePart[];
}

/** Text parts of a body, those of all alternatives together; a message of thousands is an attack or an archive. */
export const bodyPartsMax = 100;

export function planBody(top: MimePart): BodyPlan {
  const walk: Walk = { left: bodyPartsMax, isCut: walkParts(top).length >= mimePartsMax, unread: [] };
  const places = sequenceOf(top, true, walk);
  return { places, isCut: walk.isCut, unread: walk.unread };
}

/** The text parts of a sequence, in its order. */
export function partsOf(sequence: BodySequence): MimePart[] {
  return sequence.flatMap((place) => (place.kind === "part" ? [place.part] : place.choices.flatMap(partsOf)));
}

interface Walk {
  left: number;
  isCut: boolean;
  readonly unread: MimePart[];
}

function sequenceOf(part: MimePart, isFirst: boolean, walk: Walk): BodySequence {
  if (part.type !== "multipart") {
    if (!isInlineText(part, isFirst)) return [];
    if (walk.left === 0) walk.isCut = true;
    return walk.left-- > 0 ? [{ kind: "part", part }] : [];
  }
  if (part.parts.length === 0 && part.bodyEnd > part.bodyStart) walk.unread.push(part);
  if (part.subtype === "alternative") {
    const choices = part.parts
      .map((child) => sequenceOf(child, true, walk))
      .filter(({ length }) => length > 0);
    return choices.length === 0 ? [] : [{ kind: "alternatives", choices: byPreference(choices) }];
  }
  if (part.subtype === "related") {
    const root = rootOf(part);
    return root === undefined ? [] : sequenceOf(root, isFirst, walk);
  }
  const places: BodyPlace[] = [];
  for (const [index, child] of part.parts.entries()) {
    if (walk.left < 0) break;
    places.push(...sequenceOf(child, isFirst && index === 0, walk));
  }
  return places;
}

/** The part that multipart/related names in `start`, else its first (RFC 2387 section 3.2). */
function rootOf(part: MimePart): MimePart | undefined {
  const start = part.parameters.start;
  const named = start === undefined ? undefined : part.parts.find((child) => isNamed(child, start));
  return named ?? part.parts[0];
}

function isNamed({ contentId }: MimePart, start: string): boolean {
  const bare = (id: string): string => id.trim().replace(/^<|>$/g, "");
  return contentId !== undefined && bare(start) !== "" && bare(contentId) === bare(start);
}

/** HTML, as mail programs show it, then plain text, then other text; of two that are alike the last. A plain text that stands
 *  behind the HTML comes first: its author prefers it (RFC 2046 section 5.1.4). */
function byPreference(choices: readonly BodySequence[]): BodySequence[] {
  const isPlainLast = rank(choices.at(-1)!) === 1;
  return choices
    .toReversed()
    .toSorted((a, b) => (isPlainLast ? Number(rank(a) === 2) - Number(rank(b) === 2) : rank(a) - rank(b)));
}

function rank(choice: BodySequence): number {
  const subtypes = new Set(partsOf(choice).map(({ subtype }) => subtype));
  if (subtypes.has("html")) return 0;
  return subtypes.has("plain") ? 1 : 2;
}

/** Behind the first part, a text with a file name is an attachment. */
function isInlineText(part: MimePart, isFirst: boolean): boolean {
  if (part.type !== "text" || part.disposition === "attachment") return false;
  return isFirst || ((part.subtype === "plain" || part.subtype === "html") && fileName(part) === "");
}

/** As it was sent, decoded; "" for none. */
export function fileName(part: MimePart): string {
  return part.dispositionParameters.filename ?? part.parameters.name ?? "";
}
