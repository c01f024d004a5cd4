/** The mark of a store that is moved to another engine: the row "move" of `deployment`. It is written before the first row is copied.
 *  Except for one that is "copying", a store with a mark cannot be opened, so nothing is written that would be lost. */
import { WaypostError } from "#/src/model/errors.ts";
import type { Sql } from "../sql.ts";

export type KeyValue = number | string | { readonly hex: string };

export interface MoveMark {
  /** The id of this move, the same on both sides. */
  readonly id: string;
  /** Of the former store: "copying": it is in use, and its changes are written down. "leaving": no daemon may open it any more. "left": its
   *  content is in the other store.
   *  Of the new one: "partial": a copy is being written into it. "arriving": the copy is whole, and the former store is given up. */
  readonly state: "copying" | "leaving" | "left" | "partial" | "arriving";
  /** The name of the other side, for people. */
  readonly other: string;
  /** Of the former store: its schema when the capture began; undefined while nothing is captured. */
  readonly schema?: number | undefined;
  /** Of the new one: its last row in the order of the copy; "whole" after all of them. */
  readonly reached?: { readonly table: string; readonly key: readonly KeyValue[] } | "whole";
}

export const markName = "move";

export async function findMark(sql: Pick<Sql, "get">): Promise<MoveMark | undefined> {
  const row = await sql.get<{ value: Uint8Array }>("select value from deployment where name = ?", markName);
  return row === undefined ? undefined : (JSON.parse(Buffer.from(row.value).toString("utf8")) as MoveMark);
}

export async function writeMark(sql: Sql, mark: MoveMark): Promise<void> {
  await sql.run(
    `insert into deployment (name, value)
    values (?, ?)
    on conflict (name) do update
    set value = excluded.value`,
    markName,
    Buffer.from(JSON.stringify(mark)),
  );
}

export async function removeMark(sql: Sql): Promise<void> {
  await sql.run("delete from deployment where name = ?", markName);
}

/** Throws for a store with a mark that forbids it. Called when a store is opened, before the first write. */
export async function assertNotMoving(sql: Pick<Sql, "get">): Promise<void> {
  const mark = await findMark(sql);
  if (mark !== undefined && mark.state !== "copying")
    throw new WaypostError("upstream_unavailable", sentenceOf(mark));
}

function sentenceOf({ state, other }: MoveMark): string {
  switch (state) {
    case "copying":
    case "leaving":
      return `This store is being moved to ${other}: run waypost move again to finish it, or waypost move --cancel`;
    case "left":
      return `This store was moved to ${other}, and is not used any more: name that one in storage.url`;
    case "partial":
    case "arriving":
      return `The move of ${other} into this store is not finished: run waypost move again with the settings of that one`;
  }
}
