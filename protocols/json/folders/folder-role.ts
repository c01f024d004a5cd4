import { type MailboxRole, standardRoles } from "#/src/model/roles.ts";

/** Roles that the interface names folders by ("Names"); where decided holds are goes by its path. */
const namedRoles: readonly MailboxRole[] = [...standardRoles, "scheduled", "holds"];

/** `{ role }` of a folder that has one. */
export function roleField(role: MailboxRole | undefined): { readonly role?: MailboxRole } {
  return role !== undefined && namedRoles.includes(role) ? { role } : {};
}
