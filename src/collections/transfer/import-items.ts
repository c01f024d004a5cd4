/** Puts the objects of a file into a collection. What is there already by its UID is replaced, or left alone if it is the same, so
 *  that an import can be run again. What cannot be stored is told, and the others go on. Nobody is invited or told by an import. */
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { checkCalendarObject } from "#/src/formats/icalendar/check-calendar-object.ts";
import { checkAddressData } from "#/src/formats/vcard/address-data.ts";
import type { Actor } from "#/src/model/author.ts";
import { type ErrorCode, isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { importedPartsMax } from "#/src/model/limits.ts";
import type { Collection, CollectionKind } from "../collection.ts";
import type { Collections, PutItem } from "../collections.ts";
import { type ImportedObject, listImportedObjects, type ReadableFile } from "./imported-objects.ts";
import { type AttachmentsHere, createAttachmentPlaces } from "./place-attachments.ts";

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

/** Objects of one transaction. Others that write wait for it, some milliseconds. */
const objectsAtATime = 50;
/** Their octets together. */
const bytesAtATime = 4 * 1024 * 1024;
/** What is refused of one object and says nothing about the next. */
const ofOneObject: ReadonlySet<ErrorCode> = new Set(["invalid", "policy_refused", "precondition_failed"]);
/** Refusals that the result lists. A person does not read more. */
const refusalsMax = 100;

type ReadObject = Extract<ImportedObject, { bytes: Uint8Array }>;

interface Wanted {
  readonly line: number;
  readonly uid: string;
  readonly becomes: "created" | "updated";
  readonly put: PutItem;
}

export async function importItems(
  collections: Pick<
    Collections,
    "changeItems" | "putItem" | "findItemsByUid" | "readItems" | "listAttachmentPlaces"
  >,
  collection: Pick<Collection, "agent" | "number" | "kind">,
  actor: Actor,
  file: ReadableFile,
  attachments: AttachmentsHere,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(done: number, total: number): void },
): Promise<ImportResult> {
  const counts = { created: 0, updated: 0, unchanged: 0, refused: 0 };
  const refusals: Refusal[] = [];
  const seen = new Set<string>();
  const { place, missing } = createAttachmentPlaces(collections, collection.agent, attachments);
  let batch: ReadObject[] = [];
  let bytes = 0;
  let parts = 0;
  /** The batch before this one, so that one is read while another is written. */
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const object of listImportedObjects(file, place)) {
      signal.throwIfAborted();
      if (++parts > importedPartsMax)
        throw new WaypostError("invalid", `The file has more than ${importedPartsMax} objects.`, {
          field: "/file",
          reason: "limit_reached",
          hint: "Divide the file.",
        });
      if ("refused" in object) refuse({ line: object.line, why: object.refused });
      else {
        batch.push(object);
        bytes += object.attachments.reduce((sum, one) => sum + one.bytes.length, object.bytes.length);
      }
      if (batch.length >= objectsAtATime || bytes >= bytesAtATime) await flush();
      onProgress(object.position, file.size);
    }
    await flush();
  } finally {
    await writing;
  }
  onProgress(file.size, file.size);
  return { ...counts, refusals };

  async function flush(): Promise<void> {
    const objects = batch;
    batch = [];
    bytes = 0;
    await writing;
    writing = writeAll(objects);
    // The next `await writing` throws the failure.
    writing.catch(() => {});
  }

  async function writeAll(objects: readonly ReadObject[]): Promise<void> {
    const wanted: Wanted[] = [];
    for (const object of objects) {
      const found = await look(object);
      if (found !== undefined) wanted.push(found);
    }
    if (wanted.length === 0) return;
    try {
      await collections.changeItems(actor, [
        {
          agent: collection.agent,
          actor,
          actions: wanted.map(({ put }) => ({ kind: "put" as const, ...put })),
        },
      ]);
      for (const { becomes } of wanted) counts[becomes]++;
    } catch (error) {
      if (!isOfOneObject(error)) throw error;
      // One of them is refused, and with it all.
      for (const one of wanted) await write(one);
    }
  }

  /** What is to be written; undefined for what is refused or there already. */
  async function look({
    line,
    bytes: octets,
    attachments: carried,
  }: ReadObject): Promise<Wanted | undefined> {
    const { agent, number, kind } = collection;
    const uid = uidReaders[kind](octets);
    if (typeof uid !== "string") return refuse({ line, why: uid.refused });
    if (seen.has(uid)) return refuse({ line, uid, why: "The UID stands twice in the file." });
    seen.add(uid);
    const [found] = await collections.findItemsByUid(agent, uid, { collection: number });
    const [stored] = found === undefined ? [] : await collections.readItems(agent, [found.number]);
    if (stored !== undefined && Buffer.compare(stored.bytes, octets) === 0) {
      counts.unchanged++;
      return undefined;
    }
    return {
      line,
      uid,
      becomes: stored === undefined ? "created" : "updated",
      put: {
        collection: number,
        item: stored?.number,
        bytes: octets,
        provenance: { source: "import" },
        isAuthenticated: true,
        expected: { version: stored === undefined ? undefined : String(stored.modseq) },
        ...(carried.length > 0 ? { attachments: { added: await missing(carried) } } : {}),
      },
    };
  }

  async function write({ line, uid, becomes, put }: Wanted): Promise<void> {
    try {
      await collections.putItem(collection.agent, actor, put);
      counts[becomes]++;
    } catch (error) {
      if (!isOfOneObject(error)) throw error;
      refuse({ line, uid, why: error.message });
    }
  }

  function refuse(refusal: Refusal): undefined {
    counts.refused++;
    if (refusals.length < refusalsMax) refusals.push(refusal);
  }
}

function isOfOneObject(error: unknown): error is WaypostError {
  return isWaypostError(error) && ofOneObject.has(error.code);
}

export const uidReaders: Readonly<
  Record<CollectionKind, (bytes: Uint8Array) => string | { readonly refused: string }>
> = {
  calendar(bytes) {
    const object = checkCalendarObject(readContentLines(bytes));
    return "uid" in object ? object.uid : { refused: object.explanation };
  },
  addressbook(bytes) {
    const card = checkAddressData(bytes);
    return "uid" in card ? card.uid : { refused: card.why };
  },
};
