/** What a store says about a move to another engine, in its row "move" of `deployment`. It has one from the first row that is copied:
 *  whoever opens a store that has it is refused, so nothing is written where it would be lost. */
import { WaypostError } from "#/src/model/errors.ts";
import type { Sql } from "../sql.ts";

export type KeyValue = number | string | { readonly hex: string };

export interface MoveMark {
  /** Of this move, on both sides. */
  readonly id: string;
  /** "leaving": it is being copied from. "left": what it was is elsewhere. "arriving": it is being copied to. */
  readonly state: "leaving" | "left" | "arriving";
  /** The other side, in words. */
  readonly other: string;
  /** Of the side that is copied to: its last row in the order of the copy. */
  readonly reached?: { readonly table: string; readonly key: readonly KeyValue[] };
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

/** Whoever opens a store to use it asks this before the first write. */
export async function assertNotMoving(sql: Pick<Sql, "get">): Promise<void> {
  const mark = await findMark(sql);
  if (mark !== undefined) throw new WaypostError("upstream_unavailable", sentenceOf(mark));
}

function sentenceOf({ state, other }: MoveMark): string {
  switch (state) {
    case "leaving":
      return `This store is being moved to ${other}: run waypost move again to finish it, or waypost move --cancel`;
    case "left":
      return `This store was moved to ${other}, and is not used any more: name that one in storage.url`;
    case "arriving":
      return `The move of ${other} into this store is not finished: run waypost move again with the settings of that one`;
  }
}
