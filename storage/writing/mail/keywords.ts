/** Keywords of an agent (RFC 9051 section 2.3.2): numbered as they are first used, compared without regard to case; the
 *  first spelling stays. */
import { WaypostError } from "#/src/model/errors.ts";
import { isKeyword } from "#/src/model/flags.ts";
import { keywordBytesMax, keywordsMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { insertion } from "../../schema/insertion.ts";
import { paddedList, placesFor, type Sql } from "../../sql.ts";

export interface ResolvedKeywords {
  readonly numbers: readonly number[];
  readonly hasNew: boolean;
}

/** Folds only ASCII letters, which IMAP compares without case: the same on every engine. */
export function foldKeyword(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The numbers of keywords; unknown ones are created, or left out when `isCreating` is false. */
export async function resolveKeywords(
  tx: Sql,
  agent: AgentNumber,
  names: readonly string[],
  isCreating: boolean,
): Promise<ResolvedKeywords> {
  const wanted = new Map(names.map((name) => [foldKeyword(name), name]));
  if (wanted.size === 0) return { numbers: [], hasNew: false };
  if (wanted.size > keywordsMax) throw tooMany();
  const folded = paddedList([...wanted.keys()]);
  const known = await tx.all<{ number: number; folded: string }>(
    `select keyword_number as number, folded_name as folded
    from keyword
    where agent_id = ? and folded_name in (${placesFor(folded)})`,
    agent,
    ...folded,
  );
  const numbers = known.map(({ number }) => number);
  for (const { folded } of known) wanted.delete(folded);
  if (wanted.size === 0 || !isCreating) return { numbers, hasNew: false };
  const { next } = (await tx.get<{ next: number }>(
    "select coalesce(max(keyword_number) + 1, 0) as next from keyword where agent_id = ?",
    agent,
  ))!;
  if (next + wanted.size > keywordsMax) throw tooMany();
  let number = next;
  for (const [folded, name] of wanted) {
    if (!isKeyword(name))
      throw new WaypostError("invalid", `A keyword is an atom of at most ${keywordBytesMax} characters`);
    await tx.run(
      ...insertion("keyword", { agent_id: agent, keyword_number: number, name, folded_name: folded }),
    );
    numbers.push(number++);
  }
  return { numbers, hasNew: true };
}

function tooMany(): WaypostError {
  return new WaypostError("policy_refused", `A mailbox has at most ${keywordsMax} keywords`, {
    reason: "limit_reached",
  });
}
