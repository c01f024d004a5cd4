/** How many connections a role of the server (relay, submission, IMAP, HTTP) has open, and for whom each of them counts: before a
 *  login for the network that it comes from, after it for the mailbox that logged in and the account above it. So one network
 *  cannot keep others from logging in, and who has logged in is not kept out by strangers of the same network. */
import type { Socket } from "node:net";
import type { Logger } from "pino";
import { networkOf } from "#/src/accounts/login-limiter.ts";
import type { Principal } from "#/src/accounts/principal.ts";
import { createRefusalLog, type RefusalLog } from "./refusal-log.ts";

/** Who has logged in on a connection. */
export type ConnectionOwner = Pick<Principal, "agent" | "account">;

/** The limit that a new connection met: that of the role, or that of its network. */
export type DoorRefusal = "role_full" | "network_full";

export interface ConnectionDoor {
  enter(socket: Socket): ConnectionPlace | DoorRefusal;
}

/** What one open connection counts for. */
export interface ConnectionPlace {
  readonly isClaimed: boolean;
  /** Counts for the owner from now on. False, and nothing has changed, when the mailbox or its account has its share. */
  claim(owner: ConnectionOwner): boolean;
  /** Counts for its network again. False, and nothing has changed, when the network has its share. */
  giveBack(): boolean;
  /** The connection has ended. */
  leave(): void;
}

/** Names the network of a connection; undefined for one that no network's share applies to. */
export type NameNetwork = (socket: Socket) => string | undefined;

export interface DoorOptions {
  /** As the log names it. */
  readonly role: string;
  /** Connections in all. */
  readonly limit: number;
  /** Connections of one network that have not logged in. */
  readonly networkLimit: number;
  /** Connections of one mailbox that have logged in. */
  readonly mailboxLimit?: number;
  /** The part of `limit` that the logins of one account may have. */
  readonly accountShare?: number;
  /** IPv4 /24 or IPv6 /64, and loopback none: it is the tools and proxies of this host. */
  readonly nameNetwork?: NameNetwork | undefined;
  readonly log: Logger;
}

export function createConnectionDoor(options: DoorOptions): ConnectionDoor {
  const { role, limit, networkLimit, mailboxLimit, accountShare, log } = options;
  const nameNetwork = options.nameNetwork ?? addressNetwork;
  const counts: Counts = {
    networks: new OpenCounts(networkLimit),
    mailboxes: new OpenCounts(mailboxLimit ?? limit),
    accounts: new OpenCounts(Math.max(1, Math.floor(limit * (accountShare ?? 1)))),
    refusals: createRefusalLog(log, role),
  };
  let open = 0;
  return {
    enter(socket) {
      const network = nameNetwork(socket);
      const refusal = open >= limit ? "role_full" : counts.networks.add(network) ? undefined : "network_full";
      if (refusal !== undefined) {
        counts.refusals.note(network, refusal);
        return refusal;
      }
      open++;
      return new Place(counts, network, () => void open--);
    },
  };
}

interface Counts {
  readonly networks: OpenCounts<string>;
  readonly mailboxes: OpenCounts<number>;
  readonly accounts: OpenCounts<number>;
  readonly refusals: RefusalLog;
}

class Place implements ConnectionPlace {
  readonly #counts: Counts;
  readonly #network: string | undefined;
  readonly #onLeave: () => void;
  #owner: ConnectionOwner | undefined;
  #hasLeft = false;

  constructor(counts: Counts, network: string | undefined, onLeave: () => void) {
    this.#counts = counts;
    this.#network = network;
    this.#onLeave = onLeave;
  }

  get isClaimed(): boolean {
    return this.#owner !== undefined;
  }

  claim({ agent, account }: ConnectionOwner): boolean {
    if (this.#hasLeft || this.#owner?.agent === agent) return true;
    const { mailboxes, accounts, refusals } = this.#counts;
    const before = this.#owner;
    // What it counts for already is no reason to refuse it.
    if (before !== undefined) accounts.remove(before.account);
    const isFree = mailboxes.hasRoom(agent) && accounts.hasRoom(account);
    if (!isFree) {
      if (before !== undefined) accounts.add(before.account);
      refusals.note(this.#network, mailboxes.hasRoom(agent) ? "account_full" : "mailbox_full");
      return false;
    }
    mailboxes.add(agent);
    accounts.add(account);
    if (before === undefined) this.#counts.networks.remove(this.#network);
    else mailboxes.remove(before.agent);
    this.#owner = { agent, account };
    return true;
  }

  giveBack(): boolean {
    const owner = this.#owner;
    if (this.#hasLeft || owner === undefined) return true;
    if (!this.#counts.networks.add(this.#network)) {
      this.#counts.refusals.note(this.#network, "network_full");
      return false;
    }
    this.#removeOwner(owner);
    return true;
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    if (this.#owner === undefined) this.#counts.networks.remove(this.#network);
    else this.#removeOwner(this.#owner);
    this.#onLeave();
  }

  #removeOwner({ agent, account }: ConnectionOwner): void {
    this.#counts.mailboxes.remove(agent);
    this.#counts.accounts.remove(account);
    this.#owner = undefined;
  }
}

/** Open connections by a key, at most so many for each. Those without a key have no limit. */
class OpenCounts<Key> {
  readonly #limit: number;
  readonly #open = new Map<Key, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  hasRoom(key: Key | undefined): boolean {
    return key === undefined || (this.#open.get(key) ?? 0) < this.#limit;
  }

  /** Whether there was room. */
  add(key: Key | undefined): boolean {
    if (!this.hasRoom(key)) return false;
    if (key !== undefined) this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
    return true;
  }

  remove(key: Key | undefined): void {
    if (key === undefined) return;
    const left = this.#open.get(key)! - 1;
    if (left === 0) this.#open.delete(key);
    else this.#open.set(key, left);
  }
}

function addressNetwork(socket: Socket): string | undefined {
  return networkOf(socket.remoteAddress ?? "");
}
