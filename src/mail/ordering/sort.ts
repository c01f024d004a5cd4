/** SORT (RFC 5256): UIDs in the order of criteria. Messages that are equal in all of them are in the order of the mailbox. */
import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import type { NumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import type { Entries } from "../entries.ts";
import { sortInTurns } from "./sort-in-turns.ts";
import { facetOf, type ScoreCriterion, type SortCriterion, sortFacets, sortValue } from "./sort-keys.ts";

interface Sorted {
  readonly uid: number;
  /** The values of the criteria, in their order. */
  readonly values: readonly (string | number)[];
}

export async function sortMessages(
  entries: Entries,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  uids: NumberSet,
  criteria: readonly (SortCriterion | ScoreCriterion)[],
): Promise<number[]> {
  const rows: Sorted[] = [];
  const facets = sortFacets.filter((facet) => criteria.some(({ field }) => facetOf[field] === facet));
  for await (const page of entries.shownPages(agent, mailbox, uids, facets))
    for (const message of page)
      rows.push({ uid: message.uid, values: criteria.map((criterion) => sortValue(criterion, message)) });
  const sorted = await sortInTurns(rows, (a, b) => compareBy(criteria, a, b));
  const turns = new LoopTurns();
  const ordered: number[] = [];
  for (const { uid } of sorted) {
    ordered.push(uid);
    if (ordered.length % uidsPerLook === 0) await turns.turn();
  }
  return ordered;
}

const uidsPerLook = 5000;

/** Called some two million times for 100,000 messages. */
function compareBy(criteria: readonly (SortCriterion | ScoreCriterion)[], a: Sorted, b: Sorted): number {
  for (let at = 0; at < criteria.length; at++) {
    const { isReverse } = criteria[at]!;
    const one = a.values[at]!;
    const other = b.values[at]!;
    if (one !== other) return one < other === isReverse ? 1 : -1;
  }
  return a.uid - b.uid;
}
