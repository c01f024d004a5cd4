/** Reads a Maildir (https://cr.yp.to/proto/maildir.html) with folders as in Maildir++: `.Sent`, `.Lists.2024`, with `.` between
 *  levels. Names of folders are UTF-8 or modified UTF-7 (RFC 3501 section 5.1.3), as Dovecot and Courier write them. */
import fs from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { answeredFlag, deletedFlag, draftFlag, flaggedFlag, seenFlag } from "#/src/model/flags.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { keptKeywords, type MailSource, type SourceMessage, withCrlf } from "./mail-source.ts";

/** Letters behind `:2,`. */
export const letterFlags = [
  ["D", draftFlag],
  ["F", flaggedFlag],
  ["R", answeredFlag],
  ["S", seenFlag],
  ["T", deletedFlag],
] as const;

/** Letters of keywords, whose names are in a file of each folder. */
export const keywordLetters = "abcdefghijklmnopqrstuvwxyz";
export const keywordsFile = "dovecot-keywords";
const keywordsFileBytesMax = 16 * 1024;

export function isMaildir(folder: string): boolean {
  return ["cur", "new"].every((name) => fs.existsSync(path.join(folder, name)));
}

export function openMaildir(top: string): MailSource {
  const folders = (): { folder: string; directory: string }[] => [
    { folder: "INBOX", directory: top },
    ...fs
      .readdirSync(top, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && /^\.[^.]/.test(entry.name))
      .map((entry) => ({
        folder: folderName(entry.name.slice(1)),
        directory: path.join(top, entry.name),
      }))
      .filter(({ directory }) => isMaildir(directory)),
  ];
  const files = (directory: string): { file: string; isNew: boolean }[] =>
    ["new", "cur"].flatMap((part) =>
      fs
        .readdirSync(path.join(directory, part))
        .filter((name) => !name.startsWith("."))
        .sort()
        .map((name) => ({ file: path.join(directory, part, name), isNew: part === "new" })),
    );
  function* messagesIn(folder: string, directory: string): Generator<SourceMessage> {
    const names = readKeywords(directory);
    for (const { file, isNew } of files(directory)) yield messageOf(folder, file, isNew, names);
  }
  return {
    name: `maildir ${top}`,
    async count() {
      return folders().reduce((sum, { directory }) => sum + files(directory).length, 0);
    },
    async *messages() {
      for (const { folder, directory } of folders()) yield* messagesIn(folder, directory);
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** The names of the letters, by their places. */
function readKeywords(directory: string): ReadonlyMap<number, string> {
  const file = path.join(directory, keywordsFile);
  if (!fs.existsSync(file) || fs.statSync(file).size > keywordsFileBytesMax) return new Map();
  const lines = fs.readFileSync(file, "utf8").matchAll(/^(\d{1,2}) (\S+)$/gm);
  return new Map([...lines].map(([, at, name]) => [Number(at), name!]));
}

function messageOf(
  folder: string,
  file: string,
  isNew: boolean,
  names: ReadonlyMap<number, string>,
): SourceMessage {
  // Flags change the name behind the colon; what stands before it stays.
  const [unique = "", info = ""] = path.basename(file).split(/[:;!]2,/);
  const letters = isNew ? "" : info;
  const flags = letterFlags.reduce(
    (mask, [letter, flag]) => (letters.includes(letter) ? mask | flag : mask),
    0,
  );
  const found = fs.statSync(file, { throwIfNoEntry: false });
  return {
    folder,
    key: `${folder} ${unique}`,
    flags,
    keywords: keptKeywords(
      [...keywordLetters].flatMap((letter, at) => (letters.includes(letter) ? (names.get(at) ?? []) : [])),
    ),
    internalDate: found?.mtimeMs ?? Date.now(),
    size: found?.size ?? 0,
    async read() {
      try {
        return withCrlf(await readFile(file));
      } catch (error) {
        // Another program has moved or deleted it meanwhile.
        if (readThrown(error).code === "ENOENT") return undefined;
        throw error;
      }
    },
  };
}

function folderName(name: string): string {
  return name.split(".").map(decodeModifiedUtf7).join("/");
}

/** RFC 3501 section 5.1.3: `&` and `-` around UTF-16 in base64 with `,` for `/`. */
function decodeModifiedUtf7(text: string): string {
  return text.replace(/&([A-Za-z0-9+,]*)-/g, (whole, coded: string) => {
    if (coded === "") return "&";
    const bytes = Buffer.from(coded.replaceAll(",", "/"), "base64");
    if (bytes.length % 2 !== 0) return whole;
    return bytes.swap16().toString("utf16le");
  });
}
