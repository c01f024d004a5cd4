/** The text of the body of a message, or of one part. The same bytes give the same text under the same `renderer`, so a number
 *  identifies a place in the text. */

import { documentBytesMax } from "#/src/formats/documents/read-document.ts";
import type { ConcealedText } from "#/src/formats/html/evidence-writer.ts";
import type { FramePage } from "#/src/formats/html/frame-text.ts";
import { type PictureSize, type PictureSizes, sizeOfPicture } from "#/src/formats/html/held-pictures.ts";
import { escapeHtml } from "#/src/formats/html/html-writer.ts";
import type { PageWords } from "#/src/formats/html/walk.ts";
import { type MimePart, walkParts } from "#/src/formats/mime/structure.ts";
import { joinEscaped, noteLine } from "#/src/formats/text/own-lines.ts";
import { type Quote, quotesMax } from "#/src/formats/text/quotes.ts";
import type { ReplyCut } from "#/src/formats/text/reply.ts";
import { type Sign, signs } from "#/src/formats/text/signs.ts";
import type { ContentReaders } from "#/src/mail/content-readers.ts";
import type { MessageBytes, StoredBytes } from "#/src/mail/message-bytes.ts";
import { type Difference, differences } from "#/src/model/differences.ts";
import { renderedCharactersMax } from "#/src/model/limits.ts";
import type { RemovalCounts } from "#/src/model/removal.ts";
import { type BodyPlace, type BodySequence, partsOf, planBody } from "./body-parts.ts";
import { readDecodedPart } from "./decoded-part.ts";
import { readingOf } from "./part-reading.ts";
import { createRemovalTally, type RemovalDetail } from "./removal.ts";

/** Changes when the same bytes would give another text. */
export const textRenderer = "waypost-text/9";

export const bodyForms = ["text", "reply", "markdown", "html"] as const;
/** `reply`: the text without what it quotes, and without the signature. */
export type BodyForm = (typeof bodyForms)[number];
/** evidence: text with marks where text is hidden. */
type ShownForm = BodyForm | "evidence";

/** By their section numbers: the parts that are shown, and one that says something else. */
export interface DifferingAlternatives {
  readonly shown: readonly string[];
  readonly other: string;
}

export interface BodyText {
  readonly text: string;
  readonly parts: readonly MimePart[];
  readonly removed: readonly RemovalDetail[];
  /** Of a `reply`: ranges that are not in it, of this text. */
  readonly cuts?: readonly ReplyCut[];
  readonly cutFrom?: string;
  /** Another alternative of the body says something else. */
  readonly differing?: DifferingAlternatives | undefined;
  /** HTML was read: a person is shown this, though no text may be in it. */
  readonly isPage?: boolean;
  /** Of its pages. */
  readonly words?: PageWords | undefined;
  /** How people may see its pages otherwise. */
  readonly differs?: readonly Difference[] | undefined;
  /** Another alternative in plain text, of a page with words in doubt: its section number. */
  readonly alternative?: string | undefined;
  /** Of the form evidence. */
  readonly concealed?: readonly ConcealedText[];
  /** That the text addresses a program. */
  readonly signs?: readonly Sign[];
  /** Mails that are quoted in it. */
  readonly quotes?: readonly Quote[];
}

/** Octets of one text part that are looked at. */
const partBytesMax = 2 * 1024 * 1024;

export interface TextSource {
  readonly mail: MessageBytes;
  readonly readers: ContentReaders;
  /** Sizes of the pictures of the message that is read. */
  readonly pictures?: PictureSizes;
  /** Text in doubt is given as well, each passage between `doubtfulMarks`. */
  readonly withDoubtful?: boolean;
}

/** Pictures of one message whose sizes are looked up, and the octets of each that are looked at: in a JPEG, what a camera says of it
 *  stands before its size. */
const picturesMax = 20;
const pictureBytesMax = 48 * 1024;

/** The source with the sizes of the pictures below `top` that a page can name. Of several with one Content-ID the tallest counts. */
export async function withPictures<Source extends TextSource>(
  source: Source,
  message: StoredBytes,
  top: MimePart,
): Promise<Source> {
  const leaves = walkParts(top);
  if (source.pictures !== undefined || !leaves.some((part) => readingOf(part) === "html")) return source;
  const pictures = new Map<string, PictureSize>();
  const unknown = new Set<string>();
  const named = leaves.filter((part) => part.type === "image" && part.contentId !== undefined);
  for (const part of named.slice(0, picturesMax)) {
    const cid = part.contentId!.trim().replace(/^<|>$/g, "");
    const size = sizeOfPicture((await readDecodedPart(source.mail, message, part, pictureBytesMax)).bytes);
    const known = pictures.get(cid);
    if (size === undefined) unknown.add(cid);
    else if (known === undefined || size.height / size.width > known.height / known.width)
      pictures.set(cid, size);
  }
  for (const cid of unknown) pictures.delete(cid);
  return { ...source, pictures };
}

