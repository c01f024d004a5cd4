/** The objects of an iCalendar or vCard file, one by one, in a form that can be stored. A calendar is split by UID, and each object gets
 *  the time zones that it names. A card of version 2.1 becomes one of 4.0. An object without a UID gets one derived from its octets,
 *  so that the same file gives the same objects again. An object that is alone in its VCALENDAR keeps its octets. */
import { createHash } from "node:crypto";
import {
  type Component,
  changeItems,
  findProperty,
  listComponents,
  makeProperty,
  parameterValue,
} from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import {
  type ScannedObject,
  type ScannedRange,
  scanObjects,
} from "#/src/formats/content-lines/scan-objects.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import {
  type CarriedAttachment,
  type PlacedAttach,
  takeCarried,
} from "#/src/formats/icalendar/carried-attachments.ts";
import { findVersion } from "#/src/formats/vcard/card.ts";
import { convertCard, withRequiredProperties } from "#/src/formats/vcard/convert-card.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import {
  attachmentBytesMax,
  attachmentsOfItemMax,
  importedObjectBytesMax,
  itemBytesMax,
} from "#/src/model/limits.ts";

/** A file that can be read at any position. */
export interface ReadableFile {
  readonly size: number;
  /** Reads the file from its beginning. */
  chunks(): AsyncIterable<Uint8Array>;
  read(range: ScannedRange): Promise<Buffer>;
}

export type ImportedObject = {
  /** Line at which the object begins. */
  readonly line: number;
  /** Octets of the file that have been read. */
  readonly position: number;
} & (
  | {
      readonly bytes: Uint8Array;
      /** Its managed attachments, as they were placed. */
      readonly attachments: readonly PlacedCarried[];
    }
  | { readonly refused: string }
);

export interface PlacedCarried extends CarriedAttachment, PlacedAttach {}

/** Returns the URL and parameters for an inline attachment. */
export type PlaceCarried = (attachment: CarriedAttachment) => Promise<PlacedAttach>;

export async function* listImportedObjects(
  file: ReadableFile,
  place: PlaceCarried,
): AsyncGenerator<ImportedObject> {
  for await (const object of scanObjects(file.chunks())) {
    if (!object.isComplete) yield { ...placeOf(object), refused: `The ${object.name} has no END.` };
    else if (object.name === "VCALENDAR") yield* splitCalendar(file, object, place);
    else if (object.name === "VCARD") yield await importedCard(file, object);
    else
      yield {
        ...placeOf(object),
        refused: `A ${object.name.slice(0, 40)} is neither a calendar nor a card.`,
      };
  }
}

function placeOf({ line, end }: ScannedObject): { readonly line: number; readonly position: number } {
  return { line, position: end };
}

const tooLarge = `It has more than ${itemBytesMax} octets.`;

async function importedCard(file: ReadableFile, object: ScannedObject): Promise<ImportedObject> {
  if (object.end - object.start > itemBytesMax) return { ...placeOf(object), refused: tooLarge };
  const octets = await file.read(object);
  return attempt(object, () => ({ bytes: storableCard(octets), attachments: [] }));
}

/** A card without a known version is returned unchanged: the write refuses it. */
function storableCard(octets: Buffer): Uint8Array {
  const [card] = listComponents(readContentLines(octets), "VCARD");
  const version = card && findVersion(card);
  if (card === undefined || version === undefined) return octets;
  const complete = version === "2.1" ? convertCard(card, "4.0") : withRequiredProperties(card, version);
  const named = withUid(complete, octets);
  return named === card ? octets : writeContentLines({ items: [named] });
}

function withUid(component: Component, octets: Uint8Array): Component {
  if ((findProperty(component, "UID")?.value.trim() ?? "") !== "") return component;
  const others = component.items.filter((item) => item.kind !== "property" || item.name !== "UID");
  return changeItems(component, [...others, makeProperty("UID", uidOf(octets))]);
}

/** A UUID of version 8 (RFC 9562 section 5.8). */
function uidOf(octets: Uint8Array): string {
  const hash = createHash("sha256").update(octets).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x80;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)];
  return `urn:uuid:${parts.join("-")}`;
}

interface MadeObject {
  readonly bytes: Uint8Array;
  readonly attachments: readonly PlacedCarried[];
}

/** Makes inline attachments managed again. Throws `invalid` if there are more than an item may have. */
export async function withoutCarried(octets: Buffer, place: PlaceCarried): Promise<MadeObject> {
  const attachments: PlacedCarried[] = [];
  const bytes = await takeCarried(octets, async (attachment) => {
    if (attachment.bytes.length > attachmentBytesMax || attachments.length >= attachmentsOfItemMax)
      throw new WaypostError(
        "invalid",
        `It has more than ${attachmentsOfItemMax} attachments, or one of more than ${attachmentBytesMax} octets.`,
      );
    const placed = { ...attachment, ...(await place(attachment)) };
    attachments.push(placed);
    return placed;
  });
  const text = bytes ?? octets;
  if (text.length > itemBytesMax) throw new WaypostError("invalid", tooLarge);
  return { bytes: text, attachments };
}

