/** Reads one message in a file (`.eml`), or a folder of such files, as Thunderbird and others save them. */
import fs from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { seenFlag } from "#/src/model/flags.ts";
import { type MailSource, withCrlf } from "./mail-source.ts";

export function openMessageFiles(place: string): MailSource {
  const files = (): string[] =>
    fs.statSync(place).isDirectory()
      ? fs
          .readdirSync(place)
          .filter((name) => /\.eml$/i.test(name))
          .sort()
          .map((name) => path.join(place, name))
      : [place];
  return {
    name: `files ${place}`,
    count: async () => files().length,
    async *messages() {
      for (const file of files()) {
        const { mtimeMs, size } = fs.statSync(file);
        yield {
          folder: "INBOX",
          key: path.basename(file),
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
