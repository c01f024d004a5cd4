import { type MailboxRole, standardRoles } from "#/src/model/roles.ts";

/** Roles by which the interface names folders ("Names"). The folders of decided holds have no such name, only a path. */
const namedRoles: readonly MailboxRole[] = [...standardRoles, "scheduled", "holds"];

/** `{ role }` of a folder that has one. */
export function roleField(role: MailboxRole | undefined): { readonly role?: MailboxRole } {
  return role !== undefined && namedRoles.includes(role) ? { role } : {};
}