/** What a message, a nested message or a multipart says to the one who looks at it. */
export async function renderBody(
  source: TextSource,
  message: StoredBytes,
  top: MimePart,
  form: ShownForm = "text",
): Promise<BodyText> {
  const plan = planBody(top);
  const tally = createRemovalTally();
  const shown = await renderSequence(await withPictures(source, message, top), message, plan.places, form);
  tally.addAll(shown.removed);
  if (plan.isCut) tally.add("over-limit", "body");
  for (const part of plan.unread) tally.add("undecodable", part.section === "" ? "body" : part.section);
  const whole = { ...shown, removed: tally.list() };
  return form === "reply" ? await withoutHistory(source.readers, whole) : whole;
}

async function renderSequence(
  source: TextSource,
  message: StoredBytes,
  places: BodySequence,
  form: ShownForm,
): Promise<BodyText> {
  const tally = createRemovalTally();
  const concealed: ConcealedText[] = [];
  const seen = new Set<Sign>();
  const differs = new Set<Difference>();
  const quotes: Quote[] = [];
  const texts: string[] = [];
  const parts: MimePart[] = [];
  let length = 0;
  let differing: DifferingAlternatives | undefined;
  let alternative: string | undefined;
  let words: PageWords | undefined;
  let isPage = false;
  for (const place of places) {
    if (length > renderedCharactersMax) {
      tally.add("over-limit", "body");
      break;
    }
    const shown = await renderPlace(source, message, place, form);
    tally.addAll(shown.removed);
    differing ??= shown.differing;
    alternative ??= shown.alternative;
    words = sumOf(words, shown.words);
    isPage ||= shown.isPage ?? false;
    texts.push(shown.text);
    concealed.push(...(shown.concealed ?? []));
    for (const sign of shown.signs ?? []) seen.add(sign);
    for (const one of shown.differs ?? []) differs.add(one);
    quotes.push(...(shown.quotes ?? []));
    parts.push(...shown.parts);
    length += shown.text.length;
  }
  return {
    text: joinEscaped(texts),
    parts,
    removed: tally.list(),
    differing,
    alternative,
    words,
    differs: differences.filter((one) => differs.has(one)),
    isPage,
    concealed,
    signs: signs.filter((sign) => seen.has(sign)),
    quotes: quotes.slice(0, quotesMax),
  };
}

function sumOf(one: PageWords | undefined, other: PageWords | undefined): PageWords | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { given: one.given + other.given, doubtful: one.doubtful + other.doubtful };
}

/** What is new in it. */
export async function withoutHistory(
  readers: Pick<ContentReaders, "extractReply">,
  body: BodyText,
): Promise<BodyText> {
  const { text, cuts } = await readers.extractReply(body.text);
  const tally = createRemovalTally();
  tally.addAll(body.removed);
  for (const { what } of cuts) tally.add(what, body.parts[0]?.section ?? "body");
  return { ...body, text, cuts, cutFrom: body.text, removed: tally.list() };
}

/** Of alternatives, what a mail program shows: the first that says something, or that is a page. A part without an octet to
 *  show gives way to the next; a page that is too much to be looked at does not. */
async function renderPlace(
  source: TextSource,
  message: StoredBytes,
  place: BodyPlace,
  form: ShownForm,
): Promise<BodyText> {
  if (place.kind === "part") return renderPart(source, message, place.part, form);
  const tally = createRemovalTally();
  let last: BodyText = { text: "", parts: [], removed: [] };
  for (const [index, choice] of place.choices.entries()) {
    last = await renderSequence(source, message, choice, form);
    tally.addAll(last.removed);
    if (last.text.trim() === "" && last.isPage !== true) continue;
    const other = await findOtherText(source, message, last, place.choices.slice(index + 1));
    if (other !== undefined) tally.add("hidden-element", other.section);
    const isDoubtful = (last.words?.doubtful ?? 0) > 0;
    const plain = place.choices.toSpliced(index, 1).flatMap(partsOf).find(isPlain);
    return {
      ...last,
      removed: tally.list(),
      alternative: isDoubtful ? plain?.section : undefined,
      differing:
        other === undefined
          ? last.differing
          : { shown: last.parts.map(({ section }) => section), other: other.section },
    };
  }
  return { ...last, removed: tally.list() };
}

/** Parts of other alternatives that are compared with what is shown. */
const comparedMax = 5;

function isPlain({ type, subtype }: MimePart): boolean {
  return type === "text" && subtype === "plain";
}

