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

  /** Tests of the same room first, then those that import it over the fewest files. */
  nearestTests(file: string, count: number): string[] {
    const room = /^(?:src|protocols)\/([\w-]+)/.exec(file)?.[1] ?? file.split("/")[0]!;
    const distances = new Map([[file, 0]]);
    for (const [one, distance] of distances)
      for (const importer of this.#importers.get(one) ?? [])
        if (!distances.has(importer)) distances.set(importer, distance + 1);
    return [...distances]
      .filter(([one]) => one.endsWith(".test.ts") && !one.startsWith("test/long/"))
      .map(([one, distance]) => ({ one, distance: distance - (one.startsWith(`test/${room}/`) ? 3 : 0) }))
      .sort((a, b) => a.distance - b.distance)
      .slice(0, count)
      .map(({ one }) => one);
  }
}
