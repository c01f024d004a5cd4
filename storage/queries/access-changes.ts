/** The log of access: tokens, grants, domains, settings and the like, with who changed them. */

import type { AgentNumber } from "#/src/model/numbers.ts";
import type { AuthorRow } from "../author-row.ts";
import { selectList } from "../schema/select-list.ts";
import type { Reader } from "../sql.ts";

export interface AccessChangeRow {
  readonly change: number;
  readonly at: number;
  /** The named write. */
  readonly write: string;
  readonly owner: AgentNumber | null;
  /** Of a grant: who has got it. */
  readonly holder: AgentNumber | null;
  readonly object: string | null;
  /** undefined: the server. */
  readonly by: AuthorRow | undefined;
}

type Stored = Omit<AccessChangeRow, "by"> & { readonly [K in keyof AuthorRow]: AuthorRow[K] | null };

const select = `
  select ${selectList<Stored, "access_change">({
    change: "access_change.access_change_id",
    at: "access_change.at",
    write: "access_change.write",
    owner: "access_change.owner_id",
    holder: "access_change.holder_id",
    object: "access_change.object",
    kind: "access_change.by_kind",
    agent: "access_change.by_agent",
    credential: "access_change.by_credential",
    door: "access_change.by_door",
    request: "access_change.by_request",
  })}
  from access_change`;

export interface AccessChangeRange {
  /** Only changes with lower numbers. */
  readonly before: number;
  readonly since: number;
  readonly limit: number;
}

/** The newest first. */
export async function listAccessChanges(
  reader: Reader,
  { before, since, limit }: AccessChangeRange,
): Promise<AccessChangeRow[]> {
  const rows = await reader.all<Stored>(
    `${select}
    where access_change_id < ? and at >= ?
    order by access_change_id desc
    limit ?`,
    before,
    since,
    limit,
  );
  return rows.map(changeOf);
}

/** Those about the mailbox of an owner, or about a grant that the owner has got; the newest first. */
export async function listAccessChangesOf(
  reader: Reader,
  agent: AgentNumber,
  { before, since, limit }: AccessChangeRange,
): Promise<AccessChangeRow[]> {
  const found: AccessChangeRow[] = [];
  for (const column of ["owner_id", "holder_id"]) {
    const rows = await reader.all<Stored>(
      `${select}
      where ${column} = ? and access_change_id < ? and at >= ?
      order by access_change_id desc
      limit ?`,
      agent,
      before,
      since,
      limit,
    );
    found.push(...rows.map(changeOf));
  }
  return found.toSorted((a, b) => b.change - a.change).slice(0, limit);
}

function changeOf({ kind, agent, credential, door, request, ...row }: Stored): AccessChangeRow {
  const by = kind === null ? undefined : ({ kind, agent, credential, door, request } as AuthorRow);
  return { ...row, by };
}
