/** A mail for a person who decides about it: its text with every hidden passage at its place, and the same mail as its recipient sees
 *  it. */
import type { ConcealedText } from "#/src/formats/html/evidence-writer.ts";
import { decodedCid } from "#/src/formats/html/held-pictures.ts";
import type { MimePart } from "#/src/formats/mime/structure.ts";
import { walkParts } from "#/src/formats/mime/structure.ts";
import { unescapeOwnLines } from "#/src/formats/text/own-lines.ts";
import type { Mail } from "#/src/mail/mail.ts";
import type { Message } from "#/src/mail/messages.ts";
import { type BodyText, renderBody, renderFrame, renderPart } from "./body-text.ts";
import { readDecodedPart } from "./decoded-part.ts";
import { type MessageContent, mediaType, messageContent, shownName } from "./message-content.ts";
import { isReadable } from "./part-reading.ts";
import { createRemovalTally, type RemovalDetail } from "./removal.ts";

export type Passage =
  | { readonly kind: "text" | "quote"; readonly text: string }
  | {
      readonly kind: "hidden";
      readonly text: string;
      readonly why: ConcealedText["why"];
      readonly words: number;
    };

export interface ShownFile {
  readonly section: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly isReadable: boolean;
}

export interface ShownMail {
  readonly content: MessageContent;
  readonly passages: readonly Passage[];
  /** The text is longer than what is shown of it. */
  readonly isCut: boolean;
  readonly words: number;
  readonly removed: readonly RemovalDetail[];
  readonly files: readonly ShownFile[];
  /** Another alternative of the body says something else. */
  readonly isDiffering: boolean;
  readonly isPage: boolean;
}

/** Characters of the text on one page. */
const textMax = 20_000;
const framePicturesBytesMax = 4 * 1024 * 1024;
const framePicture = /^image\/(?:png|jpeg|gif|webp)$/;

export async function showMail(mail: Mail, message: Message): Promise<ShownMail> {
  const structure = await mail.readStructure(message);
  const tally = createRemovalTally();
  const content = await messageContent(mail, message, structure, tally);
  const body = await renderBody({ mail, readers: mail.readers }, message, structure, "evidence");
  tally.addAll(body.removed);
  const text = body.text.slice(0, textMax).toWellFormed();
  return {
    content,
    passages: await passagesOf(mail, text, body),
    isCut: body.text.length > textMax,
    words: text.split(/\s+/).filter((word) => word !== "").length,
    removed: tally.list(),
    files: filesOf(structure, body),
    isDiffering: body.differing !== undefined,
    isPage: body.isPage === true,
  };
}

/** The whole text of a body as a person may change it: nothing hidden in it, and apart from it what is quoted at its end. */
export async function editableText(
  mail: Mail,
  message: Message,
): Promise<{ readonly text: string; readonly quoted: string }> {
  const structure = await mail.readStructure(message);
  const body = await renderBody({ mail, readers: mail.readers }, message, structure);
  const text = unescapeOwnLines(body.text);
  const last = (await mail.readers.extractReply(text)).cuts.at(-1);
  const isTail = last?.what === "quoted-history" && text.slice(last.end).trim() === "";
  return isTail
    ? { text: text.slice(0, last.start).trimEnd(), quoted: text.slice(last.start).trim() }
    : { text, quoted: "" };
}

async function passagesOf(mail: Mail, text: string, { concealed = [] }: BodyText): Promise<Passage[]> {
  const passages: Passage[] = [];
  let rest = text;
  for (const { mark, ...hidden } of concealed) {
    const at = rest.indexOf(mark);
    if (at < 0) break;
    passages.push(...(await withQuotes(mail, rest.slice(0, at))), { kind: "hidden", ...hidden });
    rest = rest.slice(at + mark.length);
  }
  return [...passages, ...(await withQuotes(mail, rest))];
}

async function withQuotes(mail: Mail, text: string): Promise<Passage[]> {
  const passages: Passage[] = [];
  let at = 0;
  for (const { what, start, end } of (await mail.readers.extractReply(text)).cuts) {
    if (what !== "quoted-history") continue;
    passages.push(
      { kind: "text", text: text.slice(at, start) },
      { kind: "quote", text: text.slice(start, end) },
    );
    at = end;
  }
  passages.push({ kind: "text", text: text.slice(at) });
  return passages.filter((passage) => passage.kind === "hidden" || passage.text !== "");
}

