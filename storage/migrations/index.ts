/** All steps of the schema, in order. The number of a step is its place, from 1; a step that has been released never
 *  changes, and there is no way back but the backup that is taken before it. */
import type { Sql } from "../sql.ts";
import { schema } from "./0001-schema.ts";
import { referenceIds } from "./0002-reference-ids.ts";
import { metadata } from "./0003-metadata.ts";
import { outbound } from "./0004-outbound.ts";
import { recent } from "./0005-recent.ts";

export interface Migration {
  readonly name: string;
  run(tx: Sql): Promise<void>;
}

export const migrations: readonly Migration[] = [
  { name: "schema", run: schema },
  { name: "reference ids", run: referenceIds },
  { name: "metadata", run: metadata },
  { name: "outbound", run: outbound },
  { name: "recent", run: recent },
];
