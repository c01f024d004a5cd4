/** A copy of the tree, in which a test makes small changes. */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "vitest";

const top = path.join(import.meta.dirname, "../..");

export interface CopiedTree extends Disposable {
  pathOf(file: string): string;
  /** Puts one text in the place of another, which is there. */
  edit(file: string, from: string, to: string): void;
  /** What a program of `node_modules` writes that runs in the copy. */
  run(program: string, args: readonly string[]): Promise<{ readonly isDone: boolean; readonly said: string }>;
}

export function copyTree(): CopiedTree {
  const copy = mkdtempSync(path.join(os.tmpdir(), "waypost-small-changes-"));
  for (const name of [
    ...["src", "protocols", "storage", "config", "test", "docs"],
    ...["package.json", "tsconfig.json"],
  ])
    cpSync(path.join(top, name), path.join(copy, name), {
      recursive: true,
      filter: (source) => !source.endsWith("node_modules"),
    });
  symlinkSync(path.join(top, "node_modules"), path.join(copy, "node_modules"));
  const pathOf = (file: string): string => path.join(copy, file);
  return {
    pathOf,
    edit(file, from, to) {
      const text = readFileSync(pathOf(file), "utf8");
      expect(text, file).toContain(from);
      writeFileSync(
        pathOf(file),
        text.replace(from, () => to),
      );
    },
    run: (program, args) =>
      new Promise((resolve) =>
        execFile(
          process.execPath,
          [path.join(top, "node_modules", program), ...args],
          { cwd: copy, maxBuffer: 16 * 1024 * 1024 },
          (error, out, err) => resolve({ isDone: error === null, said: `${out}${err}` }),
        ),
      ),
    [Symbol.dispose]: () => rmSync(copy, { recursive: true, force: true }),
  };
}
