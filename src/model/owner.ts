/** For whom work is done, memory is held or a connection counts: the network of a stranger, or the mailbox that has logged in
 *  with the account above it. Shares are counted by it, and what waits goes in turns of it. */
import { networkOf } from "./network.ts";
import type { AccountNumber, AgentNumber } from "./numbers.ts";

export interface Owner {
  readonly key: string;
  /** The account of a mailbox: mailboxes of one account take one turn among the accounts and networks. */
  readonly above?: string;
  /** No share applies to it, only the total. It takes turns as every other. */
  readonly isExempt?: boolean;
}

/** What this server does by itself. */
export const houseOwner: Owner = { key: "house", isExempt: true };
/** The tools of this host. */
const loopbackOwner: Owner = { key: "network loopback", isExempt: true };

export function addressOwner(remoteAddress: string): Owner {
  return networkOwner(networkOf(remoteAddress));
}

/** `network` as `networkOf` answers it. */
export function networkOwner(network: string | undefined): Owner {
  return network === undefined ? loopbackOwner : { key: `network ${network}` };
}

export function mailboxOwner(login: { readonly agent: AgentNumber; readonly account: AccountNumber }): Owner {
  return { key: `mailbox ${login.agent}`, above: `account ${login.account}` };
}
