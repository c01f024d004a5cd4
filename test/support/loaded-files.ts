/** What a file loads, by the text of its imports. */
import { readFileSync } from "node:fs";
import path from "node:path";

const top = new URL("../..", import.meta.url).pathname;

/** The files that a file imports when it is loaded: no types, and nothing of `import(…)`. */
export function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(path.join(top, file), "utf8");
  for (const [statement, named] of text.matchAll(
    /^(?:import|export) [^;()"]*?"(#\/[^"]+\.ts|\.[^"]+\.ts)";$/gm,
  )) {
    const names = /^\w+ \{([^}]*)\}/.exec(statement)?.[1]?.split(",") ?? [];
    const areTypes = names.length > 0 && names.every((name) => name.trim() === "" || /^\s*type /.test(name));
    if (/^\w+ type /.test(statement) || areTypes) continue;
    loadedBy(
      named!.startsWith("#/") ? named!.slice(2) : path.posix.join(path.posix.dirname(file), named!),
      seen,
    );
  }
  return seen;
}
