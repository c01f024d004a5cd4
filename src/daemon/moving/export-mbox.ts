/** Writes a mailbox whole to a new folder of mbox files (RFC 4155), one for each mailbox: a line `From ` before each message, `>` before lines of it
 *  that begin so (mboxrd), flags in Status and X-Status. Lines end with LF, as programs that read an mbox expect it. */
import fs from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import type { Mail } from "#/src/mail/mail.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { answeredFlag, deletedFlag, draftFlag, flaggedFlag, seenFlag } from "#/src/model/flags.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";

export interface MboxExport {
  readonly folder: string;
  readonly messages: number;
}

/** The folder exists only when it is complete. Refuses a name that is taken. */
export async function exportMbox(
  mail: Mail,
  agent: AgentNumber,
  folder: string,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(done: number, total: number): void },
): Promise<MboxExport> {
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
    const file = path.join(
      partial,
      ...name.split("/").map(fileName).slice(0, -1),
      `${fileName(name.split("/").at(-1)!)}.mbox`,
    );
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    await using handle = await open(file, "wx", 0o600);
    for await (const page of mail.messagePages(agent, number, [[1, 2 ** 32 - 1]]))
      for (const message of page) {
        signal.throwIfAborted();
        await handle.writeFile(
          mboxMessage(await mail.readBytes(message), message.internalDate, message.flags.mask),
        );
        onProgress(++messages, total);
      }
  }
  fs.renameSync(partial, folder);
  return { folder, messages };
}

/** No level is another folder than the one that it names. */
function fileName(level: string): string {
  return level === "." || level === ".." ? level.replaceAll(".", "_") : level.replaceAll("\0", "_");
}

function mboxMessage(bytes: Buffer, internalDate: number, mask: number): Buffer {
  const text = bytes.toString("latin1").replaceAll("\r\n", "\n");
  const end = text.startsWith("\n") ? 0 : text.indexOf("\n\n") + 1;
  const header = end > 0 || text.startsWith("\n") ? text.slice(0, end) : `${text.trimEnd()}\n`;
  const body = end > 0 || text.startsWith("\n") ? text.slice(end) : "\n";
  const date = new Date(internalDate)
    .toUTCString()
    .replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT$/, "$1 $3 $2 $5 $4");
  const letters = (of: readonly (readonly [string, number])[]) =>
    of.flatMap(([letter, flag]) => (mask & flag ? [letter] : [])).join("");
  const xStatus = letters([
    ["A", answeredFlag],
    ["F", flaggedFlag],
    ["D", deletedFlag],
    ["T", draftFlag],
  ]);
  const quoted = `${header}Status: ${letters([["R", seenFlag]])}O\n${xStatus === "" ? "" : `X-Status: ${xStatus}\n`}${body}`;
  const lines = quoted.replace(/^(>*From )/gm, ">$1");
  return Buffer.from(`From MAILER-DAEMON ${date}\n${lines}${lines.endsWith("\n") ? "" : "\n"}\n`, "latin1");
}
