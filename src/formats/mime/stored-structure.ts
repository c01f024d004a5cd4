/** The structure of a message as it is stored: nested JSON arrays, in which default values are left out.
 *
 *  part = [headerSize, bodySize, lines, gap, type, subtype, encoding?, parameters?, extras?, parts?, message?, envelope?]
 *  `gap` is the distance to the part's header, from the start of the parent's body or the end of the part before. An absent value
 *  is written as 0, and trailing absent values are cut. The order must not change, because the store has structures in this order: a
 *  new element is added at the end. */
import { noParameters, type Parameters, recordOf } from "./parameters.ts";
import type { MimePart } from "./part.ts";

type Stored = readonly (string | number | Stored)[];
type StoredList = (string | number | Stored)[];

export function serializeStructure(top: MimePart): string {
  return JSON.stringify(storePart(top, 0));
}

/** Reads what `serializeStructure` wrote. */
export function readStructure(text: string): MimePart {
  return readPart(JSON.parse(text) as Stored, 0, "", true);
}

const defaultEncoding = "7bit";

function storePart(part: MimePart, from: number): Stored {
  const stored: StoredList = [
    part.bodyStart - part.headerStart,
    part.bodyEnd - part.bodyStart,
    part.lines,
    part.headerStart - from,
    part.type,
    part.subtype,
    part.encoding === defaultEncoding ? 0 : part.encoding,
    storeParameters(part.parameters),
    storeExtras(part),
    storeParts(part),
    part.message === undefined ? 0 : storePart(part.message, part.bodyStart),
    part.envelope ?? 0,
  ];
  while (stored.at(-1) === 0) stored.pop();
  return stored;
}

function storeParts(part: MimePart): Stored | 0 {
  if (part.parts.length === 0) return 0;
  let from = part.bodyStart;
  return part.parts.map((child) => {
    const stored = storePart(child, from);
    from = child.bodyEnd;
    return stored;
  });
}

function storeParameters(parameters: Parameters): Stored | 0 {
  const names = Object.keys(parameters);
  return names.length === 0 ? 0 : names.flatMap((name) => [name, parameters[name]!]);
}

function storeExtras(part: MimePart): Stored | 0 {
  const extras: StoredList = [
    part.disposition ?? 0,
    storeParameters(part.dispositionParameters),
    part.contentId ?? 0,
    part.description ?? 0,
    part.md5 ?? 0,
    part.language === undefined ? 0 : [...part.language],
    part.location ?? 0,
  ];
  while (extras.at(-1) === 0) extras.pop();
  return extras.length === 0 ? 0 : extras;
}

function readPart(stored: Stored, from: number, holderSection: string, isMessageTop: boolean): MimePart {
  const [
    headerSize,
    bodySize,
    lines,
    gap,
    type,
    subtype,
    encoding,
    parameters,
    extras,
    parts,
    message,
    envelope,
  ] = stored as [number, number, number, number, string, string, ...unknown[]];
  const headerStart = from + gap;
  const bodyStart = headerStart + headerSize;
  const section =
    isMessageTop && type !== "multipart"
      ? holderSection === ""
        ? "1"
        : `${holderSection}.1`
      : holderSection;
  const [disposition, dispositionParameters, contentId, description, md5, language, location] = (extras ||
    []) as readonly unknown[];
  return {
    section,
    type,
    subtype,
    parameters: readParameters(parameters),
    encoding: (encoding as string | 0 | undefined) || defaultEncoding,
    disposition: textOf(disposition),
    dispositionParameters: readParameters(dispositionParameters),
    contentId: textOf(contentId),
    description: textOf(description),
    md5: textOf(md5),
    language: language ? (language as readonly string[]) : undefined,
    location: textOf(location),
    headerStart,
    bodyStart,
    bodyEnd: bodyStart + bodySize,
    lines,
    parts: parts ? readParts(parts as readonly Stored[], bodyStart, section) : [],
    message: message ? readPart(message as Stored, bodyStart, section, true) : undefined,
    envelope: textOf(envelope),
  };
}

function readParts(stored: readonly Stored[], bodyStart: number, section: string): MimePart[] {
  let from = bodyStart;
  return stored.map((each, index) => {
    const part = readPart(each, from, section === "" ? `${index + 1}` : `${section}.${index + 1}`, false);
    from = part.bodyEnd;
    return part;
  });
}

/** 0 and a missing element mean absent; "" is a value. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function readParameters(value: unknown): Parameters {
  if (!value) return noParameters;
  const flat = value as readonly string[];
  const entries: [string, string][] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) entries.push([flat[index]!, flat[index + 1]!]);
  return recordOf(entries);
}
