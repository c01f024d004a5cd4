/** Triggers that record the keys of changed rows while a store is moved (storage/moving/changed-rows.ts). */
import type Database from "better-sqlite3";
import { markName } from "../moving/move-mark.ts";
import { changesOf, quoted, type TableShape } from "../moving/moving-side.ts";

export function captureChanges(database: Database.Database, tables: readonly TableShape[]): void {
  for (const table of tables) for (const text of textsOf(table)) database.exec(text);
}

/** Drops the tables of keys and their triggers; those of a capture that a copy of the file has, too. */
export function dropCapture(database: Database.Database): void {
  const made = database
    .prepare<[string], { type: string; name: string }>(
      "select type, name from sqlite_master where type in ('trigger', 'table') and name glob ? order by type desc",
    )
    .all(`${changesOf("")}*`);
  for (const { type, name } of made) database.exec(`drop ${type} ${name}`);
}

function textsOf({ name, key, keyTypes }: TableShape): string[] {
  const changes = changesOf(name);
  const columns = key.map(quoted).join(", ");
  const note = (row: "old" | "new") =>
    `insert into ${changes} (${columns}, stamp) values (${key.map((column) => `${row}.${quoted(column)}`).join(", ")}, 1)
      on conflict (${columns}) do update set stamp = stamp + 1;`;
  // The mark itself is of each side.
  const when = (row: "old" | "new") => (name === "deployment" ? ` when ${row}.name <> '${markName}'` : "");
  const isOther = key.map((column) => `old.${quoted(column)} is not new.${quoted(column)}`).join(" or ");
  return [
    `create table ${changes} (${key.map((column, at) => `${quoted(column)} ${keyTypes[at]} not null`).join(", ")},
      stamp bigint not null, primary key (${columns})) without rowid`,
    `create trigger ${changes}_1 after insert on ${name}${when("new")} begin ${note("new")} end`,
    `create trigger ${changes}_2 after update on ${name}${when("new")} begin ${note("new")} end`,
    `create trigger ${changes}_3 after delete on ${name}${when("old")} begin ${note("old")} end`,
    `create trigger ${changes}_4 after update of ${columns} on ${name} when ${isOther} begin ${note("old")} end`,
  ];
}
