import { messagesMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import type { Store } from "#/storage/store.ts";
import type { Mailbox } from "./mailboxes.ts";

/** Usage and limits of an agent's mailboxes. */
export interface Quota {
  readonly byteCount: number;
  /** undefined: no limit. */
  readonly byteLimit: number | undefined;
  readonly messageCount: number;
  readonly messageLimit: number;
}

export interface MailQuota {
  /** undefined if there is no such agent. */
  readQuota(agent: AgentNumber): Promise<Quota | undefined>;
  /** Octets that an EXPUNGE would free. */
  countDeletedBytes(mailbox: Pick<Mailbox, "agent" | "number" | "deletedCount">): Promise<number>;
}

export function createMailQuota(store: Store): MailQuota {
  return {
    async readQuota(agent) {
      const row = await findAgent(store, agent);
      if (row === undefined) return undefined;
      const { byteCount, quotaBytes, messageCount } = row;
      return { byteCount, byteLimit: quotaBytes || undefined, messageCount, messageLimit: messagesMax };
    },
    async countDeletedBytes({ agent, number, deletedCount }) {
      return deletedCount === 0 ? 0 : store.scan("deletedBytes", { agent, mailbox: number });
    },
  };
}
