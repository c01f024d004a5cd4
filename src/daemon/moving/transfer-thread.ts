/** The process of an import or export: it reads and writes the files of the operator, and asks the daemon for the rest. Its heap has a limit of its
 *  own, so a file that fills it ends this process and no daemon. */
import { parentPort } from "node:worker_threads";
import { exportFile, importFile } from "../collection-files.ts";
import { logFiles, openLogFile, traceMail } from "../log-trace.ts";
import { errorOf } from "../private-messages.ts";
import { exportAccount, isArchive } from "./archive/export-account.ts";
import { importAccount } from "./archive/import-account.ts";
import { exportMail } from "./export-mail.ts";
import { maildirWriter } from "./export-maildir.ts";
import { mboxWriter } from "./export-mbox.ts";
import { importMail } from "./import-mail.ts";
import { openMailSource } from "./open-source.ts";
import { createRemoteRooms, type RemoteRooms } from "./remote-rooms.ts";
import type { FromTransfer, ToTransfer, TransferJob } from "./transfer-messages.ts";
import type { TransferRooms } from "./transfer-rooms.ts";

/** Between two messages about progress. */
const progressMs = 50;
const aborting = new AbortController();
let remote: RemoteRooms | undefined;
let toldAt = 0;

const say = (message: FromTransfer): void => parentPort!.postMessage(message);
const watcher = {
  signal: aborting.signal,
  onProgress(done: number, total: number): void {
    if (done < total && performance.now() - toldAt < progressMs) return;
    toldAt = performance.now();
    say({ kind: "progress", done, total });
  },
};

parentPort!.on("message", (message: ToTransfer) => {
  if (message.kind === "abort") aborting.abort();
  else if (message.kind !== "begin") remote?.hear(message);
  else {
    remote = createRemoteRooms(message, say);
    run(remote.rooms, message.job).then(
      (value) => say({ kind: "result", value }),
      (error: unknown) => say({ kind: "failed", error: errorOf(error) }),
    );
  }
});

async function run(rooms: TransferRooms, job: TransferJob): Promise<unknown> {
  switch (job.kind) {
    case "import items":
      return importFile(rooms, job, watcher);
    case "export items":
      return exportFile(rooms, job, watcher);
    case "export mail": {
      const { owner, file } = job;
      if (isArchive(file)) return exportAccount(rooms, owner, file, watcher);
      return exportMail(rooms.mail, owner.agent, file, job.isMbox ? mboxWriter : maildirWriter, watcher);
    }
    case "import mail": {
      const { owner, file, bytesMax, takesSettings } = job;
      if (isArchive(file)) return importAccount(rooms, owner, file, { bytesMax, takesSettings, ...watcher });
      await using source = await openMailSource(file, bytesMax, {
        ...job,
        // As with webhooks: a program with a token reaches no server of this network by us.
        isPublic: rooms.by.door !== "command",
      });
      return await importMail(rooms.mail, source, {
        by: rooms.by,
        agent: owner.agent,
        holds: rooms.holds,
        bytesMax,
        ...watcher,
      });
    }
    case "verify backup": {
      const { verifyBackup } = await import("#/storage/sqlite/verify-backup.ts");
      return verifyBackup(job.file, job.folder);
    }
    case "trace log":
      return traceMail(() => logFiles(job.file).values().map(openLogFile), job.id);
  }
}
