/** The content of a message or of a part: one function for each kind of thing that `part` can name. The text is complete here; it is
 *  cut into pages where the answer is written. */
import { hash } from "node:crypto";
import { parseJsonText } from "#/src/formats/jscontact/json-text.ts";
import { findPart, type MimePart } from "#/src/formats/mime/structure.ts";
import { type Sign, signs, signsOf } from "#/src/formats/text/signs.ts";
import type { Mail } from "#/src/mail/mail.ts";
import type { Message } from "#/src/mail/messages.ts";
import { WaypostError } from "#/src/model/errors.ts";
import {
  type BodyForm,
  type BodyText,
  bodyForms,
  renderBody,
  renderPart,
  shownInsteadOf,
  type TextSource,
  textRenderer,
  withoutHistory,
  withPictures,
} from "./body-text.ts";
import { hasKnownEncoding, readDecodedPart } from "./decoded-part.ts";
import { fieldsText, headerFacts, shownFields } from "./envelope.ts";
import { type MessageContent, mediaType, messageContent, shownName, shownPart } from "./message-content.ts";
import { countCharacters } from "./page-text.ts";
import { isReadable } from "./part-reading.ts";
import { isNestedPart, type PartTarget, type Render } from "./part-target.ts";
import { createRemovalTally, type RemovalDetail, type RemovalTally } from "./removal.ts";
import { shownStructure, structureText } from "./structure-content.ts";

export interface MessageSource extends TextSource {
  readonly mail: Mail;
}

export interface DescribedMessage {
  readonly source: MessageSource;
  readonly message: Message;
  readonly structure: MimePart;
}

/** What the bytes of a message say, and what was decided at its receipt: where it lies, and its marks, are for who shows it
 *  (`message-state.ts`). */
export interface Description {
  readonly kind: "message" | "body" | "attachment" | "headers" | "structure" | "agent_part";
  readonly content: Readonly<Record<string, unknown>>;
  readonly text?: string;
  /** Octets asked for; what goes out is a range of them. */
  readonly octets?: Octets;
  readonly removed: readonly RemovalDetail[];
  readonly isNested: boolean;
}

export interface Octets {
  readonly total: number;
  read(start: number, end: number): Promise<Uint8Array>;
}

const agentPartBytesMax = 256 * 1024;
/** Decoded parts up to this are given with their hash. */
const hashedBytesMax = 8 * 1024 * 1024;

export async function describeMessagePart(
  described: DescribedMessage,
  target: PartTarget,
  render: Render,
): Promise<Description> {
  switch (render) {
    case "structure":
      return structureOf(target.kind === "part" ? target.part : described.structure);
    case "headers":
      return headersOf(described, headerSection(target), false);
    case "source":
      return octetsOf(described, target, true);
    case "raw":
      return octetsOf(described, target, false);
  }
  switch (target.kind) {
    case "message":
      return wholeMessage(described, render);
    case "body":
      return bodyOf(described, described.structure, render);
    case "structure":
      return structureOf(described.structure);
    case "headers":
      return headersOf(described, target.section, render === "text");
    case "agent_part":
      return agentPartOf(described, target.part);
    case "part":
      return partOf(described, target.part, render);
    case "octets":
      return octetsOf(described, target, false);
  }
}

async function wholeMessage(described: DescribedMessage, render: Render): Promise<Description> {
  const { source, message, structure } = described;
  const tally = createRemovalTally();
  const content = await messageContent(source.mail, message, structure, tally);
  const form = formOf(render);
  if (form === undefined)
    return { kind: "message", content: { ...content }, removed: tally.list(), isNested: false };
  const body = await renderBody(source, message, structure, form);
  tally.addAll(body.removed);
  return {
    kind: "message",
    content: { ...content, ...bodyFacts({ ...body, signs: signsWith(body, content) }, message) },
    text: body.text,
    removed: tally.list(),
    isNested: false,
  };
}

/** Those of the body, and of the line that stands over it. */
function signsWith(body: BodyText, { subject, from }: MessageContent): readonly Sign[] {
  const found = [...(body.signs ?? []), ...signsOf(subject), ...signsOf(from?.name ?? "")];
  return signs.filter((sign) => found.includes(sign));
}

async function bodyOf(described: DescribedMessage, top: MimePart, render: Render): Promise<Description> {
  const { source, message, structure } = described;
  const tally = createRemovalTally();
  const form = formOf(render);
  const body = await renderBody(source, message, top, form);
  tally.addAll(body.removed);
  return {
    kind: "body",
    content: {
      ...(body.parts[0] === undefined ? {} : partFacts(body.parts[0], tally)),
      ...(body.parts.length < 2 ? {} : { parts: body.parts.map((part) => part.section) }),
      ...bodyFacts(body, message),
      renderer: textRenderer,
    },
    ...(form === undefined ? {} : { text: body.text }),
    removed: tally.list(),
    isNested: top !== structure && isNestedPart(structure, top),
  };
}

