import { BlockList, isIP, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import type { Settings } from "#/config/schema.ts";
import type { LocalRecipient, Resolution } from "#/src/accounts/accounts.ts";
import { parseAddress, parseDomain } from "#/src/accounts/address.ts";
import { findOwnDomain, roleNames } from "#/src/accounts/role-mailboxes.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { isPublicAddress } from "#/src/model/public-address.ts";
import { assertRoute } from "#/src/outbound/gate/route.ts";
import type { Store } from "#/storage/store.ts";
import type { RecipientLookup } from "./recent-recipients.ts";

/** One mailbox to which a message goes. */
export interface Recipient {
  readonly account: AccountNumber;
  readonly agent: AgentNumber;
  /** As the sender wrote it, so that the mailbox sees which alias or tag was used. */
  readonly address: string;
}

export interface AdmissionRooms {
  readonly store: Store;
  readonly recipients: RecipientLookup;
  readonly settings: Pick<Settings, "outbound" | "dns"> & {
    readonly server: { readonly hostname: string; readonly domain: string };
  };
}

export interface Copy extends Omit<Recipient, "address"> {
  readonly addresses: string[];
}

/** One copy for each mailbox, also when several of its addresses were named. The copy lists all of these addresses. */
export function copiesFor(recipients: readonly Recipient[]): Copy[] {
  const byAgent = new Map<AgentNumber, Copy>();
  for (const { account, agent, address } of recipients) {
    const copy = byAgent.get(agent);
    if (copy === undefined) byAgent.set(agent, { account, agent, addresses: [address] });
    else if (!copy.addresses.includes(address)) copy.addresses.push(address);
  }
  return [...byAgent.values()];
}

/** Where a forward path leads: to mailboxes of this server, or to another server. */
export type Admission =
  | { readonly kind: "local"; readonly recipients: readonly Recipient[] }
  | { readonly kind: "remote" };

export interface AdmissionFacts {
  /** The size that the client announces; 0 for none. Quota is checked only here: mail that was accepted is stored. */
  readonly sizeBytes: number;
  /** The address of a login that may send to other servers; undefined for mail from other servers. */
  readonly sender: string | undefined;
}

/** The mailboxes of a forward path, which is an address of a mailbox, an alias, a tagged address, or covered by a catch-all.
 *  Refuses an unknown address (`no_such_recipient`), a domain that this server does not serve (`relay_refused`), and a mailbox that is
 *  full (`over_quota`). */
export async function admitRecipient(
  rooms: AdmissionRooms,
  address: string,
  { sizeBytes, sender }: AdmissionFacts,
): Promise<Admission> {
  const resolution = await resolve(rooms, address);
  if (resolution.kind === "remote") return admitRemote(rooms, address, sender);
  if (resolution.kind === "unknown")
    throw new WaypostError("not_found", "There is no such mailbox.", { reason: "no_such_recipient" });
  for (const recipient of resolution.recipients) assertRoom(recipient, sizeBytes);
  const recipients = resolution.recipients.map(({ account, agent }) => ({ account, agent, address }));
  return { kind: "local", recipients };
}

function admitRemote({ settings }: AdmissionRooms, address: string, sender: string | undefined): Admission {
  if (sender === undefined)
    throw new WaypostError("policy_refused", "This server does not accept mail for that domain.", {
      reason: "relay_refused",
    });
  assertRoute(settings, parseAddress(sender)?.domain ?? "", [parseAddress(address)!]);
  return { kind: "remote" };
}

/** A role mailbox without a domain (RFC 5321 section 4.5.1), at this server's name, or at an address of this server, is the role
 *  mailbox of the domain in `server.domain`. */
async function resolve(rooms: AdmissionRooms, address: string): Promise<Resolution> {
  const at = address.lastIndexOf("@");
  const localPart = (at < 0 ? address : address.slice(0, at)).toLowerCase();
  const resolution: Resolution =
    at < 0 ? { kind: "unknown" } : await resolveAddress(rooms.recipients, address);
  if (resolution.kind === "local" || !roleNames.includes(localPart)) return resolution;
  if (at >= 0 && !isThisServer(rooms, address.slice(at + 1))) return resolution;
  const domain = await findOwnDomain(rooms.store, rooms.settings.server.domain);
  return domain === undefined ? resolution : resolveAddress(rooms.recipients, `${localPart}@${domain}`);
}

function isThisServer({ settings }: AdmissionRooms, domain: string): boolean {
  if (!domain.startsWith("[")) return parseDomain(domain) === parseDomain(settings.server.hostname);
  const literal = domain.slice(1, -1).replace(/^IPv6:/i, "");
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  // Behind address translation the public address is on no interface of this computer: then any public address is taken for it.
  const hasPublic = own.some(({ address }) => isPublicAddress(address));
  return (
    own.some(({ address }) => isSameAddress(address, literal)) || (!hasPublic && isPublicAddress(literal))
  );
}

function isSameAddress(address: string, literal: string): boolean {
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  if (isIP(literal) !== isIP(address)) return false;
  const list = new BlockList();
  list.addAddress(address, family);
  return list.check(literal, family);
}

/** An address that the grammar allows and no mailbox can have (an address literal, a local part of more than 64 octets) is unknown. */
async function resolveAddress(recipients: RecipientLookup, address: string): Promise<Resolution> {
  try {
    return await recipients.resolveRecipient(address);
  } catch (error) {
    if (isWaypostError(error) && error.code === "invalid") return { kind: "unknown" };
    throw error;
  }
}

function assertRoom({ byteCount, quotaBytes }: LocalRecipient, sizeBytes: number): void {
  if (quotaBytes && byteCount + sizeBytes > quotaBytes)
    throw new WaypostError("policy_refused", "The mailbox is full.", { reason: "over_quota" });
}
