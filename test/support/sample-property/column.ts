/** A property that has a column: its line, and the migration of its column. Tests lay it over a copy of the tree. */
import { writeFileSync } from "node:fs";
import type { CopiedTree } from "../copied-tree.ts";

interface Sample {
  readonly file: string;
  readonly declared: string;
  readonly line: string;
  readonly table: string;
  readonly type: string;
}

/** `motto` of calendars and addressbooks, four of messages, one of each form, `colour` of folders. */
const samples = {
  motto: {
    file: "src/model/collection-properties.ts",
    declared: "const declared = {",
    line: 'motto: { column: "motto", form: "text" },',
    table: "collection",
    type: "text",
  },
  note: {
    file: "src/model/message-properties.ts",
    declared: "export const messageDeclarations = {",
    line: 'note: { column: "note", form: "text", charactersMax: 500, says: "A note for yourself." },',
    table: "message",
    type: "text",
  },
  snooze: {
    file: "src/model/message-properties.ts",
    declared: "export const messageDeclarations = {",
    line: 'snooze: { column: "snooze", form: "time", says: "Until when it is out of sight." },',
    table: "message",
    type: "bigint",
  },
  rank: {
    file: "src/model/message-properties.ts",
    declared: "export const messageDeclarations = {",
    line: 'place: { column: "rank", form: "number", says: "The first is 1." },',
    table: "message",
    type: "bigint",
  },
  kept: {
    file: "src/model/message-properties.ts",
    declared: "export const messageDeclarations = {",
    line: 'isKept: { column: "kept", form: "flag", says: "Whether it is kept." },',
    table: "message",
    type: "bigint not null default 0",
  },
  colour: {
    file: "src/model/folder-properties.ts",
    declared: "export const folderDeclarations = {",
    line: 'colour: { column: "colour", form: "text", charactersMax: 7, says: "#rrggbb." },',
    table: "mailbox",
    type: "text",
  },
} as const satisfies Readonly<Record<string, Sample>>;

export function layColumns(copy: CopiedTree): void {
  for (const [name, sample] of Object.entries(samples)) layColumn(copy, name, sample);
}

function layColumn(copy: CopiedTree, name: string, { file, declared, line, table, type }: Sample): void {
  copy.edit(file, declared, `${declared}\n  ${line}\n`);
  writeFileSync(
    copy.pathOf(`storage/migrations/9000-${name}.ts`),
    `import type { Sql } from "../sql.ts";

export async function ${name}(tx: Sql): Promise<void> {
  await tx.run("alter table ${table} add column ${name} ${type}");
}
`,
  );
  const index = "storage/migrations/index.ts";
  copy.edit(index, "\n];", `\n  { name: "${name}", does: "keeps more", run: ${name} },\n];`);
  copy.edit(
    index,
    "import type { Sql }",
    `import { ${name} } from "./9000-${name}.ts";\nimport type { Sql }`,
  );
}