async function* splitCalendar(
  file: ReadableFile,
  object: ScannedObject,
  place: PlaceCarried,
): AsyncGenerator<ImportedObject> {
  const kept = object.components.filter(({ name }) => name !== "VTIMEZONE");
  const groups = new Map<string, ScannedRange[]>();
  kept.forEach((component, index) => {
    // A UID cannot contain a line end.
    const key = component.uid || `\n${index}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [component]);
    else known.push(component);
  });
  if (groups.size === 0) return;
  const isWhole =
    groups.size === 1 && kept[0]!.uid && !object.properties.some(({ name }) => name === "METHOD");
  if (isWhole && object.end - object.start <= importedObjectBytesMax) {
    const octets = await file.read(object);
    yield await attempt(object, () => withoutCarried(octets, place));
    return;
  }
  const zones = await readZones(file, object);
  for (const [uid, ranges] of groups) yield await splitObject(file, object, zones, uid, ranges, place);
}

/** The time zones of a calendar by TZID; of several with one TZID the first is used. */
async function readZones(
  file: ReadableFile,
  { components }: ScannedObject,
): Promise<ReadonlyMap<string, Component>> {
  const zones = new Map<string, Component>();
  let left = zoneOctetsMax;
  for (const component of components) {
    const { name, tzid, start, end } = component;
    if (name !== "VTIMEZONE" || tzid === undefined || zones.has(tzid) || end - start > left) continue;
    left -= end - start;
    const [zone] = listComponents(readContentLines(await file.read(component)));
    if (zone !== undefined) zones.set(tzid, zone);
  }
  return zones;
}

/** Bound on the octets of a calendar's time zones: some hundreds of the longest. */
const zoneOctetsMax = 8 * 1024 * 1024;

async function splitObject(
  file: ReadableFile,
  object: ScannedObject,
  zones: ReadonlyMap<string, Component>,
  uid: string,
  ranges: readonly ScannedRange[],
  place: PlaceCarried,
): Promise<ImportedObject> {
  const size = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  if (size > importedObjectBytesMax) return { ...placeOf(object), refused: tooLarge };
  const octets = await readRanges(file, ranges);
  const head = await readHead(file, object);
  return attempt(object, async () => {
    const { bytes, attachments } = await withoutCarried(octets, place);
    const components = listComponents(readContentLines(bytes));
    const named = uid.startsWith("\n") ? components.map((one) => withUid(one, octets)) : components;
    const used = new Set(named.flatMap(listTimeZones));
    const own = [...used].map((tzid) => zones.get(tzid)).filter((zone) => zone !== undefined);
    const [calendar] = listComponents(readContentLines(head));
    const items = [changeItems(calendar!, [...calendar!.items, ...own, ...named])];
    return { bytes: writeContentLines({ items }), attachments };
  });
}

/** Adjacent ranges are one read, and few reads run at the same time: one object may have a hundred thousand components. */
async function readRanges(file: ReadableFile, ranges: readonly ScannedRange[]): Promise<Buffer> {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of ranges) {
    const last = joined.at(-1);
    if (last?.end === start) last.end = end;
    else joined.push({ start, end });
  }
  const pieces: Buffer[] = [];
  for (let first = 0; first < joined.length; first += readsAtOnceMax) {
    const some = joined.slice(first, first + readsAtOnceMax);
    pieces.push(...(await Promise.all(some.map((range) => file.read(range)))));
  }
  return Buffer.concat(pieces);
}

const readsAtOnceMax = 16;

/** BEGIN, the properties of every calendar object, and END. Properties of the calendar as a whole are left out. */
async function readHead(file: ReadableFile, { properties }: ScannedObject): Promise<Buffer> {
  const wanted = ["VERSION", "PRODID", "CALSCALE"].map((name) => properties.find((one) => one.name === name));
  const lines = await Promise.all(
    wanted.map(async (range) =>
      range === undefined || range.end - range.start > headLineMax ? Buffer.alloc(0) : file.read(range),
    ),
  );
  const [version, prodid] = wanted;
  return Buffer.concat([
    Buffer.from("BEGIN:VCALENDAR\r\n"),
    version === undefined ? Buffer.from("VERSION:2.0\r\n") : Buffer.alloc(0),
    prodid === undefined ? Buffer.from("PRODID:-//Waypost//EN\r\n") : Buffer.alloc(0),
    ...lines,
    Buffer.from("END:VCALENDAR\r\n"),
  ]);
}

const headLineMax = 4096;

function listTimeZones(component: Component): string[] {
  return component.items.flatMap((item) => {
    if (item.kind === "component") return listTimeZones(item);
    const tzid = item.kind === "property" ? parameterValue(item, "TZID") : undefined;
    return tzid === undefined ? [] : [tzid];
  });
}

/** Reports an unreadable object and continues with the others. */
async function attempt(
  object: ScannedObject,
  make: () => MadeObject | Promise<MadeObject>,
): Promise<ImportedObject> {
  try {
    return { ...placeOf(object), ...(await make()) };
  } catch (error) {
    if (!isWaypostError(error)) throw error;
    return { ...placeOf(object), refused: error.message };
  }
}
