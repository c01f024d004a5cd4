/** The sections of the interface's documents, and the tests that `sections.md` names for each. As a program it prints the sections without one. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const folder = fileOf("../../../shared/interface");
const documents = ["base.md", "decisions.md", "decisions-2.md", "decisions-3.md", "decisions-4.md"];

export const hasDocuments = existsSync(folder);

export interface Section {
  readonly document: string;
  readonly heading: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

/** What `sections.md` has. */
export function listedSections(): Section[] {
  return partsOf(readFileSync(fileOf("sections.md"), "utf8"), "## ").flatMap(([document, text]) =>
    partsOf(text, "### ").map(([heading, list]) => ({
      document,
      heading,
      tests: [...list.matchAll(/^- ([\w/-]+): (.+)$/gm)].map(([, file, title]) => ({
        file: file!,
        title: title!,
      })),
    })),
  );
}

/** Sections of the documents that say something themselves, as `document › heading`. */
export function documentSections(): string[] {
  return documents.flatMap((document) => {
    const text = readFileSync(`${folder}/${document}`, "utf8");
    const parts = text
      .split(/^#+ /m)
      .slice(1)
      .map((part) => part.split("\n"));
    return parts
      .filter(([, ...lines]) => lines.some((line) => line.trim() !== ""))
      .map(([heading]) => nameOf({ document, heading: heading! }));
  });
}

export function nameOf({ document, heading }: Pick<Section, "document" | "heading">): string {
  return `${document} › ${heading}`;
}

export function hasTest({ file, title }: Section["tests"][number]): boolean {
  const path = fileOf(`../${file}.test.ts`);
  return existsSync(path) && readFileSync(path, "utf8").includes(JSON.stringify(title));
}

function partsOf(text: string, mark: string): [string, string][] {
  return text
    .split(new RegExp(`^${mark}`, "m"))
    .slice(1)
    .map((part) => [part.split("\n", 1)[0]!, part.slice(part.indexOf("\n"))]);
}

if (import.meta.main) {
  const tested = new Set(
    listedSections()
      .filter(({ tests }) => tests.length > 0)
      .map(nameOf),
  );
  for (const section of documentSections()) if (!tested.has(section)) console.log(section);
}
