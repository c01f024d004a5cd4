/** Rows of `grant_object`: the objects of a grant. 0 stands for all objects of a kind. */
import { WaypostError } from "#/src/model/errors.ts";
import { type GrantedKind, type GrantedObjects, grantedKinds } from "#/src/model/grants.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { rowOfGranted } from "../../kinds.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Sql } from "../../sql.ts";

const allOfKind = 0;

/** Throws `not_found` for an object that the target does not have. */
export async function insertGrantObjects(
  tx: Sql,
  grant: { readonly grant: number; readonly agent: AgentNumber; readonly targetAgent: AgentNumber },
  objects: GrantedObjects,
): Promise<void> {
  for (const kind of grantedKinds) {
    const named = objects[kind];
    for (const object of named === "all" ? [allOfKind] : new Set(named)) {
      if (named !== "all") await assertObject(tx, grant.targetAgent, kind, object);
      await tx.run(
        ...insertion("grant_object", {
          agent_id: grant.agent,
          grant_id: grant.grant,
          kind,
          object_id: object,
          target_agent_id: grant.targetAgent,
        }),
      );
    }
  }
}

async function assertObject(tx: Sql, agent: AgentNumber, kind: GrantedKind, object: number): Promise<void> {
  const found = await tx.get(rowOfGranted(kind, "?", "?"), agent, object);
  if (found === undefined) throw new WaypostError("not_found", `There is no such ${kind} to grant`);
}

/** Removes a deleted object from all grants that name it. Grants of all objects of its kind do not change. */
export function deleteGrantObject(
  tx: Sql,
  agent: AgentNumber,
  kind: GrantedKind,
  object: number,
): Promise<number> {
  return tx.run(
    "delete from grant_object where target_agent_id = ? and kind = ? and object_id = ?",
    agent,
    kind,
    object,
  );
}
