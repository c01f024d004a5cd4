/** Every queue in memory is one that the README names, with a row of the table of shares or another limit. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { shares } from "#/src/fairness/shares.ts";

const top = new URL("../..", import.meta.url).pathname;
const sources = ["src", "protocols", "storage"].flatMap((folder) =>
  readdirSync(path.join(top, folder), { recursive: true, encoding: "utf8" })
    .map((name) => path.posix.join(folder, name))
    .filter((name) => name.endsWith(".ts") && !/^src\/(cli|client)\//.test(name)),
);

function filesWith(...patterns: readonly RegExp[]): string[] {
  return sources.filter((file) => {
    const text = readFileSync(path.join(top, file), "utf8");
    return patterns.some((pattern) => pattern.test(text));
  });
}

/** Rows of the README's table under a heading: file, and what stands beside it. */
function listed(heading: string): ReadonlyMap<string, string> {
  const readme = readFileSync(path.join(top, "src/fairness/README.md"), "utf8");
  const section = readme.split(`### ${heading}\n`)[1]!.split("\n#")[0]!;
  const rows = [...section.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)];
  return new Map(rows.map(([, file, words]) => [file!, words!]));
}

test("only the files that the README names have a queue, each for rows of the table", () => {
  const queues = listed("Queues");
  expect([...queues.keys()].sort()).toEqual(filesWith(/new FairQueue\b/).sort());
  for (const words of queues.values())
    for (const name of words.split(", "))
      expect([
        "every row where somebody waits",
        "none: turns are not refused",
        ...Object.keys(shares),
      ]).toContain(name);
});

test("only the files that the README names keep callbacks or chain promises", () => {
  const found = filesWith(
    /\b(Set|Map)<(\w+, )?(Set<)?\(.*\) => void>/,
    /\bMap<\([^()]*\) => void, /,
    /\(\([^()]*\) => void\)\[\]/,
    /\b(\S+) = \1\s*\.then\(/,
    // Libraries that queue by themselves.
    /\bmax(Total)?Sockets\b|\bpipelining:/,
  );
  expect([...listed("Callbacks").keys()].sort()).toEqual(found.sort());
});
