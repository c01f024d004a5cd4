/** Exports a mailbox to a new folder, as a Maildir or as mbox files (`export-maildir.ts`, `export-mbox.ts`). */
import fs from "node:fs";
import type { MailboxMessage } from "#/src/mail/entries.ts";
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { keywordNumbers } from "#/src/model/flags.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { TransferRooms } from "./transfer-rooms.ts";

/** One form of mail on a disk. */
export interface MailWriter {
  /** Begins a mailbox in the folder that is written. */
  openMailbox(folder: string, mailbox: Mailbox): Promise<MailboxWriter>;
}

export interface MailboxWriter extends AsyncDisposable {
  /** The messages come in the order of their UIDs. */
  write(message: MailboxMessage, bytes: Buffer, keywords: readonly string[]): Promise<void>;
}

export interface MailExport {
  readonly folder: string;
  readonly messages: number;
}

/** The folder exists only when it is complete. Refuses a name that is taken. */
export async function exportMail(
  mail: TransferRooms["mail"],
  agent: AgentNumber,
  folder: string,
  writer: MailWriter,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(done: number, total: number): void },
): Promise<MailExport> {
  if (fs.existsSync(folder))
    throw new WaypostError("invalid", `${folder} exists; an export never overwrites anything.`, {
      field: "/file",
    });
  const partial = `${folder}.partial`;
  fs.rmSync(partial, { recursive: true, force: true });
  const boxes = await mail.listMailboxes(agent);
  const total = boxes.reduce((sum, { messageCount }) => sum + messageCount, 0);
  const names = await mail.keywordNames(agent);
  let messages = 0;
  for (const box of boxes) {
    await using mailbox = await writer.openMailbox(partial, box);
    for await (const page of mail.messagePages(agent, box.number, [[1, 2 ** 32 - 1]]))
      for (const message of page) {
        signal.throwIfAborted();
        const keywords = keywordNumbers(message.flags).flatMap((number) => names[number] ?? []);
        await mailbox.write(message, await mail.readBytes(message), keywords);
        onProgress(++messages, total);
      }
  }
  fs.renameSync(partial, folder);
  return { folder, messages };
}
