/** Who is behind calendar user addresses (RFC 6638 section 2.4.1): mailboxes of this server, by mail address or principal URL. */

import type { Accounts, AgentFacts, Principal } from "#/src/accounts/accounts.ts";
import { hasScope } from "#/src/accounts/principal.ts";
import { unfoldedOctets } from "#/src/formats/content-lines/unfold.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { IdCodec } from "#/src/model/ids.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type CalendarAddress, mailAddressOf, readCalendarAddress } from "./calendar-address.ts";

export interface CalendarUserRooms {
  readonly accounts: Accounts;
  readonly ids: IdCodec;
}

/** local: calendars of these agents. mail: it leaves as mail. unknown: nobody has the address. full: there is no room for it. */
export type CalendarUser =
  | { readonly kind: "local"; readonly agents: readonly AgentNumber[] }
  | { readonly kind: "mail" }
  | { readonly kind: "unknown" }
  | { readonly kind: "full" };

export const principalPath = "/dav/principals/";
/** Addresses of one text that are asked for being the owner's: each is a read or two. */
const askedMax = 500;

/** Whom a message to an address reaches. Mailboxes of other accounts are as far away as those of other servers. */
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
  // One who has no room keeps nobody else from being invited.
  return isFull ? { kind: "full" } : { kind: "local", agents: found.recipients.map(({ agent }) => agent) };
}

async function resolve(accounts: Accounts, address: string) {
  try {
    return await accounts.resolveRecipient(address);
  } catch (error) {
    // No address of mail.
    if (isWaypostError(error) && error.code === "invalid") return { kind: "unknown" as const };
    throw error;
  }
}

function agentOfPath(ids: IdCodec, address: CalendarAddress): AgentNumber | undefined {
  const at = address.lastIndexOf(principalPath);
  const name = at < 0 ? undefined : ids.decode(address.slice(at + principalPath.length));
  return name?.kind === "agent" ? name.agent : undefined;
}

/** All addresses of a calendar's owner that matter for these texts: the own ones, and those in them that lead to the owner (aliases,
 *  tags, the catch-all). `known`: addresses under which a message has come. */
export async function listOwnAddresses(
  { accounts, ids }: CalendarUserRooms,
  { agent, addresses }: Pick<AgentFacts, "agent" | "addresses">,
  texts: readonly (Uint8Array | undefined)[],
  known: readonly string[] = [],
): Promise<CalendarAddress[]> {
  const own = new Set([...addresses, ...known].map((one) => readCalendarAddress(`mailto:${one}`)));
  own.add(readCalendarAddress(`${principalPath}${ids.encode("agent", agent)}`));
  const domains = new Set(addresses.map((one) => one.slice(one.lastIndexOf("@") + 1).toLowerCase()));
  for (const named of listNamed(texts)) {
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

/** Whatever looks like an address; what is none leads to nobody. */
function listNamed(texts: readonly (Uint8Array | undefined)[]): Set<CalendarAddress> {
  const named = new Set<CalendarAddress>();
  for (const text of texts) {
    if (text === undefined) continue;
    for (const [, address] of unfoldedOctets(text).matchAll(/mailto:([^\s"';:,\\]{1,320})/gi)) {
      if (named.size >= askedMax) return named;
      if (address!.includes("@")) named.add(readCalendarAddress(`mailto:${address}`));
    }
  }
  return named;
}

/** Whether a login may send mail from somebody's mailbox. */
export async function maySendFor(
  { accounts }: Pick<CalendarUserRooms, "accounts">,
  principal: Principal,
  agent: AgentNumber,
): Promise<boolean> {
  const reach = await accounts.listReach(principal);
  return reach.some((one) => one.agent === agent && hasScope(one.scopes, "send"));
}
