import { mailboxRoles } from "#/src/model/roles.ts";
import type { ReachedMailbox } from "#/src/reach/mailbox-access.ts";

/** The attribute (RFC 6154) that says what a mailbox of one's own is for. */
export function specialUse(mailbox: ReachedMailbox | undefined): string | undefined {
  return mailbox?.role === undefined || !mailbox.isOwn ? undefined : mailboxRoles[mailbox.role].attribute;
}
