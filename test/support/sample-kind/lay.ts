/** Lays the sample kind over a copy of the tree. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CopiedTree } from "../copied-tree.ts";
import { declaration, type Row, rows } from "./rows.ts";

const tree = path.join(import.meta.dirname, "tree");

/** The sample's own files, as they are named in a tree. */
export const ownFiles = readdirSync(tree, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => path.relative(tree, path.join(entry.parentPath, entry.name)));

/** Lines of the sample without those of its test. */
export function countLines(): number {
  const own = ownFiles.filter((file) => !file.startsWith("test/"));
  const texts = own.map((file) => readFileSync(path.join(tree, file), "utf8").trimEnd());
  return [...texts, ...[...declaration, ...rows].map(({ text }) => text)].join("\n").split("\n").length;
}

/** A test of its own would be found in this tree by its name there. */
export function layFiles(copy: CopiedTree): void {
  for (const file of ownFiles)
    cpSync(path.join(tree, file), copy.pathOf(file.replace(".life.ts", ".test.ts")));
}

export function layRow(copy: CopiedTree, { file, after, before, text }: Row): void {
  const lines = readFileSync(copy.pathOf(file), "utf8").split("\n");
  const at =
    before === undefined ? lines.findIndex((line) => line.includes(after!)) + 1 : lines.lastIndexOf(before);
  if (at < 1) throw new Error(`${file} has no line with ${after ?? before}`);
  writeFileSync(copy.pathOf(file), lines.toSpliced(at, 0, text).join("\n"));
}
