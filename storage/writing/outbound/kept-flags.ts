/** Flags and labels of mail that waits or leaves and is made of other mail: a copy of a draft that is sent, another version of a mail that
 *  waits, mail that waited in an archive. An approval is not among them, nor what was about the place before (`\Seen`, `\Deleted`, `\Draft`). */
import { answeredFlag, type FlagState, flaggedFlag, flagState, keywordNumbers } from "#/src/model/flags.ts";
import { approvedKeyword } from "#/src/model/holds.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Sql } from "../../sql.ts";
import type { HeldEntry } from "../mail/entry-rows.ts";
import { foldKeyword, resolveKeywords } from "../mail/keywords.ts";

/** Flags and labels that somebody names. */
export interface NamedFlags {
  /** System flags. */
  readonly mask: number;
  readonly keywords: readonly string[];
}

const keptMask = answeredFlag | flaggedFlag;

/** Those of an entry, with `own` of the new place. */
export async function keptFlags(
  tx: Sql,
  agent: AgentNumber,
  { flags, keywords }: Pick<HeldEntry, "flags" | "keywords">,
  own: number,
): Promise<FlagState> {
  const held = keywordNumbers({ mask: flags, overflow: keywords });
  const approved = held.length === 0 ? undefined : await approvedKeywordNumber(tx, agent);
  return flagState(
    (flags & keptMask) | own,
    held.filter((number) => number !== approved),
  );
}

/** Those that an archive names. */
export function archivedFlags(
  tx: Sql,
  agent: AgentNumber,
  { mask, keywords }: NamedFlags,
  own: number,
): Promise<FlagState> {
  return namedFlags(tx, agent, { mask: (mask & keptMask) | own, keywords });
}

/** Those that a mail program gives. */
export async function namedFlags(
  tx: Sql,
  agent: AgentNumber,
  { mask, keywords }: NamedFlags,
): Promise<FlagState> {
  const approved = foldKeyword(approvedKeyword);
  const { numbers } = await resolveKeywords(
    tx,
    agent,
    keywords.filter((name) => foldKeyword(name) !== approved),
    true,
  );
  return flagState(mask, numbers);
}

export async function approvedKeywordNumber(tx: Sql, agent: AgentNumber): Promise<number | undefined> {
  return (await resolveKeywords(tx, agent, [approvedKeyword], false)).numbers[0];
}
