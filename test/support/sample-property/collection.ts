/** A property of calendars and addressbooks: its line, and the migration of its column. Tests lay it over a copy of the tree. */
import { writeFileSync } from "node:fs";
import type { CopiedTree } from "../copied-tree.ts";

export function layCollectionProperty(copy: CopiedTree): void {
  const declared = "export const collectionProperties = {\n";
  copy.edit(
    "src/model/collection-properties.ts",
    declared,
    `${declared}  motto: { column: "motto", form: "text" },\n`,
  );
  writeFileSync(
    copy.pathOf("storage/migrations/9000-motto.ts"),
    `import type { Sql } from "../sql.ts";

export async function motto(tx: Sql): Promise<void> {
  await tx.run("alter table collection add column motto text");
}
`,
  );
  const index = "storage/migrations/index.ts";
  copy.edit(index, "\n];", '\n  { name: "motto", does: "keeps mottos", run: motto },\n];');
  copy.edit(index, "import type { Sql }", 'import { motto } from "./9000-motto.ts";\nimport type { Sql }');
}
