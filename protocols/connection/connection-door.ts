/** How many connections a role of the server (relay, submission, IMAP, HTTP) has open, and for whom each of them counts: before a
 *  login for the network that it comes from, after it for the mailbox that logged in and the account above it. So one network
 *  cannot keep others from logging in, and who has logged in is not kept out by strangers of the same network. */
import type { Socket } from "node:net";
import type { Principal } from "#/src/accounts/principal.ts";
import type { Amounts } from "#/src/fairness/fairness.ts";
import type { Gate, Place, Refusal } from "#/src/fairness/gate.ts";
import { networkOf } from "#/src/model/network.ts";
import { mailboxOwner, networkOwner, type Owner } from "#/src/model/owner.ts";

/** Who has logged in on a connection. */
export type ConnectionOwner = Pick<Principal, "agent" | "account">;

/** The limit that a new connection met: that of the role, or that of its network. */
export type DoorRefusal = "role_full" | "network_full";

export interface ConnectionDoor {
  enter(socket: Socket): ConnectionPlace | DoorRefusal;
}

/** What one open connection counts for. */
export interface ConnectionPlace {
  /** The network, or the mailbox that has logged in. */
  readonly owner: Owner;
  readonly isClaimed: boolean;
  /** Counts for the owner from now on. False, and nothing has changed, when the mailbox or its account has its share. */
  claim(owner: ConnectionOwner): boolean;
  /** Counts for its network again. False, and nothing has changed, when the network has its share. */
  giveBack(): boolean;
  /** The connection is idle from now on, and ends with the call when a connection of others finds no room; or it is busy, if there
   *  is no call. One that has logged in never has to end. */
  giveWay(onTaken: (() => void) | undefined): void;
  /** The connection has ended. */
  leave(): void;
}

interface ConnectionSettings {
  readonly maxConnections: number;
  readonly maxConnectionsPerNetwork: number;
  readonly maxConnectionsPerLogin: number;
}

/** Of a role with logins. */
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

/** Names the network of a connection; undefined for one that no network's share applies to. */
export type NameNetwork = (socket: Socket) => string | undefined;

/** `nameNetwork`: IPv4 /24 or IPv6 /64 if not said, and loopback none: it is the tools and proxies of this host. */
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
