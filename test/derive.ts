/** Files that are written from the declarations of the operations: `npm run derive` writes them, a test looks whether they are
 *  as they would be written. */
import { readFileSync, writeFileSync } from "node:fs";
import { clientTypesText } from "#/protocols/json/derived/client-types.ts";
import { referenceText } from "#/protocols/json/derived/reference.ts";
import { operations } from "#/protocols/json/registry.ts";

export interface DerivedFile {
  /** From the top of the repository. */
  readonly path: string;
  readonly text: string;
}

export function derivedFiles(): readonly DerivedFile[] {
  return [
    { path: "src/client/operations.ts", text: clientTypesText(operations) },
    { path: "docs/reference.md", text: referenceText(operations) },
    { path: "protocols/web/assets/texts.ts", text: assetsText() },
  ];
}

/** The files that browsers load, for a program that has no files beside it. */
function assetsText(): string {
  const literal = (name: string) => JSON.stringify(presentText(`protocols/web/assets/${name}`));
  return `/** Written from the files beside it by \`npm run derive\`. */
export const stylesheetText = ${literal("waypost.css")};
export const scriptText = ${literal("waypost.js")};
export const workerText = ${literal("service-worker.js")};
`;
}

export function presentText(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
}

if (import.meta.main)
  for (const { path, text } of derivedFiles()) writeFileSync(new URL(`../${path}`, import.meta.url), text);
