/** Rights on a mailbox (RFC 4314 section 2.1), derived from scopes and grants. Only this file defines who may do what.
 *
 *  l see it, r read it, s change \Seen, w change other flags, i put messages in, t change \Deleted, e expunge,
 *  k create mailboxes below it, x delete or rename it. Nobody has `a`: only the operator gives rights. Nobody has `p`: mailboxes have
 *  no addresses to which mail could be posted. */

import { hasScope, type Reach } from "#/src/accounts/principal.ts";
import type { MailboxNumber } from "#/src/model/numbers.ts";
import { hierarchyDelimiter, holdsName, isHoldRole, type MailboxRole } from "#/src/model/roles.ts";

export type Right = "l" | "r" | "s" | "w" | "i" | "k" | "x" | "t" | "e";
export type Rights = ReadonlySet<Right>;

const order: readonly Right[] = ["l", "r", "s", "w", "i", "k", "x", "t", "e"];
const reading: readonly Right[] = ["l", "r"];
const writing: readonly Right[] = ["l", "r", "s", "w", "i", "t", "e"];

const allRights: Rights = new Set(order);
const noRights: Rights = new Set();

/** The sets of rights that an operator's grant can give: to read, to change messages, to change mailboxes. */
export const grantableRights: readonly Rights[] = [
  new Set(reading),
  new Set(writing.filter((right) => !reading.includes(right))),
  new Set(order.filter((right) => !writing.includes(right))),
];

/** The rights that reach gives on a mailbox; undefined stands for a future mailbox. Creating and deleting mailboxes needs reach to all
 *  mailboxes. */
export function rightsOf(
  { scopes, objects }: Pick<Reach, "scopes" | "objects">,
  mailbox: MailboxNumber | undefined,
): Rights {
  const reached = objects.mailbox;
  if (reached !== "all" && (mailbox === undefined || !reached.has(mailbox))) return noRights;
  if (hasScope(scopes, "mail")) return reached === "all" ? allRights : new Set(writing);
  return hasScope(scopes, "mail:read") ? new Set(reading) : noRights;
}

/** The rights that can be used in a mailbox. Into Scheduled clients can put no mail. Only the server creates and deletes the mailboxes of
 *  holds, and only approvers put mail into those of decided holds. In all other mailboxes all rights can be used. */
export function usableRights(
  rights: Rights,
  mailbox: { readonly name: string; readonly role: MailboxRole | undefined },
  { ownerKind, canApprove }: { readonly ownerKind: Reach["kind"]; readonly canApprove: boolean },
): Rights {
  const { name, role } = mailbox;
  if (role === "scheduled") return rights.difference(new Set<Right>(["i"]));
  const isTop = name === holdsName;
  if (ownerKind !== "agent" || !(isTop || name.startsWith(holdsName + hierarchyDelimiter))) return rights;
  const unusable = new Set<Right>(["k"]);
  if (isTop || isHoldRole(role)) unusable.add("x");
  if (isHoldRole(role) && role !== "holds" && !canApprove) unusable.add("i");
  return rights.difference(unusable);
}

/** The union of rights, since several grants on one mailbox add up. */
export function uniteRights(all: readonly Rights[]): Rights {
  return new Set(order.filter((right) => all.some((rights) => rights.has(right))));
}
