/** What an archive has of each kind of objects, in the order of the archive. A kind without entries of its own says where it is, or why it is
 *  not there. */
import type { Kind } from "#/src/model/kinds.ts";
import type { EntryImport, OpenArchive } from "./entry-import.ts";
import { exportCollections, exportFiles, exportMail, type OpenExport } from "./export-entries.ts";
import { createItemImport } from "./import-collections.ts";
import { createFileImport } from "./import-files.ts";
import { createMailImport } from "./import-mail.ts";

interface ArchivePart {
  entries(open: OpenExport): AsyncGenerator<Uint8Array>;
  open(archive: OpenArchive): EntryImport | Promise<EntryImport>;
}

export const archiveParts: Readonly<Record<Kind, ArchivePart | string>> = {
  agent: "its settings are in the manifest",
  folder: "the manifest lists them",
  message: { entries: exportMail, open: createMailImport },
  thread: "made of the messages",
  draft: "a message with the flag \\Draft",
  hold: "stands with its message",
  submission: "mail leaves from the server that has queued it",
  calendar: { entries: exportCollections, open: createItemImport },
  event: "stands behind its calendar",
  addressbook: "stands among the calendars",
  contact: "stands behind its addressbook",
  file: { entries: exportFiles, open: createFileImport },
  blob: "bytes that wait to be attached are kept for days",
  grant: "those of others stand among the settings",
  token: "a credential is for one server",
  password: "a credential is for one server",
  passkey: "a credential is for one server",
  webhook: "its secret is for one server",
};