/** Parts that are not the body: files, and pictures that the body shows. */
function filesOf(structure: MimePart, body: BodyText): ShownFile[] {
  const shown = new Set(body.parts.map(({ section }) => section));
  const tally = createRemovalTally();
  return leavesOf(structure)
    .filter((part) => !shown.has(part.section) && isFile(part))
    .map((part) => ({
      section: part.section,
      name: shownName(part, tally),
      type: mediaType(part, tally),
      size: part.bodyEnd - part.bodyStart,
      isReadable: isReadable(part),
    }));
}

function leavesOf(structure: MimePart): MimePart[] {
  return walkParts(structure)
    .filter((part) => part.type !== "multipart" && part.section !== "")
    .slice(0, 200);
}

/** Another alternative of the body is no file. */
function isFile(part: MimePart): boolean {
  return (
    part.type !== "text" || part.disposition === "attachment" || shownName(part, createRemovalTally()) !== ""
  );
}

/** A file as text, as far as it can be read. */
export async function showFile(
  mail: Mail,
  message: Message,
  section: string,
  charactersMax: number,
): Promise<{ readonly file: ShownFile; readonly text: string; readonly isCut: boolean } | undefined> {
  const structure = await mail.readStructure(message);
  const part = leavesOf(structure).find((one) => one.section === section);
  if (part === undefined) return undefined;
  const [file] = filesOf(part, { text: "", parts: [], removed: [] });
  const described = file ?? {
    section,
    name: shownName(part, createRemovalTally()),
    type: mediaType(part, createRemovalTally()),
    size: part.bodyEnd - part.bodyStart,
    isReadable: isReadable(part),
  };
  const text = described.isReadable
    ? (await renderPart({ mail, readers: mail.readers }, message, part)).text
    : "";
  return {
    file: described,
    text: text.slice(0, charactersMax).toWellFormed(),
    isCut: text.length > charactersMax,
  };
}

/** A file as octets; undefined if there is no such part. */
export async function readWholeFile(
  mail: Mail,
  message: Message,
  section: string,
): Promise<{ readonly name: string; readonly octets: Buffer } | undefined> {
  const structure = await mail.readStructure(message);
  const part = leavesOf(structure).find((one) => one.section === section);
  if (part === undefined) return undefined;
  const { bytes: octets } = await readDecodedPart(mail, message, part);
  return { name: shownName(part, createRemovalTally()), octets };
}

/** The mail in pieces of HTML, the pictures that it shows among them. Everything comes from the message; nothing is loaded. */
export async function frameOf(mail: Mail, message: Message): Promise<readonly (string | Buffer)[]> {
  const structure = await mail.readStructure(message);
  const source = { mail, readers: mail.readers };
  const { parts } = await renderBody(source, message, structure);
  const pieces: (string | Buffer)[] = [];
  let left = framePicturesBytesMax;
  for (const part of parts) {
    const page = await renderFrame(source, message, part);
    if (page === undefined) {
      pieces.push("<p>This page is too large to be shown.</p>");
      continue;
    }
    for (const [index, piece] of page.pieces.entries()) {
      pieces.push(piece);
      const cid = page.cids[index];
      if (cid === undefined) continue;
      const picture = findPicture(structure, cid);
      const size = picture === undefined ? 0 : picture.bodyEnd - picture.bodyStart;
      if (picture === undefined || size > left) continue;
      left -= size;
      const { bytes } = await readDecodedPart(mail, message, picture);
      pieces.push(`data:${picture.type}/${picture.subtype};base64,`, bytes);
    }
  }
  return pieces;
}

function findPicture(structure: MimePart, cid: string): MimePart | undefined {
  const bare = (id: string): string => id.trim().replace(/^<|>$/g, "");
  const wanted = decodedCid(cid);
  return leavesOf(structure).find(
    (part) =>
      part.contentId !== undefined &&
      bare(part.contentId) === wanted &&
      framePicture.test(`${part.type}/${part.subtype}`),
  );
}
