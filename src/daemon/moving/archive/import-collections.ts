/** Imports calendars and addressbooks of an archive. Each item keeps its name. An item with the same UID is replaced, or left if it is
 *  equal. No invitations or notices are sent. */

import { attachmentUrl } from "#/src/collections/attachments.ts";
import type { Collection } from "#/src/collections/collection.ts";
import type { PutItem } from "#/src/collections/collections.ts";
import { uidReaders } from "#/src/collections/transfer/import-items.ts";
import { withoutCarried } from "#/src/collections/transfer/imported-objects.ts";
import { createAttachmentPlaces } from "#/src/collections/transfer/place-attachments.ts";
import { withoutApproval } from "#/src/model/author.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { importedObjectBytesMax } from "#/src/model/limits.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { type EntryImport, type OpenArchive, onceOf } from "./entry-import.ts";
import {
  type ArchivedCollection,
  archivedCollection,
  type ItemPage,
  itemPage,
  jsonBytesMax,
  readJson,
} from "./format.ts";

/** Octets of one transaction. */
const batchBytesMax = 4 * 1024 * 1024;

type Described = ItemPage["items"][number];
type Place = Pick<Collection, "number" | "kind" | "displayName">;

export function createItemImport(archive: OpenArchive): EntryImport {
  const { rooms, owner, counts, refuse } = archive;
  const { collections, settings, by } = rooms;
  const { agent, account } = owner;
  const actor = withoutApproval({ ...by, agent });
  const attachments = createAttachmentPlaces(collections, agent, {
    account,
    urlOf: (managedId, name) => attachmentUrl(settings, managedId, name),
  });
  /** By its number in the archive; undefined for one that was refused. */
  const places = new Map<string, Place | undefined>();
  let page = new Map<string, Described>();
  let pagePlace = "";
  let batch: PutItem[] = [];
  let batchBytes = 0;

  /** `name`: what the archive has there is made once under its identifier and this. */
  async function makeCollection(archived: ArchivedCollection, name: string): Promise<Place | undefined> {
    const { kind, role, segment, deadProperties = [], ...properties } = archived;
    try {
      const found =
        role === undefined
          ? segment === undefined
            ? undefined
            : await collections.findCollectionBySegment(agent, kind, segment)
          : await collections.findCollectionOfRole(agent, kind, role);
      if (found !== undefined) {
        // The components of a calendar are set when it is made.
        const { components: _, ...changeable } = properties;
        if (role !== undefined)
          await collections.updateCollection(actor, agent, found.number, {
            properties: changeable,
            setDead: deadProperties,
          });
        return found;
      }
      const { collection } = await collections.createCollection(
        actor,
        agent,
        { kind, segment, properties, deadProperties },
        onceOf(archive, `collection ${name}`),
      );
      return { number: collection, kind, displayName: properties.displayName };
    } catch (error) {
      if (!isWaypostError(error) || error.details.reason === "over_quota") throw error;
      refuse(archived.displayName, error.message);
      return undefined;
    }
  }

  /** What is to be written; undefined for what is there already. Throws what the item is refused for. */
  async function putOf(place: Place, octets: Buffer, described: Described): Promise<PutItem | undefined> {
    if (octets.length > importedObjectBytesMax) throw new WaypostError("invalid", "It is too large.");
    const { bytes, attachments: carried } =
      place.kind === "calendar"
        ? await withoutCarried(octets, attachments.place)
        : { bytes: octets, attachments: [] };
    const uid = uidReaders[place.kind](bytes);
    if (typeof uid !== "string") throw new WaypostError("invalid", uid.refused);
    const [found] = await collections.findItemsByUid(agent, uid, { collection: place.number });
    const [stored] = found === undefined ? [] : await collections.readItems(agent, [found.number]);
    if (stored !== undefined && Buffer.compare(stored.bytes, bytes) === 0) return undefined;
    const { segment, deadProperties } = described;
    const isTaken =
      stored === undefined &&
      segment !== undefined &&
      (await collections.findItemBySegment(agent, place.number, segment)) !== undefined;
    return {
      collection: place.number,
      item: stored?.number,
      // Another item has that name here.
      segment: stored === undefined && !isTaken ? segment : undefined,
      bytes,
      provenance: { source: "import" },
      isAuthenticated: true,
      expected: { version: stored === undefined ? undefined : String(stored.modseq) },
      deadProperties,
      ...(carried.length > 0 ? { attachments: { added: await attachments.missing(carried) } } : {}),
    };
  }

  async function flush(): Promise<void> {
    const puts = batch;
    batch = [];
    batchBytes = 0;
    if (puts.length === 0) return;
    try {
      await collections.changeItems(actor, [
        { agent, actor, actions: puts.map((put) => ({ kind: "put", ...put })) },
      ]);
      counts.items += puts.length;
    } catch (error) {
      assertOfItem(error);
      // One of them is refused, and with it all.
      for (const put of puts)
        await attempt(put.collection, async () => {
          await collections.putItem(agent, actor, put);
          counts.items++;
        });
    }
  }

  async function attempt(collection: number, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      assertOfItem(error);
      const place = places.values().find((one) => one?.number === collection);
      refuse(place?.displayName ?? "", readThrown(error).message);
    }
  }

  return {
    async take({ path, bytes, digest }) {
      const [, made] = /^collections\/(0|[1-9]\d{0,4})\.json$/.exec(path) ?? [];
      if (made !== undefined) {
        await flush();
        if (bytes === undefined || bytes.length > jsonBytesMax) refuse(path, `${path} is too large.`);
        else if (places.has(made)) refuse(path, `${path} is there twice.`);
        else
          places.set(
            made,
            await makeCollection(readJson(archivedCollection, path, bytes), `${made}\n${digest}`),
          );
        return true;
      }
      const [, at, number, ending] = /^collections\/(\d{1,5})\/(\d{1,15})\.(json|ics|vcf)$/.exec(path) ?? [];
      if (at === undefined || number === undefined) {
        await flush();
        return false;
      }
      const place = places.get(at);
      if (!places.has(at)) return false;
      if (place === undefined) {
        if (ending !== "json") refuse("collections", `${path} is of a collection that was refused.`);
        return true;
      }
      if (bytes === undefined || (ending === "json" && bytes.length > jsonBytesMax)) {
        refuse(place.displayName, `${path} is too large.`);
        return true;
      }
      if (ending === "json") {
        await flush();
        pagePlace = at;
        page = new Map(readJson(itemPage, path, bytes).items.map((one) => [one.file, one]));
        return true;
      }
      const file = `${number}.${ending}`;
      const described = pagePlace === at ? page.get(file) : undefined;
      page.delete(file);
      if (described === undefined) {
        refuse(place.displayName, `${path} stands on no page.`);
        return true;
      }
      await attempt(place.number, async () => {
        const put = await putOf(place, bytes, described);
        if (put === undefined) {
          counts.known++;
          return;
        }
        if (batchBytes + bytes.length > batchBytesMax) await flush();
        batch.push(put);
        batchBytes += bytes.length;
      });
      return true;
    },
    finish: flush,
  };
}

/** What says nothing about the next item is passed over. */
function assertOfItem(error: unknown): void {
  const isOfItem =
    isWaypostError(error) &&
    error.details.reason !== "over_quota" &&
    ["invalid", "policy_refused", "precondition_failed"].includes(error.code);
  if (!isOfItem) throw error;
}
