/** Counts the open connections of a role of the server (relay, submission, IMAP, HTTP). Before a login a connection counts for the
 *  network that it comes from, after it for the mailbox that logged in and its account. So one network cannot keep others from
 *  logging in, and strangers in a network do not block those of the same network who have logged in. */
import type { Socket } from "node:net";
import type { Principal } from "#/src/accounts/principal.ts";
import type { Amounts } from "#/src/fairness/fairness.ts";
import type { Gate, Place, Refusal } from "#/src/fairness/gate.ts";
import { networkOf } from "#/src/model/network.ts";
import { mailboxOwner, networkOwner, type Owner } from "#/src/model/owner.ts";

/** The mailbox that has logged in on a connection, and its account. */
export type ConnectionOwner = Pick<Principal, "agent" | "account">;

/** The limit that refused a new connection: that of the role, or that of its network. */
export type DoorRefusal = "role_full" | "network_full";

export interface ConnectionDoor {
  enter(socket: Socket): ConnectionPlace | DoorRefusal;
}

/** The place of one open connection. */
export interface ConnectionPlace {
  /** The network, or the mailbox that has logged in: the connection counts for it. */
  readonly owner: Owner;
  readonly isClaimed: boolean;
  /** Counts the connection for this owner from now on. False, without a change, if the mailbox or its account has its share already. */
  claim(owner: ConnectionOwner): boolean;
  /** Counts the connection for its network again. False, without a change, if the network has its share already. */
  giveBack(): boolean;
  /** With a function: the connection is idle from now on, and the function is called to end it when another owner's new connection
   *  finds no place. With undefined: the connection is busy. A connection that has logged in is never ended this way. */
  giveWay(onTaken: (() => void) | undefined): void;
  /** The connection has ended. */
  leave(): void;
}

interface ConnectionSettings {
  readonly maxConnections: number;
  readonly maxConnectionsPerNetwork: number;
  readonly maxConnectionsPerLogin: number;
}

/** The amounts for a role with logins. */
export function connectionAmounts(
  role: ConnectionSettings,
  { connectionsShareOfAccount }: { readonly connectionsShareOfAccount: number },
): Amounts {
  const total = role.maxConnections;
  return {
    total,
    share: role.maxConnectionsPerNetwork,
    mailboxShare: role.maxConnectionsPerLogin,
    accountShare: Math.max(1, Math.floor(total * connectionsShareOfAccount)),
  };
}

/** Gives the network of a connection; undefined for one to which no share of a network applies. */
export type NameNetwork = (socket: Socket) => string | undefined;

/** `nameNetwork`: by default IPv4 /24 or IPv6 /64. Loopback has no network: such connections are tools and proxies of this host. */
export function createConnectionDoor(gate: Gate, nameNetwork: NameNetwork = addressNetwork): ConnectionDoor {
  return {
    enter(socket) {
      const network = networkOwner(nameNetwork(socket));
      const place = gate.tryEnter(network);
      return typeof place === "string" ? doorRefusals[place] : new OpenPlace(place);
    },
  };
}

const doorRefusals = {
  total: "role_full",
  share: "network_full",
  account: "role_full",
} as const satisfies Record<Refusal, DoorRefusal>;

class OpenPlace implements ConnectionPlace {
  readonly #place: Place;
  readonly #network: Owner;
  #onTaken: (() => void) | undefined;

  constructor(place: Place) {
    this.#place = place;
    this.#network = place.owner;
  }

  get owner(): Owner {
    return this.#place.owner;
  }

  get isClaimed(): boolean {
    return this.#place.owner !== this.#network;
  }

  claim(login: ConnectionOwner): boolean {
    const owner = mailboxOwner(login);
    if (this.owner.key === owner.key) return true;
    if (this.#place.moveTo(owner) !== undefined) return false;
    this.#place.giveWay(undefined);
    return true;
  }

  giveBack(): boolean {
    if (!this.isClaimed) return true;
    if (this.#place.moveTo(this.#network) !== undefined) return false;
    this.#place.giveWay(this.#onTaken);
    return true;
  }

  giveWay(onTaken: (() => void) | undefined): void {
    this.#onTaken = onTaken;
    if (!this.isClaimed) this.#place.giveWay(onTaken);
  }

  leave(): void {
    this.#place[Symbol.dispose]();
  }
}

function addressNetwork(socket: Socket): string | undefined {
  return networkOf(socket.remoteAddress ?? "");
}
