/** Which test files are nearest to a file of the source, by their imports. */
import fs from "node:fs";
import path from "node:path";

export class ImportGraph {
  readonly #importers = new Map<string, Set<string>>();

  /** `files` are paths from the top of the repository. */
  constructor(top: string, files: readonly string[]) {
    for (const file of files)
      for (const [, name] of fs
        .readFileSync(path.join(top, file), "utf8")
        .matchAll(/(?:from|import\()\s*"([#.][^"]+)"/g)) {
        const imported = name!.startsWith("#/")
          ? name!.slice(2)
          : path.posix.join(path.posix.dirname(file), name!);
        this.#importers.set(imported, (this.#importers.get(imported) ?? new Set()).add(file));
      }
  }

  /** Those that import it over the fewest files, near ones before others. */
  nearestTests(file: string, near: ReadonlySet<string>, count: number): string[] {
    const distances = new Map([[file, 0]]);
    for (const [one, distance] of distances)
      for (const importer of this.#importers.get(one) ?? [])
        if (!distances.has(importer)) distances.set(importer, distance + 1);
    return [...distances]
      .filter(([one]) => one.endsWith(".test.ts") && !one.startsWith("test/long/"))
      .map(([one, distance]) => ({ one, distance: distance - (near.has(one) ? 3 : 0) }))
      .sort((a, b) => a.distance - b.distance)
      .slice(0, count)
      .map(({ one }) => one);
  }
}
