import type { NumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import type { Reader } from "#/storage/store.ts";
import type { Entries } from "../entries.ts";
import type { MessageBytes } from "../message-bytes.ts";
import { sortMessages } from "./sort.ts";
import type { ScoreCriterion, SortCriterion } from "./sort-keys.ts";
import { type ThreadAlgorithm, threadMessages } from "./thread.ts";
import type { ThreadNode } from "./thread-tree.ts";

export interface MailOrdering {
  /** The existing UIDs of the set, in the order of the criteria. */
  sortMessages(
    agent: AgentNumber,
    mailbox: MailboxNumber,
    uids: NumberSet,
    criteria: readonly (SortCriterion | ScoreCriterion)[],
  ): Promise<readonly number[]>;
  /** The existing messages of the set, as threads. A thread may be as deep as it has messages. */
  threadMessages(
    agent: AgentNumber,
    mailbox: MailboxNumber,
    uids: NumberSet,
    algorithm: ThreadAlgorithm,
  ): Promise<readonly ThreadNode[]>;
}

export function createMailOrdering(store: Reader, entries: Entries, bytes: MessageBytes): MailOrdering {
  return {
    sortMessages: (agent, mailbox, uids, criteria) => sortMessages(entries, agent, mailbox, uids, criteria),
    threadMessages: (agent, mailbox, uids, algorithm) =>
      threadMessages(store, bytes, agent, mailbox, uids, algorithm),
  };
}
