/** Writes a Maildir with folders as in Maildir++. The modification time of a file is the internal date of its message. Keywords are letters
 *  with names in the file `dovecot-keywords`, as Dovecot has them: the first 26 of each folder. */
import fs from "node:fs";
import { utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import type { MailWriter } from "./export-mail.ts";
import { keywordLetters, keywordsFile, letterFlags } from "./maildir.ts";

export const maildirWriter: MailWriter = {
  async openMailbox(folder, { name, number }) {
    const directory = name === "INBOX" ? folder : path.join(folder, `.${folderOf(name)}`);
    for (const part of ["cur", "new", "tmp"])
      fs.mkdirSync(path.join(directory, part), { recursive: true, mode: 0o700 });
    const names: string[] = [];
    return {
      async write({ uid, flags, internalDate }, bytes, keywords) {
        for (const name of keywords)
          if (!names.includes(name) && names.length < keywordLetters.length) names.push(name);
        const letters = [
          ...letterFlags.flatMap(([letter, flag]) => (flags.mask & flag ? [letter] : [])),
          ...[...keywordLetters].filter((_, at) => keywords.includes(names[at]!)),
        ];
        const seconds = internalDate / 1000;
        const file = path.join(
          directory,
          "cur",
          `${Math.floor(seconds)}.${number}_${uid}.waypost:2,${letters.join("")}`,
        );
        await writeFile(file, bytes, { mode: 0o600 });
        await utimes(file, seconds, seconds);
      },
      async [Symbol.asyncDispose]() {
        if (names.length === 0) return;
        const lines = names.map((name, at) => `${at} ${name}\n`).join("");
        await writeFile(path.join(directory, keywordsFile), lines, { mode: 0o600 });
      },
    };
  },
};

/** A level with a dot in it would be two. */
function folderOf(name: string): string {
  return name
    .split("/")
    .map((level) => level.replaceAll(".", "_").replaceAll("&", "&-"))
    .join(".");
}
