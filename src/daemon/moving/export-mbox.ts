/** Writes a folder of mbox files (RFC 4155), one for each mailbox: a line `From ` before each message, `>` before lines of it that
 *  begin so (mboxrd), flags in Status, X-Status and X-Keywords. Lines end with LF, as programs that read an mbox expect it. */
import fs from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { answeredFlag, deletedFlag, draftFlag, flaggedFlag, seenFlag } from "#/src/model/flags.ts";
import type { MailWriter } from "./export-mail.ts";

export const mboxWriter: MailWriter = {
  async openMailbox(folder, { name }) {
    const levels = name.split("/").map(fileName);
    const file = path.join(folder, ...levels.slice(0, -1), `${levels.at(-1)!}.mbox`);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, "wx", 0o600);
    return {
      write: ({ internalDate, flags }, bytes, keywords) =>
        handle.writeFile(mboxMessage(bytes, internalDate, flags.mask, keywords)),
      [Symbol.asyncDispose]: () => handle.close(),
    };
  },
};

/** No level is another folder than the one that it names. */
function fileName(level: string): string {
  return level === "." || level === ".." ? level.replaceAll(".", "_") : level.replaceAll("\0", "_");
}

function mboxMessage(bytes: Buffer, internalDate: number, mask: number, keywords: readonly string[]): Buffer {
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
  const field = (name: string, value: string): string => (value === "" ? "" : `${name}: ${value}\n`);
  const status = field("Status", `${letters([["R", seenFlag]])}O`) + field("X-Status", xStatus);
  const quoted = header + status + field("X-Keywords", keywords.join(" ")) + body;
  const lines = quoted.replace(/^(>*From )/gm, ">$1");
  return Buffer.from(`From MAILER-DAEMON ${date}\n${lines}${lines.endsWith("\n") ? "" : "\n"}\n`, "latin1");
}