/** undefined when no text is asked for. */
function formOf(render: Render): BodyForm | undefined {
  return bodyForms.find((form) => form === render);
}

/** Cuts are places in the rendering `text`, in characters; put back, they make it whole again. */
function bodyFacts(
  { cuts, cutFrom, differing, words, differs = [], alternative, signs = [], quotes = [] }: Partial<BodyText>,
  { id }: Message,
): Readonly<Record<string, unknown>> {
  const { given = 0, doubtful = 0 } = words ?? {};
  return {
    ...(signs.length === 0 ? {} : { signs }),
    ...(quotes.length === 0 ? {} : { quotes }),
    ...(differing === undefined ? {} : { alternatives_differ: differing }),
    ...(differs.length === 0 ? {} : { differs }),
    ...(doubtful === 0 ? {} : { doubtful_share: shareOf(doubtful, given + doubtful) }),
    ...(alternative === undefined ? {} : { alternative: `${id}#${alternative}` }),
    ...(cuts === undefined || cutFrom === undefined ? {} : { cuts: shownCuts(cuts, cutFrom) }),
  };
}

/** Rounded, and never 0 or 1 unless it is. */
function shareOf(part: number, whole: number): number {
  const rounded = Math.round((part / whole) * 1000) / 1000;
  return part === whole ? 1 : Math.min(0.999, Math.max(0.001, rounded));
}

const cutsShownMax = 200;

function shownCuts(cuts: NonNullable<BodyText["cuts"]>, text: string): readonly object[] {
  let at = 0;
  let characters = 0;
  const upTo = (unit: number): number => {
    characters += countCharacters(text, at, unit);
    at = unit;
    return characters;
  };
  return cuts
    .slice(0, cutsShownMax)
    .map(({ what, start, end }) => ({ what, start: upTo(start), end: upTo(end) }));
}

async function partOf(described: DescribedMessage, part: MimePart, render: Render): Promise<Description> {
  if (part.type === "multipart") return bodyOf(described, part, render);
  if (part.message !== undefined && render !== "json") return nestedMessage(described, part, render);
  const { source, message, structure } = described;
  const tally = createRemovalTally();
  const isBody = part.type === "text" && part.disposition !== "attachment";
  const size = part.bodyEnd - part.bodyStart;
  const decoded = size <= hashedBytesMax ? await readDecodedPart(source.mail, message, part) : undefined;
  const form = formOf(render);
  let text: BodyText | undefined;
  if (form !== undefined && isReadable(part)) {
    text = await renderPart(await withPictures(source, message, structure), message, part, form);
    if (form === "reply") text = await withoutHistory(source.readers, text);
    tally.addAll(text.removed);
  } else if (!isReadable(part) && part.message === undefined) tally.add("binary", part.section);
  const instead = text === undefined ? undefined : await shownInsteadOf(source, message, structure, part);
  if (instead !== undefined) tally.add("hidden-element", part.section);
  return {
    kind: isBody ? "body" : "attachment",
    content: {
      ...partFacts(part, tally),
      ...(decoded === undefined
        ? {}
        : { size: decoded.bytes.length, sha256: hash("sha256", decoded.bytes, "hex") }),
      ...(text === undefined
        ? {}
        : { ...bodyFacts({ ...text, ...instead }, message), renderer: textRenderer }),
      ...(instead === undefined ? {} : { shown_instead: instead.parts.map(({ section }) => section) }),
    },
    ...(text === undefined ? {} : { text: text.text }),
    removed: tally.list(),
    isNested: isNestedPart(structure, part),
  };
}

/** A message inside of the message: its body, and what its own header says, which nobody vouched for. */
async function nestedMessage(
  described: DescribedMessage,
  part: MimePart,
  render: Render,
): Promise<Description> {
  const { source, message, structure } = described;
  const body = await bodyOf(described, part.message!, render);
  const tally = createRemovalTally();
  tally.addAll(body.removed);
  const range = source.mail.findSection(message, structure, `${part.section}.HEADER`);
  const header =
    range === undefined ? undefined : await headerFacts(await source.mail.readBytes(message, range), tally);
  return {
    ...body,
    kind: "attachment",
    content: { ...body.content, part: part.section, ...(header === undefined ? {} : { message: header }) },
    removed: tally.list(),
    isNested: true,
  };
}

function partFacts(part: MimePart, tally: RemovalTally): Readonly<Record<string, unknown>> {
  return { ...shownPart(part, tally), encoding: part.encoding };
}

