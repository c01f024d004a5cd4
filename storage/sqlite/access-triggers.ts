/** Tells whose access a transaction changes, by triggers of the writing connection alone: the file has nothing of them. */
import type Database from "better-sqlite3";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { accessTables, rowEvents } from "../access/access-tables.ts";

/** From now on `note` is told of each owner, in the transaction. What is undone is told too. */
export function watchAccess(database: Database.Database, note: (owner: AgentNumber) => void): void {
  database.function("note_access", { deterministic: false }, (owner: unknown) => {
    note(owner as AgentNumber);
    return null;
  });
  for (const { name, read, owners, isRead } of accessTables)
    for (const { event, rows } of rowEvents) {
      const of = event === "update" ? `update of ${read.join(", ")}` : event;
      const when = isRead === undefined ? "" : ` when ${rows.map(isRead).join(" or ")}`;
      const told = rows.map(
        (row) => `select note_access(owner) from (${owners(row)}) where owner is not null;`,
      );
      database.exec(
        `create temp trigger access_${name}_${event} after ${of} on main.${name}${when} begin ${told.join(" ")} end`,
      );
    }
}
