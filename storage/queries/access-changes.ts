/** The log of access: tokens, grants, domains, settings and the like, with who changed them. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { AuthorRow } from "../author-row.ts";
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
  select access_change_id as change, at, write, owner_id as owner, holder_id as holder, object, by_kind as kind,
    by_agent as agent, by_credential as credential, by_door as door, by_request as request
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
