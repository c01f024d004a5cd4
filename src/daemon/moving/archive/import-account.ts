/** Imports an archive into a mailbox. Each object is stored in one transaction with the record that it was imported, so an import that
 *  was interrupted continues where it ended, and no object is stored twice. The archive may be written by anybody: its mail is not
 *  authenticated, mail that waited for its time becomes drafts, mail that waited for approval waits again, and settings are imported only if the operator asks
 *  for them. */
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentRow } from "#/storage/rows.ts";
import { assertParts } from "../import-bounds.ts";
import type { TransferRooms } from "../transfer-rooms.ts";
import { readArchive } from "./archive-file.ts";
import type { EntryImport, ImportCounts } from "./entry-import.ts";
import { type ArchivedSettings, jsonBytesMax, type Manifest, manifest, readJson } from "./format.ts";
import { applySettings } from "./import-settings.ts";
import { archiveParts } from "./parts.ts";
import { readTar } from "./tar.ts";

export interface ArchiveImport {
  /** Messages. */
  readonly imported: number;
  /** Messages, items and files that were there already. */
  readonly known: number;
  readonly items: number;
  readonly files: number;
  readonly refused: number;
  readonly refusals: readonly { readonly folder: string; readonly why: string }[];
  /** Those that were not taken: `--settings` takes them. */
  readonly settings?: ArchivedSettings;
}

interface ImportOptions {
  /** Of one message. */
  readonly bytesMax: number;
  readonly takesSettings: boolean;
  readonly signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

/** An archive is of one account; a large number of entries that are none of it is something else. */
const strangeEntriesMax = 1000;
const refusalsMax = 100;

export async function importAccount(
  rooms: TransferRooms,
  owner: AgentRow,
  file: string,
  { bytesMax, takesSettings, signal, onProgress }: ImportOptions,
): Promise<ArchiveImport> {
  const counts: ImportCounts = { imported: 0, known: 0, items: 0, files: 0, refused: 0, refusals: [] };
  const refuse = (folder: string, why: string): void => {
    counts.refused++;
    if (counts.refusals.length < refusalsMax) counts.refusals.push({ folder, why });
  };
  let head: Manifest | undefined;
  const imports: EntryImport[] = [];
  let strange = 0;
  for await (const entry of readTar(readArchive(file), Math.max(bytesMax, jsonBytesMax))) {
    signal.throwIfAborted();
    if (head === undefined) {
      head = readManifest(entry.path, entry.bytes);
      const archive = { rooms, owner, head, counts, refuse, bytesMax };
      for (const part of Object.values(archiveParts))
        if (typeof part !== "string") imports.push(await part.open(archive));
      continue;
    }
    let isTaken = false;
    for (const one of imports) {
      // What is behind another kind of entry may rely on it.
      if (!isTaken && (await one.take(entry))) isTaken = true;
    }
    if (!isTaken) refuse(entry.path, "This server knows no such entry.");
    if (!isTaken && ++strange > strangeEntriesMax)
      throw new WaypostError("invalid", "The archive has many entries that are of no account.", {
        field: "/file",
      });
    const { messages, items } = head.counts;
    const { imported, known, refused } = counts;
    const done = imported + known + refused + counts.items;
    assertParts(done + counts.files);
    onProgress(done, Math.max(done, messages + items));
  }
  if (head === undefined) throw new WaypostError("invalid", "The archive is empty.", { field: "/file" });
  for (const one of imports) await one.finish();
  if (!takesSettings) return { ...counts, settings: head.settings };
  await applySettings(rooms, owner, head.settings, refuse);
  return counts;
}

function readManifest(path: string, bytes: Buffer | undefined): Manifest {
  if (path !== "manifest.json" || bytes === undefined || bytes.length > jsonBytesMax)
    throw new WaypostError(
      "invalid",
      "This is not an archive of Waypost: it does not begin with manifest.json.",
      {
        field: "/file",
      },
    );
  return readJson(manifest, path, bytes);
}
