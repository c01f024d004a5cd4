/** Whose mail a credential reaches, for streams: thousands of them are told of one commit, and those that belong to the same
 *  credential in the same turn of the loop have the same answer. Nothing is kept longer than that, so what is revoked is
 *  heard of with the next event. */
import type { Principal } from "#/src/accounts/accounts.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type ReachedAgent, reachableAgents } from "./reach.ts";
import type { JsonRooms } from "./rooms.ts";

export type ReachedAgents = ReadonlyMap<AgentNumber, ReachedAgent>;

export interface ReachMemo {
  /** Every agent whose mail may be read. Throws `unauthorized` once the credential is revoked or expired. */
  listReadable(principal: Principal): Promise<ReachedAgents>;
}

export function createReachMemo(rooms: JsonRooms): ReachMemo {
  const ofThisTurn = new Map<string, Promise<ReachedAgents>>();

  async function ask(principal: Principal): Promise<ReachedAgents> {
    await rooms.accounts.assertCurrent(principal);
    const reached = await reachableAgents({ rooms, principal }, "mail:read");
    return new Map(reached.map((one) => [one.agent, one]));
  }

  return {
    listReadable(principal) {
      const { kind, number } = principal.credential;
      const name = `${kind}:${number}:${principal.agent}`;
      const known = ofThisTurn.get(name);
      if (known !== undefined) return known;
      if (ofThisTurn.size === 0) setImmediate(() => ofThisTurn.clear());
      const asked = ask(principal);
      ofThisTurn.set(name, asked);
      return asked;
    },
  };
}
