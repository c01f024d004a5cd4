/** Mailboxes as the folders of the interface. They are subscribed, so that mail clients show them, and have a version. Deleting a folder
 *  moves its mail to Trash. */

import type { Author } from "#/src/model/author.ts";
import { dryRun } from "#/src/model/caller.ts";
import { folderProperties, type SettableOfFolder } from "#/src/model/folder-properties.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import type { ResultOf, Store } from "#/storage/store.ts";
import { emptyBeforeDeleting, isQuicklyDeleted } from "./long-writes.ts";
import { createRepeats, type Idempotency, type Once, writeOnce } from "./write-once.ts";

export interface Folders {
  /** Also creates the missing levels above it. Throws `invalid` (already_exists). */
  createFolder(
    by: Author,
    agent: AgentNumber,
    name: string,
    properties: Partial<SettableOfFolder>,
    idempotency?: Idempotency,
  ): Promise<Once<ResultOf<"createMailbox">>>;
  /** Renames the folder and all folders below it, with their subscriptions, and sets its properties; with some, `name` may be the one
   *  that it has. `version`: the one that was read; a different one is `precondition_failed`, as below. Throws `policy_refused`
   *  (mailbox_is_required) for another name of one with a special use. */
  updateFolder(
    by: Author,
    agent: AgentNumber,
    folder: MailboxNumber,
    change: { readonly name: string; readonly properties: Partial<SettableOfFolder> },
    version: string | undefined,
    idempotency?: Idempotency,
  ): Promise<Once<ResultOf<"renameMailbox">>>;
  /** Moves its mail to Trash. Throws `policy_refused` (mailbox_is_required) as above, or (mailbox_has_children). */
  deleteFolder(
    by: Author,
    agent: AgentNumber,
    folder: MailboxNumber,
    version: string | undefined,
    idempotency?: Idempotency,
  ): Promise<Once<ResultOf<"deleteMailbox">>>;
}

export function createFolders(store: Store): Folders {
  const at = (): number => store.clock.now();
  const { findRepeat } = createRepeats(store);
  return {
    createFolder(by, agent, name, given, idempotency) {
      const properties = folderProperties.stored(given);
      const args = { agent, name, properties, isSubscribed: true, at: at() };
      return writeOnce(store, by, "createMailbox", args, idempotency);
    },
    updateFolder(by, agent, mailbox, { name, properties }, version, idempotency) {
      const folder = { version, properties: folderProperties.stored(properties) };
      return writeOnce(store, by, "renameMailbox", { agent, mailbox, name, folder, at: at() }, idempotency);
    },
    async deleteFolder(by, agent, mailbox, version, idempotency) {
      const args = { agent, mailbox, folder: { version } };
      const remove = () => writeOnce(store, by, "deleteMailbox", { ...args, at: at() }, idempotency);
      if (await isQuicklyDeleted(store, args)) return remove();
      // One piece refuses what the whole deletion refuses.
      if (dryRun() !== undefined)
        return writeOnce(store, by, "emptyMailbox", { ...args, at: at() }, undefined);
      return store.inPieces(by, async (write) => {
        // The same request may have arrived before, and may have ended only now.
        if ((await findRepeat("deleteMailbox", idempotency)) === undefined)
          await emptyBeforeDeleting(store, write, args);
        return remove();
      });
    },
  };
}
