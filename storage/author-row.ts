/** The author of a change as numbers, as the change log keeps it. */
import {
  type Author,
  authorKinds,
  type Door,
  doors,
  type QuietPushes,
  requestNumber,
  requestOf,
} from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";

export interface AuthorRow {
  readonly kind: number;
  readonly agent: number;
  readonly credential: number;
  readonly door: number;
  readonly request: number;
}

/** The author of a write that is under way. */
export interface WritingAuthor extends AuthorRow {
  readonly quietPushes?: QuietPushes | undefined;
}

/** Of the tables that have an author; without one it is the server. */
export function authorColumns(by: AuthorRow | undefined) {
  return {
    by_kind: by?.kind ?? null,
    by_agent: by?.agent ?? null,
    by_credential: by?.credential ?? null,
    by_door: by?.door ?? null,
    by_request: by?.request ?? null,
  };
}

/** undefined for the server. */
export function authorRow(author: Author): WritingAuthor | undefined {
  const { kind, agent, credential, door, request, quietPushes } = author;
  if (kind === "server") return undefined;
  return {
    ...(quietPushes !== undefined && { quietPushes }),
    kind: authorKinds.indexOf(kind),
    agent,
    credential,
    door: doors.indexOf(door),
    request: requestNumber(request),
  };
}

export function authorOfRow({ kind, agent, credential, door, request }: AuthorRow): Author {
  const name: Door = doors[door] ?? "house";
  return {
    kind: authorKinds[kind] ?? "server",
    agent: agent as AgentNumber,
    credential,
    door: name,
    request: requestOf(request, name),
  };
}
