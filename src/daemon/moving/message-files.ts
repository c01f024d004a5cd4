/** Reads one message in a file (`.eml`), or a folder of such files, as Thunderbird and others save them. */
import fs from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { WaypostError } from "#/src/model/errors.ts";
import { seenFlag } from "#/src/model/flags.ts";
import { type MailSource, withCrlf } from "./mail-source.ts";

/** A folder below it is a folder of mail with its name; links to folders are not followed. A folder without such files is refused. */
export function openMessageFiles(place: string): MailSource {
  const isFolder = fs.statSync(place).isDirectory();
  /** By their paths below the place. */
  const files = (): string[] =>
    isFolder
      ? fs
          .readdirSync(place, { recursive: true, withFileTypes: true })
          .filter((entry) => /\.eml$/i.test(entry.name))
          .map((entry) => path.relative(place, path.join(entry.parentPath, entry.name)))
          .filter((below) => fs.statSync(path.join(place, below), { throwIfNoEntry: false })?.isFile())
          .sort()
      : [""];
  if (files().length === 0)
    throw new WaypostError(
      "invalid",
      `${place} is no Maildir (a folder with cur and new) and has no .eml files.`,
      {
        field: "/file",
        hint: "An mbox is named by its file, not by its folder.",
      },
    );
  return {
    name: `files ${place}`,
    count: async () => files().length,
    async *messages() {
      for (const below of files()) {
        const file = path.join(place, below);
        const { mtimeMs, size } = fs.statSync(file);
        const folder = path.dirname(below).split(path.sep).join("/");
        yield {
          folder: folder === "." ? "INBOX" : folder,
          key: below === "" ? path.basename(file) : below.split(path.sep).join("/"),
          flags: seenFlag,
          keywords: [],
          internalDate: mtimeMs,
          size,
          read: async () => withCrlf(await readFile(file)),
        };
      }
    },
    async [Symbol.asyncDispose]() {},
  };
}