function isTextOrPage({ type, subtype }: MimePart): boolean {
  return type === "text" && (subtype === "plain" || subtype === "html");
}

/** The parts that a person is shown in the place of this one; undefined for a part that is shown, or that is no alternative. */
export async function shownInsteadOf(
  source: TextSource,
  message: StoredBytes,
  top: MimePart,
  part: MimePart,
): Promise<Pick<BodyText, "parts" | "differing"> | undefined> {
  const isAlternative = planBody(top).places.some(
    (place) =>
      place.kind === "alternatives" && place.choices.some((choice) => partsOf(choice).includes(part)),
  );
  if (!isAlternative) return undefined;
  const { parts, differing } = await renderBody(source, message, top);
  return parts.includes(part) ? undefined : { parts, differing };
}

/** The first text among the other choices that says what is not shown. */
async function findOtherText(
  source: TextSource,
  message: StoredBytes,
  shown: BodyText,
  others: readonly BodySequence[],
): Promise<MimePart | undefined> {
  for (const part of others.flatMap(partsOf).filter(isTextOrPage).slice(0, comparedMax)) {
    const { text } = await renderPart(source, message, part, "text");
    if (await source.readers.differs(text, shown.text)) return part;
  }
  return undefined;
}

/** One part of text, or of something that can be read as text. A `reply` is made of a whole body. */
export async function renderPart(
  source: TextSource,
  message: StoredBytes,
  part: MimePart,
  form: ShownForm = "text",
): Promise<BodyText> {
  const tally = createRemovalTally();
  const reading = readingOf(part) ?? "text";
  const take = ({ text, removed }: { readonly text: string; readonly removed: RemovalCounts }): string => {
    for (const [what, times, why] of removed) tally.add(what, part.section, times, why);
    return text;
  };
  const done = (text: string, found: readonly Sign[]): BodyText => ({
    text,
    parts: [part],
    removed: tally.list(),
    signs: found,
  });
  const { withDoubtful } = source;
  const name = `${message.account} ${message.blob} ${part.section} ${reading}${withDoubtful === true ? " doubtful" : ""}`;
  if (reading === "pdf" || reading === "docx") {
    const read = async (): Promise<Buffer | undefined> => {
      const { bytes, isCut } = await readDecodedPart(source.mail, message, part, documentBytesMax);
      return isCut ? undefined : bytes;
    };
    const document = await source.readers.readDocument(read, reading, name);
    return done(inForm(take(document), form), document.signs);
  }
  const { bytes, isCut } = await readDecodedPart(source.mail, message, part, partBytesMax);
  if (isCut) tally.add("over-limit", part.section);
  const shown = await source.readers.readText(
    {
      ...textOf(part, bytes),
      form: form === "reply" ? "text" : form,
      pictures: source.pictures,
      withDoubtful,
    },
    name,
  );
  const text = take(shown);
  if (reading !== "html") return { ...done(inForm(text, form), shown.signs), quotes: shown.quotes ?? [] };
  return {
    ...done(text.trim() === "" ? inForm(picturesText(shown.pictures), form) : text, shown.signs),
    isPage: shown.isPage,
    words: shown.words,
    differs: shown.differs,
    concealed: shown.concealed ?? [],
    quotes: shown.quotes ?? [],
  };
}

/** Plain text is Markdown enough; HTML shows its lines as they are. */
function inForm(text: string, form: ShownForm): string {
  return form === "html" && text !== "" ? `<pre>${escapeHtml(text)}</pre>` : text;
}

/** Stands for the text of a page that shows only pictures. */
function picturesText(pictures: readonly string[]): string {
  return pictures.map((alt) => noteLine("picture", alt)).join("\n");
}

/** A part as its recipient sees it, for a frame; undefined for a page that is over a limit. Text stands in its own lines. */
export async function renderFrame(
  source: TextSource,
  message: StoredBytes,
  part: MimePart,
): Promise<FramePage | undefined> {
  const { bytes } = await readDecodedPart(source.mail, message, part, partBytesMax);
  return (await source.readers.readText({ ...textOf(part, bytes), form: "frame" })).frame;
}

function textOf(part: MimePart, bytes: Uint8Array) {
  const { charset, format, delsp } = part.parameters;
  const isFlowed = part.subtype === "plain" && format?.toLowerCase() === "flowed";
  const reading = readingOf(part);
  return {
    bytes,
    charset,
    reading: reading === undefined || reading === "pdf" || reading === "docx" ? ("text" as const) : reading,
    // JSON, XML and what else has no parameter are UTF-8 by their own standards.
    usualCharset: part.type === "text" ? "us-ascii" : "utf-8",
    flowed: isFlowed ? { deletesSpaces: delsp?.toLowerCase() === "yes" } : undefined,
  };
}