function headerSection(target: PartTarget): string {
  if (target.kind === "headers") return target.section;
  if (target.kind !== "part" && target.kind !== "agent_part") return "HEADER";
  const { section, message } = target.part;
  return message === undefined ? `${section}.MIME` : `${section}.HEADER`;
}

async function headersOf(
  described: DescribedMessage,
  section: string,
  isTextOnly: boolean,
): Promise<Description> {
  const { source, message, structure } = described;
  const range = source.mail.findSection(message, structure, section);
  if (range === undefined) throw noSuchPart();
  const tally = createRemovalTally();
  const fields = await shownFields(await source.mail.readBytes(message, range), tally);
  const holder = findPart(structure, section.slice(0, section.lastIndexOf(".")));
  return {
    kind: "headers",
    content: isTextOnly ? { part: section } : { part: section, headers: fields },
    text: fieldsText(fields),
    removed: tally.list(),
    isNested: section !== "HEADER" && holder !== undefined && isNestedPart(structure, holder),
  };
}

function structureOf(top: MimePart): Description {
  const tally = createRemovalTally();
  const tree = shownStructure(top, tally);
  return {
    kind: "structure",
    content: { structure: tree },
    text: structureText(tree),
    removed: tally.list(),
    isNested: false,
  };
}

async function agentPartOf(described: DescribedMessage, part: MimePart): Promise<Description> {
  const { source, message, structure } = described;
  const tally = createRemovalTally();
  const { bytes } = await readDecodedPart(source.mail, message, part, agentPartBytesMax * 2);
  let data: unknown;
  if (bytes.length > agentPartBytesMax) tally.add("over-limit", part.section);
  else data = readAgentData(bytes);
  if (data === undefined) tally.add("undecodable", part.section);
  return {
    kind: "agent_part",
    content: {
      part: part.section,
      type: mediaType(part, tally),
      name: shownName(part, tally),
      size: bytes.length,
      ...(data === undefined ? {} : { data }),
    },
    removed: tally.list(),
    isNested: isNestedPart(structure, part),
  };
}

/** undefined for what is no JSON object or list, or what no caller could send. */
function readAgentData(bytes: Buffer): unknown {
  const value = parseJsonText([bytes.toString("utf8")])?.value;
  return typeof value === "object" && value !== null ? value : undefined;
}

async function octetsOf(
  described: DescribedMessage,
  target: PartTarget,
  isSource: boolean,
): Promise<Description> {
  const { source, message, structure } = described;
  const part = await octetsPart(described, target);
  const tally = createRemovalTally();
  if (part !== undefined && !isSource) {
    if (!hasKnownEncoding(part))
      throw new WaypostError("invalid", "The part has an unknown transfer encoding.", {
        field: "/render",
        hint: "Accepted: source, which gives the octets as they were sent.",
      });
    const { bytes } = await readDecodedPart(source.mail, message, part);
    return {
      kind: target.kind === "agent_part" ? "agent_part" : target.kind === "body" ? "body" : "attachment",
      content: { ...partFacts(part, tally), size: bytes.length, ...hashOf(bytes) },
      octets: { total: bytes.length, read: async (start, end) => bytes.subarray(start, end) },
      removed: [],
      isNested: isNestedPart(structure, part),
    };
  }
  const section =
    part?.section ?? (target.kind === "headers" || target.kind === "octets" ? target.section : "");
  const range = source.mail.findSection(message, structure, section);
  if (range === undefined) throw noSuchPart();
  return {
    kind: section === "" ? "message" : target.kind === "headers" ? "headers" : "attachment",
    content:
      section === ""
        ? { id: message.id, size: message.size }
        : { part: section, size: range.end - range.start },
    octets: {
      total: range.end - range.start,
      read: (start, end) =>
        source.mail.readBytes(message, { start: range.start + start, end: range.start + end }),
    },
    removed: [],
    isNested: part !== undefined && isNestedPart(structure, part),
  };
}

/** The part whose content is asked for; undefined for the message and for ranges of it. */
async function octetsPart(described: DescribedMessage, target: PartTarget): Promise<MimePart | undefined> {
  if (target.kind === "part" || target.kind === "agent_part") return target.part;
  if (target.kind !== "body") return undefined;
  const { parts } = await renderBody(described.source, described.message, described.structure);
  if (parts[0] === undefined) throw noSuchPart();
  return parts[0];
}

function hashOf(bytes: Buffer): { sha256?: string } {
  return bytes.length > hashedBytesMax ? {} : { sha256: hash("sha256", bytes, "hex") };
}

export function noSuchPart(): WaypostError {
  return new WaypostError("not_found", "The message has no such part.", {
    hint: 'part: "structure" shows the parts that it has.',
  });
}
