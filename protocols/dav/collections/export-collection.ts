/** A collection as one file: a calendar as one VCALENDAR with the components of all its items, each time zone once
 *  (RFC 5545 section 3.4); an addressbook as its vCards. Written page by page. */
import type { CollectionKind } from "#/src/collections/collection.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import { readPortions } from "#/src/collections/portions.ts";
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import {
  type Component,
  findProperty,
  listComponents,
  makeComponent,
  makeProperty,
} from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { scanObjects } from "#/src/formats/content-lines/scan-objects.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { asBuffer } from "#/src/formats/mime/octets.ts";
import type { DavAnswer } from "../answer.ts";
import { isLarge } from "../filters/large-items.ts";
import type { DavRequest } from "../request.ts";
import type { ReachedCollection } from "../rooms.ts";
import { collectionStandards } from "./collection-standard.ts";

/** Octets of a large object that are decoded at once. */
const pieceBytes = 64 * 1024;

export function exportCollection(request: DavRequest, collection: ReachedCollection): DavAnswer {
  const writers: Readonly<Record<CollectionKind, () => AsyncIterable<string>>> = {
    calendar: () => writeCalendar(readAll(request, collection), collection),
    addressbook: () => writeCards(readAll(request, collection)),
  };
  return {
    status: 200,
    headers: {
      "Content-Type": `${collectionStandards[collection.kind].mediaTypes[0]}; charset=utf-8`,
      "Cache-Control": "private, no-cache",
    },
    body: writers[collection.kind](),
  };
}

async function* readAll(
  { rooms }: DavRequest,
  { agent, number }: ReachedCollection,
): AsyncGenerator<StoredItem> {
  const turns = new LoopTurns();
  for await (const page of rooms.collections.listItems(agent, number))
    for await (const portion of readPortions(rooms.collections, agent, page))
      for (const stored of portion) {
        await turns.turn();
        yield stored;
      }
}

async function* writeCards(items: AsyncIterable<StoredItem>): AsyncGenerator<string> {
  for await (const { bytes } of items) {
    const text = Buffer.from(bytes).toString("utf8");
    yield text.endsWith("\n") ? text : `${text}\r\n`;
  }
}

async function* writeCalendar(
  items: AsyncIterable<StoredItem>,
  { displayName }: ReachedCollection,
): AsyncGenerator<string> {
  const calendar = makeComponent("VCALENDAR", [
    makeProperty("VERSION", "2.0"),
    makeProperty("PRODID", "-//Waypost//DAV//EN"),
    makeProperty("X-WR-CALNAME", escapeValue(displayName)),
  ]);
  const frame = writeContentLines({ items: [calendar] }).toString("utf8");
  const end = frame.lastIndexOf("END:VCALENDAR");
  yield frame.slice(0, end);
  const zones = new Set<string>();
  for await (const { bytes } of items) {
    if (isLarge(bytes)) {
      yield* writeLarge(bytes, zones);
      continue;
    }
    const components = listComponents(readContentLines(bytes), "VCALENDAR").flatMap((one) =>
      listComponents(one).filter((component) => isNew(component, zones)),
    );
    yield writeContentLines({ items: components }).toString("utf8");
  }
  yield frame.slice(end);
}

/** Copies the stored text piece by piece, without parsing: an object of 4 MiB can have hundreds of thousands of lines. */
async function* writeLarge(bytes: Uint8Array, zones: Set<string>): AsyncGenerator<string> {
  const turns = new LoopTurns();
  const text = asBuffer(bytes);
  for await (const { components } of scanObjects(piecesOf(bytes, turns)))
    for (const { name, tzid = "", start, end } of components) {
      if (name === "VTIMEZONE") {
        if (zones.has(tzid)) continue;
        zones.add(tzid);
      }
      const component = text.toString("utf8", start, end);
      yield component.endsWith("\n") ? component : `${component}\r\n`;
      await turns.turn();
    }
}

async function* piecesOf(bytes: Uint8Array, turns: LoopTurns): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
    await turns.turn();
  }
}

function isNew(component: Component, zones: Set<string>): boolean {
  if (component.name !== "VTIMEZONE") return true;
  const tzid = findProperty(component, "TZID")?.value ?? "";
  if (zones.has(tzid)) return false;
  zones.add(tzid);
  return true;
}

function escapeValue(text: string): string {
  return text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n|\r/g, "\\n");
}
