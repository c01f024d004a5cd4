/** `collection.import` and `collection.export`: the operator reads calendars and addressbooks from files of this host, and writes them
 *  to files. */

import fs from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { attachmentUrl } from "#/src/collections/attachments.ts";
import { type Collection, type CollectionKind, collectionKinds } from "#/src/collections/collection.ts";
import type { Collections } from "#/src/collections/collections.ts";
import { itemEndings } from "#/src/collections/rows.ts";
import { exportItems } from "#/src/collections/transfer/export-items.ts";
import { type ImportResult, importItems } from "#/src/collections/transfer/import-items.ts";
import { withoutApproval } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { assertFileSize } from "./moving/import-bounds.ts";
import type { TransferRooms } from "./moving/transfer-rooms.ts";

type FileRooms = Pick<TransferRooms, "collections" | "settings" | "by">;

export interface FileTransfer {
  readonly collection: Collection;
  readonly account: AccountNumber;
  readonly file: string;
}

interface Watcher {
  readonly signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

/** The octets of one read or write. */
const chunkBytes = 256 * 1024;

export async function importFile(
  rooms: FileRooms,
  { collection, account, file }: FileTransfer,
  watcher: Watcher,
): Promise<ImportResult> {
  await using handle = await open(file, "r").catch((error: unknown) => {
    throw new WaypostError("invalid", `${file} cannot be read: ${readThrown(error).code}.`, {
      field: "/file",
    });
  });
  const { size } = await handle.stat();
  assertFileSize(file, size);
  return await importItems(
    rooms.collections,
    collection,
    withoutApproval({ ...rooms.by, agent: collection.agent }),
    {
      size,
      chunks: () => handle.createReadStream({ start: 0, highWaterMark: chunkBytes, autoClose: false }),
      async read({ start, end }) {
        const bytes = Buffer.alloc(end - start);
        await handle.read(bytes, 0, bytes.length, start);
        return bytes;
      },
    },
    { account, urlOf: (managedId, name) => attachmentUrl(rooms.settings, managedId, name) },
    watcher,
  );
}

/** The file exists only when it is complete. Refuses a name that is taken. */
export async function exportFile(
  rooms: FileRooms,
  { collection, account, file }: FileTransfer,
  { signal, onProgress }: Watcher,
): Promise<{ readonly file: string; readonly items: number }> {
  if (fs.existsSync(file))
    throw new WaypostError("invalid", `${file} exists; an export never overwrites a file.`, {
      field: "/file",
    });
  const partial = `${file}.partial`;
  fs.rmSync(partial, { force: true });
  let items = 0;
  try {
    await using handle = await open(partial, "wx", 0o600).catch((error: unknown) => {
      throw new WaypostError("invalid", `${file} cannot be written: ${readThrown(error).code}.`, {
        field: "/file",
      });
    });
    let pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of exportItems(rooms.collections, account, collection)) {
      signal.throwIfAborted();
      pieces.push(piece.bytes);
      length += piece.bytes.length;
      items += piece.items;
      if (length < chunkBytes) continue;
      await handle.writeFile(Buffer.concat(pieces));
      pieces = [];
      length = 0;
      onProgress(items, Math.max(items, collection.itemCount));
    }
    await handle.writeFile(Buffer.concat(pieces));
    onProgress(items, Math.max(items, collection.itemCount));
    await handle.sync();
    fs.renameSync(partial, file);
  } finally {
    fs.rmSync(partial, { force: true });
  }
  return { file, items };
}

function kindOfFile(file: string): CollectionKind | undefined {
  return collectionKinds.find((kind) => itemEndings[kind] === path.extname(file).toLowerCase());
}

/** `named`: its id or name; without it, the default collection of the file's kind. */
export async function selectCollection(
  collections: Collections,
  agent: AgentNumber,
  file: string,
  named: string | undefined,
): Promise<Collection> {
  if (named !== undefined) return namedCollection(collections, agent, named);
  const kind = kindOfFile(file);
  if (kind === undefined)
    throw new WaypostError(
      "invalid",
      "The name of the file does not say whether it is a calendar or contacts.",
      {
        field: "/file",
        hint: "Name a file .ics or .vcf, or the collection: --in <id or name>.",
      },
    );
  await collections.listCollections(agent);
  const own = await collections.findCollectionOfRole(agent, kind, "default");
  if (own === undefined) throw new WaypostError("not_found", `There is no ${kind}.`);
  return own;
}

async function namedCollection(
  collections: Collections,
  agent: AgentNumber,
  text: string,
): Promise<Collection> {
  const all = (await collections.listCollections(agent)).filter(({ role }) => role !== "inbox");
  const found = all.filter(
    (one) => one.displayName === text || collections.ids.encode(one.kind, agent, one.number) === text,
  );
  if (found.length === 1) return found[0]!;
  if (found.length > 1)
    throw new WaypostError("invalid", `There is more than one collection ${text}.`, {
      field: "/collection",
      hint: "Name it by its id.",
    });
  throw new WaypostError("not_found", `There is no calendar or addressbook ${text}.`, {
    hint: `There are: ${all.map(({ displayName }) => displayName).join(", ")}.`,
  });
}
