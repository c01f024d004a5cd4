/** Puts the objects of a file into a collection. What is there already by its UID is replaced, or left alone if it is the same, so
 *  that an import can be run again. What cannot be stored is told, and the others go on. Nobody is invited or told by an import. */
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { checkCalendarObject } from "#/src/formats/icalendar/check-calendar-object.ts";
import { checkAddressData } from "#/src/formats/vcard/address-data.ts";
import type { Actor } from "#/src/model/actor.ts";
import { type ErrorCode, isWaypostError } from "#/src/model/errors.ts";
import type { Collection, CollectionKind } from "../collection.ts";
import type { Collections } from "../collections.ts";
import { type ImportedObject, listImportedObjects, type ReadableFile } from "./imported-objects.ts";

export interface ImportResult {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
  /** The first of those that were refused. */
  readonly refusals: readonly Refusal[];
}

export interface Refusal {
  /** Of the file, where the object begins. */
  readonly line: number;
  readonly uid?: string;
  readonly why: string;
}

/** Writes under way at a time: they share a commit. */
const writesAtATime = 16;
/** Their octets together. */
const bytesAtATime = 8 * 1024 * 1024;
/** What is refused of one object and says nothing about the next. */
const ofOneObject: ReadonlySet<ErrorCode> = new Set(["invalid", "policy_refused", "precondition_failed"]);
/** More than a person reads. */
const refusalsMax = 100;

export async function importItems(
  collections: Collections,
  collection: Pick<Collection, "agent" | "number" | "kind">,
  actor: Actor,
  file: ReadableFile,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(done: number, total: number): void },
): Promise<ImportResult> {
  const counts = { created: 0, updated: 0, unchanged: 0, refused: 0 };
  const refusals: Refusal[] = [];
  const seen = new Set<string>();
  let batch: Extract<ImportedObject, { bytes: Uint8Array }>[] = [];
  let bytes = 0;
  for await (const object of listImportedObjects(file)) {
    signal.throwIfAborted();
    if ("refused" in object) refuse({ line: object.line, why: object.refused });
    else {
      batch.push(object);
      bytes += object.bytes.length;
    }
    if (batch.length >= writesAtATime || bytes >= bytesAtATime) await flush();
    onProgress(object.position, file.size);
  }
  await flush();
  onProgress(file.size, file.size);
  return { ...counts, refusals };

  async function flush(): Promise<void> {
    await Promise.all(batch.map(put));
    batch = [];
    bytes = 0;
  }

  async function put({ line, bytes: octets }: (typeof batch)[number]): Promise<void> {
    const uid = readUid(collection.kind, octets);
    if (typeof uid !== "string") return refuse({ line, why: uid.refused });
    if (seen.has(uid)) return refuse({ line, uid, why: "The UID stands twice in the file." });
    seen.add(uid);
    try {
      counts[await write(uid, octets)]++;
    } catch (error) {
      if (!isWaypostError(error) || !ofOneObject.has(error.code)) throw error;
      refuse({ line, uid, why: error.message });
    }
  }

  async function write(uid: string, octets: Uint8Array): Promise<"created" | "updated" | "unchanged"> {
    const { agent, number } = collection;
    const [found] = await collections.findItemsByUid(agent, uid, { collection: number });
    const [stored] = found === undefined ? [] : await collections.readItems(agent, [found.number]);
    if (stored !== undefined && Buffer.compare(stored.bytes, octets) === 0) return "unchanged";
    await collections.putItem(agent, actor, {
      collection: number,
      item: stored?.number,
      bytes: octets,
      provenance: { source: "import" },
      isAuthenticated: true,
      expected: { version: stored === undefined ? undefined : String(stored.modseq) },
    });
    return stored === undefined ? "created" : "updated";
  }

  function refuse(refusal: Refusal): void {
    counts.refused++;
    if (refusals.length < refusalsMax) refusals.push(refusal);
  }
}

function readUid(kind: CollectionKind, bytes: Uint8Array): string | { readonly refused: string } {
  if (kind === "addressbook") {
    const card = checkAddressData(bytes);
    return "uid" in card ? card.uid : { refused: card.why };
  }
  const object = checkCalendarObject(readContentLines(bytes));
  return "uid" in object ? object.uid : { refused: object.explanation };
}
