/** Resolves calendar user addresses (RFC 6638 section 2.4.1) to mailboxes of this server, by mail address or principal URL. */

import type { Accounts, AgentFacts, Principal } from "#/src/accounts/accounts.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { IdCodec } from "#/src/model/ids.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type CalendarAddress, mailAddressOf, readCalendarAddress } from "./calendar-address.ts";
import type { Schedulers } from "./schedulers.ts";

export interface CalendarUserRooms {
  readonly accounts: Accounts;
  readonly ids: IdCodec;
}

/** local: calendars of these agents. mail: the message is sent as mail. unknown: nobody has the address. full: the account is full. */
export type CalendarUser =
  | { readonly kind: "local"; readonly agents: readonly AgentNumber[] }
  | { readonly kind: "mail" }
  | { readonly kind: "unknown" }
  | { readonly kind: "full" };

export const principalPath = "/dav/principals/";

/** The receiver of a message to an address. Mailboxes of other accounts get mail, like those of other servers. */
export async function findCalendarUser(
  { accounts, ids }: CalendarUserRooms,
  address: CalendarAddress,
  account: AgentFacts["account"],
  neededBytes = 0,
): Promise<CalendarUser> {
  const mail = mailAddressOf(address);
  if (mail === undefined) {
    const agent = agentOfPath(ids, address);
    const facts = agent && (await accounts.findAgentFacts(agent));
    return facts?.account === account ? { kind: "local", agents: [facts.agent] } : { kind: "unknown" };
  }
  const found = await resolve(accounts, mail);
  if (found.kind === "unknown") return found;
  const isNear = found.kind === "local" && found.recipients.every((one) => one.account === account);
  if (!isNear) return { kind: "mail" };
  const isFull = found.recipients.some(
    ({ byteCount, quotaBytes }) =>
      quotaBytes !== null && quotaBytes > 0 && byteCount + neededBytes > quotaBytes,
  );
  // A full mailbox does not prevent the invitation of others.
  return isFull ? { kind: "full" } : { kind: "local", agents: found.recipients.map(({ agent }) => agent) };
}

async function resolve(accounts: Accounts, address: string) {
  try {
    return await accounts.resolveRecipient(address);
  } catch (error) {
    // Not a mail address.
    if (isWaypostError(error) && error.code === "invalid") return { kind: "unknown" as const };
    throw error;
  }
}

function agentOfPath(ids: IdCodec, address: CalendarAddress): AgentNumber | undefined {
  const at = address.lastIndexOf(principalPath);
  const name = at < 0 ? undefined : ids.decode(address.slice(at + principalPath.length));
  return name?.kind === "agent" ? name.agent : undefined;
}

/** All addresses of a calendar's owner for these texts: the owner's own, and those in the texts that are delivered to the owner
 *  (aliases, tags, the catch-all). `known`: addresses to which a message came. */
export async function listOwnAddresses(
  { accounts, ids, schedulers }: CalendarUserRooms & { readonly schedulers: Schedulers },
  { agent, addresses }: Pick<AgentFacts, "agent" | "addresses">,
  texts: readonly (Uint8Array | undefined)[],
  known: readonly string[] = [],
): Promise<CalendarAddress[]> {
  const own = new Set([...addresses, ...known].map((one) => readCalendarAddress(`mailto:${one}`)));
  own.add(readCalendarAddress(`${principalPath}${ids.encode("agent", agent)}`));
  const domains = new Set(addresses.map((one) => one.slice(one.lastIndexOf("@") + 1).toLowerCase()));
  const written = texts.filter((text) => text !== undefined);
  const found = written.length > 0 ? await schedulers.run({ kind: "name", texts: written }) : undefined;
  for (const named of found?.outcome === "named" ? found.addresses : []) {
    const mail = mailAddressOf(named)!;
    if (own.has(named) || !domains.has(mail.slice(mail.lastIndexOf("@") + 1))) continue;
    if (await isOwn(accounts, agent, mail)) own.add(named);
  }
  return [...own];
}

async function isOwn(accounts: Accounts, agent: AgentNumber, mail: string): Promise<boolean> {
  try {
    return await accounts.isOwnAddress({ agent }, mail);
  } catch (error) {
    if (isWaypostError(error) && error.code === "invalid") return false;
    throw error;
  }
}

/** Who adds participants to a person's calendar, if it is not the person: the agent or program that writes, or the agent from whose
 *  calendar it is copied. */
export async function findAdder(
  { accounts }: Pick<CalendarUserRooms, "accounts">,
  { agent, principal }: { readonly agent: AgentNumber; readonly principal: Principal },
  copiedFrom: AgentNumber | undefined,
): Promise<string | undefined> {
  const owner = await accounts.findAgentFacts(agent);
  if (owner?.kind !== "person") return undefined;
  if (principal.kind === "agent" || principal.author.kind === "program") return principal.address;
  const source =
    copiedFrom === undefined || copiedFrom === agent ? undefined : await accounts.findAgentFacts(copiedFrom);
  return source?.kind === "agent" ? source.address : undefined;
}
