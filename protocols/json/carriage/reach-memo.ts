/** Which agents' mail a credential may read, for streams. One commit concerns thousands of streams, and all streams of a credential
 *  have the same answer. It is kept until the next commit that changes mail or reach, and at most half a second. Revoking a
 *  credential or a grant is such a commit. */
import type { Principal } from "#/src/accounts/accounts.ts";
import { forEverybody } from "#/src/model/caller.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type ReachedData, reachableAgents } from "#/src/reach/agents.ts";
import { notBillable } from "../errors.ts";
import type { JsonRooms } from "../rooms.ts";

export type ReachedAgents = ReadonlyMap<AgentNumber, ReachedData>;

export interface ReachMemo {
  /** Every agent whose mail may be read. Throws `unauthorized` once the credential is revoked or expired, `not_billable` once its
   *  account cannot incur usage. */
  listReadable(principal: Principal): Promise<ReachedAgents>;
}

/** Shorter than the shortest quiet interval after which a stream checks its credential again. */
const momentMs = 500;

interface Answer {
  readonly at: number;
  readonly reached: Promise<ReachedAgents>;
}

export function createReachMemo(rooms: JsonRooms): ReachMemo {
  const answers = new Map<string, Answer>();
  let commitCount = -1;

  async function ask(principal: Principal): Promise<ReachedAgents> {
    await rooms.accounts.assertCurrent(principal);
    const facts = await rooms.accounts.findAgentFacts(principal.agent);
    if (facts?.isBillable !== true) throw notBillable();
    const reached = await reachableAgents({ rooms, principal }, "mail:read");
    return new Map(reached.map((one) => [one.agent, one]));
  }

  return {
    listReadable(principal) {
      const present = rooms.feed.commitCount();
      if (present !== commitCount) answers.clear();
      commitCount = present;
      const { kind, number } = principal.credential;
      const name = `${kind}:${number}:${principal.agent}`;
      const now = performance.now();
      const known = answers.get(name);
      const { expiresAt = Number.POSITIVE_INFINITY } = principal.credential;
      const isKept = known !== undefined && now - known.at < momentMs;
      if (isKept && rooms.mail.clock.now() < expiresAt) return known.reached;
      const reached = forEverybody(() => ask(principal));
      answers.set(name, { at: now, reached });
      return reached;
    },
  };
}
