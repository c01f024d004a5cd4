/** Mailboxes as the folders of the interface. They are subscribed, so that mail clients show them, and have a version. Deleting a folder
 *  moves its mail to Trash. */

import type { Author } from "#/src/model/author.ts";
import { dryRun } from "#/src/model/caller.ts";
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
    idempotency?: Idempotency,
  ): Promise<Once<ResultOf<"createMailbox">>>;
  /** Renames the folder and all folders below it, with their subscriptions. `version`: the one that was read; a different one is
   *  `precondition_failed`, as below. Throws `policy_refused` (mailbox_is_required) for one with a special use. */
  renameFolder(
    by: Author,
    agent: AgentNumber,
    folder: MailboxNumber,
    name: string,
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
    createFolder: (by, agent, name, idempotency) =>
      writeOnce(store, by, "createMailbox", { agent, name, isSubscribed: true, at: at() }, idempotency),
    renameFolder: (by, agent, mailbox, name, version, idempotency) =>
      writeOnce(
        store,
        by,
        "renameMailbox",
        { agent, mailbox, name, folder: { version }, at: at() },
        idempotency,
      ),
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
