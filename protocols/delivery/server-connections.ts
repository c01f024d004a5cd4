/** How many connections there are to one address of other servers, for whatever domains: many domains may have the same server. A
 *  lane whose server has as many as it may have waits without a carrier, in turns of the owners. */
import { FairQueue } from "#/src/fairness/fair-queue.ts";
import type { Gate } from "#/src/fairness/gate.ts";
import type { Owner } from "#/src/model/owner.ts";

export interface ServerConnections {
  /** Counts a connection of a lane until it is disposed. undefined when the address has as many as it may have, or when others wait
   *  for it. */
  tryEnter(address: string, lane: string): Disposable | undefined;
  /** From now on the lane waits for a connection to the address. `owner`: of the mail that it begins with. */
  wait(address: string, lane: string, owner: Owner): void;
  /** Whether a lane waits for a connection to the address. */
  isWanted(address: string): boolean;
  /** For each address that has room, lets one lane go of those that wait. It is called whenever an attempt has ended: a lane that
   *  was let go may not have come to the address. */
  wake(): void;
}

interface Waiting {
  readonly owner: Owner;
  readonly lane: string;
}

/** `go`: a lane may be tried again. */
export function createServerConnections(gate: Gate, go: (lane: string) => void): ServerConnections {
  /** By address; none is empty. */
  const waiting = new Map<string, FairQueue<Waiting>>();
  /** Lanes that had their turn to wait. */
  const called = new Set<string>();

  function wake(): void {
    for (const [address, queue] of [...waiting]) {
      if (gate.look(serverOwner(address)) !== undefined) continue;
      const item = queue.shift();
      if (queue.isEmpty) waiting.delete(address);
      if (item === undefined) continue;
      called.add(item.lane);
      go(item.lane);
    }
  }

  return {
    tryEnter(address, lane) {
      if (waiting.size === 0) called.clear();
      if (waiting.has(address) && !called.has(lane)) return undefined;
      const place = gate.enterNow(serverOwner(address));
      if (typeof place === "string") return undefined;
      called.delete(lane);
      return {
        [Symbol.dispose]() {
          place[Symbol.dispose]();
          wake();
        },
      };
    },
    wait(address, lane, owner) {
      called.delete(lane);
      const queue = waiting.get(address) ?? new FairQueue<Waiting>();
      waiting.set(address, queue);
      queue.push({ owner, lane });
    },
    isWanted: (address) => waiting.has(address),
    wake,
  };
}

/** The owner of connections to a server is the server. */
function serverOwner(address: string): Owner {
  return { key: `server ${address}` };
}
