/** The test files near to changed files. */
import fs from "node:fs";
import path from "node:path";
import { always, nearSuites } from "./suites.ts";

const top = path.resolve(import.meta.dirname, "../..");
const kept = /^test\/(?:long|peers|postgres|pages)\//;

/** `file` is a path from the top of the repository, or the name of a room. */
export function nearFiles(file: string): readonly string[] {
  if (file.startsWith("test/")) return isTest(file) && fs.existsSync(path.join(top, file)) ? [file] : [];
  const names = Object.keys(nearSuites).filter((name) => file === name || file.startsWith(`${name}/`));
  const nearest = names.sort((a, b) => b.length - a.length)[0];
  return nearest === undefined ? [] : filesOf(nearSuites[nearest]!);
}

/** The files of some suites; each name has one at least. */
export function filesOf(suites: readonly string[]): readonly string[] {
  const found = (name: string): string[] => {
    const files = fs.globSync(`test/${name}.test.ts`, { cwd: top });
    if (files.length === 0) throw new Error(`There is no suite ${name}`);
    return files;
  };
  const left = new Set(suites.filter((name) => name.startsWith("!")).flatMap((name) => found(name.slice(1))));
  const files = new Set(suites.filter((name) => !name.startsWith("!")).flatMap(found));
  return [...files.difference(left)].sort();
}

export function filesNearAll(changed: readonly string[]): readonly string[] {
  return [...new Set([...filesOf(always), ...changed.flatMap(nearFiles)])].sort();
}

function isTest(file: string): boolean {
  return file.endsWith(".test.ts") && !kept.test(file);
}
