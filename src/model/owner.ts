/** Owners of work, memory and connections: the network of a client without login, or the mailbox that has logged in, with its account.
 *  Shares are counted by owner, and waiting work takes turns by owner. */
import { networkOf } from "./network.ts";
import type { AccountNumber, AgentNumber } from "./numbers.ts";

export interface Owner {
  readonly key: string;
  /** The account of a mailbox: mailboxes of one account take one turn among the accounts and networks. */
  readonly above?: string;
  /** No share applies to this owner, only the total. It takes turns like every other owner. */
  readonly isExempt?: boolean;
}

/** The owner of work that the server does by itself. */
export const houseOwner: Owner = { key: "house", isExempt: true };
/** The owner for tools of this host. */
const loopbackOwner: Owner = { key: "network loopback", isExempt: true };

export function addressOwner(remoteAddress: string): Owner {
  return networkOwner(networkOf(remoteAddress));
}

/** `network`: the result of `networkOf`. */
export function networkOwner(network: string | undefined): Owner {
  return network === undefined ? loopbackOwner : { key: `network ${network}` };
}

export function mailboxOwner(login: { readonly agent: AgentNumber; readonly account: AccountNumber }): Owner {
  return { key: `mailbox ${login.agent}`, above: `account ${login.account}` };
}
