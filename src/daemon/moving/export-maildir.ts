/** Writes a mailbox whole to a new Maildir, its folders as Maildir++ has them, times of receipt as times of the files. */
import fs from "node:fs";
import { utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Mail } from "#/src/mail/mail.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { letterFlags } from "./maildir.ts";

export interface MaildirExport {
  readonly folder: string;
  readonly messages: number;
}

/** The folder exists only when it is complete. Refuses a name that is taken. */
export async function exportMaildir(
  mail: Mail,
  agent: AgentNumber,
  folder: string,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(done: number, total: number): void },
): Promise<MaildirExport> {
  if (fs.existsSync(folder))
    throw new WaypostError("invalid", `${folder} exists; an export never overwrites anything.`, {
      field: "/file",
    });
  const partial = `${folder}.partial`;
  fs.rmSync(partial, { recursive: true, force: true });
  const boxes = await mail.listMailboxes(agent);
  const total = boxes.reduce((sum, { messageCount }) => sum + messageCount, 0);
  let messages = 0;
  for (const { name, number } of boxes) {
    const directory = name === "INBOX" ? partial : path.join(partial, `.${folderOf(name)}`);
    for (const part of ["cur", "new", "tmp"])
      fs.mkdirSync(path.join(directory, part), { recursive: true, mode: 0o700 });
    for await (const page of mail.messagePages(agent, number, [[1, 2 ** 32 - 1]]))
      for (const message of page) {
        signal.throwIfAborted();
        const letters = letterFlags.flatMap(([letter, flag]) => (message.flags.mask & flag ? [letter] : []));
        const seconds = message.internalDate / 1000;
        const file = path.join(
          directory,
          "cur",
          `${Math.floor(seconds)}.${number}_${message.uid}.waypost:2,${letters.join("")}`,
        );
        await writeFile(file, await mail.readBytes(message), { mode: 0o600 });
        await utimes(file, seconds, seconds);
        onProgress(++messages, total);
      }
  }
  fs.renameSync(partial, folder);
  return { folder, messages };
}

/** A level with a dot in it would be two. */
function folderOf(name: string): string {
  return name
    .split("/")
    .map((level) => level.replaceAll(".", "_").replaceAll("&", "&-"))
    .join(".");
}
