import { type MailboxRole, namedRoles } from "#/src/model/roles.ts";

/** `{ role }` of a folder that has one by which the interface names it. */
export function roleField(role: MailboxRole | undefined): { readonly role?: MailboxRole } {
  return role !== undefined && namedRoles.includes(role) ? { role } : {};
}
