/** Which parts are a message's body as it is read, and which are attachments; after the algorithm of RFC 8621 section 4.1.4,
 *  with the difference that a part that turns out to be empty gives way to the next alternative. */
import type { MimePart } from "#/src/formats/mime/structure.ts";

/** One place in the body: the first of the alternatives that says something is shown. */
export type BodyPlace = readonly MimePart[];

/** Places of one body; a message of thousands of text parts is an attack or an archive. */
const placesMax = 50;

export function bodyPlaces(top: MimePart): BodyPlace[] {
  const places: BodyPlace[] = [];
  collect(top, true, places);
  return places;
}

function collect(part: MimePart, isFirst: boolean, places: BodyPlace[]): void {
  if (places.length >= placesMax) return;
  if (part.type !== "multipart") {
    if (isInlineText(part, isFirst)) places.push([part]);
    return;
  }
  if (part.subtype === "alternative") {
    const place = alternatives(part);
    if (place.length > 0) places.push(place);
    return;
  }
  if (part.subtype === "related") {
    if (part.parts[0] !== undefined) collect(part.parts[0], isFirst, places);
    return;
  }
  for (const [index, child] of part.parts.entries()) collect(child, isFirst && index === 0, places);
}

/** HTML first, as mail programs show it, then plain text, then other text. */
function alternatives(part: MimePart): MimePart[] {
  const choices = part.parts.flatMap((child) => {
    const inner: BodyPlace[] = [];
    collect(child, true, inner);
    return inner.flat();
  });
  return choices.slice(0, placesMax).toSorted((a, b) => rank(a) - rank(b));
}

function rank(part: MimePart): number {
  if (part.subtype === "html") return 0;
  return part.subtype === "plain" ? 1 : 2;
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
