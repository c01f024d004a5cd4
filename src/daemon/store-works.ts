/** The large works of the operator (`src/accounts/administration/large-works.ts`). Checks, imports, exports, the reading of copies and of log files
 *  run in processes of their own. */
import fs from "node:fs";
import type { LargeWorks } from "#/src/accounts/administration/large-works.ts";
import type { AdministrationResult } from "#/src/accounts/administration/operation-call.ts";
import type { Collections } from "#/src/collections/collections.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { readSetAside } from "#/storage/search/search-trials.ts";
import type { Store } from "#/storage/store.ts";
import { selectCollection } from "./collection-files.ts";
import { runTransfer, type TransferHouse } from "./moving/run-transfer.ts";
import type { TransferJob } from "./moving/transfer-messages.ts";

interface WorkHouse extends TransferHouse {
  readonly collections: Collections;
}

/** `house` is called when a work begins. */
export function createStoreWorks(house: () => WorkHouse): LargeWorks {
  const run = (
    by: Parameters<typeof runTransfer>[1],
    job: TransferJob,
    watcher: Parameters<typeof runTransfer>[3],
  ) => runTransfer(house(), by, job, watcher) as Promise<AdministrationResult>;

  /** Files that are written now. */
  const written = new Set<string>();

  /** Two writers would take each other's unfinished file for their own. */
  async function alone<T>(file: string, write: () => Promise<T>): Promise<T> {
    if (written.has(file))
      throw new WaypostError("invalid", `${file} is being written now.`, { field: "/file" });
    written.add(file);
    try {
      return await write();
    } finally {
      written.delete(file);
    }
  }

  return {
    async check({ onProgress, signal }) {
      const { store } = house();
      return { problems: await store.check(onProgress, signal), notes: leftOut(store) };
    },
    backup: (file, { onProgress, signal }) =>
      alone(file, async () => {
        if (fs.existsSync(file))
          throw new WaypostError("invalid", `${file} exists; a backup never overwrites a file.`, {
            field: "/file",
          });
        await house().store.backup(file, onProgress, signal);
      }),
    verifyBackup: (file, by, watcher) =>
      runTransfer(
        house(),
        by,
        { kind: "verify backup", file, folder: house().store.folder },
        watcher,
      ) as Promise<readonly string[]>,
    async transferItems({ action, owner, file, collection: named }, by, watcher) {
      const { collections } = house();
      const collection = await selectCollection(collections, owner.agent, file, named);
      const kind = action === "import" ? "import items" : "export items";
      const work = () => run(by, { kind, collection, account: owner.account, file }, watcher);
      const result = action === "import" ? await work() : await alone(file, work);
      const { agent, number } = collection;
      return { collection: collections.ids.encode(collection.kind, agent, number), ...result };
    },
    importMail: ({ authority, fingerprint, ...source }, by, watcher) =>
      run(
        by,
        {
          kind: "import mail",
          ...source,
          ...(authority === undefined ? {} : { authority }),
          ...(fingerprint === undefined ? {} : { fingerprint }),
          bytesMax: house().settings.imap.maxAppendBytes,
        },
        watcher,
      ),
    exportMail: (source, by, watcher) =>
      alone(source.file, () => run(by, { kind: "export mail", ...source }, watcher)),
    async traceLog(id, by, watcher) {
      const { file } = house().settings.log;
      if (file === "") return undefined;
      return (await runTransfer(
        house(),
        by,
        { kind: "trace log", id, file },
        watcher,
      )) as AdministrationResult[];
    },
  };
}

/** Notes that are not problems of the store: messages that are not in the search index. */
function leftOut(store: Store): string[] {
  return readSetAside(store.folder).map(
    ({ agent, message, reason }) =>
      `${store.ids.encode("message", agent, message)} is left out of the search index: ${reason}`,
  );
}
