/** Changes of one event of an account in this process come one after another: each is computed from calendars of several of its owners, and two at
 *  a time would overrule each other. Other accounts get mail, as other servers do: whoever learns the UID of an event there stops nobody. Daemons
 *  that share a store find out by the write. */
import type { Accounts } from "#/src/accounts/accounts.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";

const last = new Map<string, Promise<unknown>>();

export interface Turn {
  /** The owner of a calendar that has the event. */
  readonly agent: AgentNumber;
  /** Of the event; undefined for one that is not there yet. */
  readonly uid: string | undefined;
}

export async function inTurn<R>(
  accounts: Pick<Accounts, "findAgentFacts">,
  { agent, uid }: Turn,
  work: () => Promise<R>,
): Promise<R> {
  const facts = uid === undefined ? undefined : await accounts.findAgentFacts(agent);
  if (facts === undefined) return work();
  const key = `${facts.account} ${uid}`;
  const before = last.get(key);
  const done = (before ?? Promise.resolve()).then(work, work);
  last.set(key, done);
  try {
    return await done;
  } finally {
    if (last.get(key) === done) last.delete(key);
  }
}
