/** The lists of README.md and decisions.md have every sentence of the interface, and every test that they name exists. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

interface Claim {
  readonly sentence: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

/** Blocks of quotation: a sentence, an empty line of the quotation, then a list of tests. */
function listClaims(text: string): Claim[] {
  const blocks = [...text.matchAll(/(?:^>.*\n?)+/gm)].map(([block]) => block.trimEnd().split("\n"));
  return blocks.map(([sentence = "", ...rest]) => ({
    sentence: sentence.slice(2),
    tests: rest
      .map((line) => /^> - ([\w/-]+): (.+)$/.exec(line))
      .filter((match) => match !== null)
      .map(([, file, title]) => ({ file: file!, title: title! })),
  }));
}

/** What the document says, piece by piece: sentences, list items, rows of tables without their heads. */
function listSentences(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  const isRule = (line: string | undefined): boolean => /^\|[\s|-]+\|$/.test(line ?? "");
  return lines.flatMap((line, index) => {
    if (line === "" || line.startsWith("#") || isRule(line)) return [];
    if (line.startsWith("|"))
      return isRule(lines[index + 1]) ? [] : [line.replace(/^\| /, "").replace(/ \|$/, "")];
    return line.replace(/^(?:\d+\.|-) /, "").split(/(?<=[.;!?])\s+(?=[A-Z`"*(])/);
  });
}

describe.each([
  ["README.md", "base.md", 90],
  ["decisions.md", "decisions.md", 90],
  // What of it is built.
  ["decisions-2.md", "decisions-2.md", 1],
])("%s", (list, document, sentencesMin) => {
  const [tested = "", untested = ""] = readFileSync(fileOf(`./${list}`), "utf8").split(
    "## What asks nothing of the server",
  );
  const claims = listClaims(tested);

  it("names at least one test for each sentence", () => {
    expect(claims.length).toBeGreaterThan(sentencesMin);
    expect(claims.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });

  it("names no test that is not there", () => {
    const texts = new Map<string, string>();
    const hasTest = ({ file, title }: Claim["tests"][number]): boolean => {
      const text = texts.get(file) ?? readFileSync(fileOf(`../${file}.test.ts`), "utf8");
      texts.set(file, text);
      return text.includes(JSON.stringify(title));
    };
    expect(claims.flatMap(({ tests }) => tests.filter((test) => !hasTest(test)))).toEqual([]);
  });

  const path = fileOf(`../../../shared/interface/${document}`);
  const hasDocument = existsSync(path);
  const note = hasDocument ? "" : ` (skipped: no ${path})`;

  it.skipIf(!hasDocument)(`has every sentence of the document, and no other${note}`, () => {
    const listed = [...claims, ...listClaims(untested)].map(({ sentence }) => sentence);
    const said = new Set(listSentences(readFileSync(path, "utf8")));
    if (sentencesMin > 1) expect([...said].filter((sentence) => !listed.includes(sentence))).toEqual([]);
    expect(listed.filter((sentence) => !said.has(sentence))).toEqual([]);
  });
});
