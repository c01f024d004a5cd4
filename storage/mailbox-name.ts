/** Names of mailboxes (RFC 9051 section 5.1) as they are stored. */
import { WaypostError } from "#/src/model/errors.ts";
import { mailboxDepthMax, mailboxNameBytesMax } from "#/src/model/limits.ts";
import { hierarchyDelimiter, mailboxRoles } from "#/src/model/roles.ts";

const inboxName = mailboxRoles.inbox.name;

/** INBOX is case-insensitive, also as the first level of a name. Everything else is unchanged. */
export function canonicalMailboxName(name: string): string {
  const [first = "", ...rest] = name.split(hierarchyDelimiter);
  return [first.toUpperCase() === inboxName ? inboxName : first, ...rest].join(hierarchyDelimiter);
}

/** The stored form of the name for a new mailbox. Throws `invalid` for a name that a mailbox cannot have. */
export function assertMailboxName(name: string): string {
  const canonical = canonicalMailboxName(name);
  const fault = faultOf(canonical);
  if (fault !== undefined) throw new WaypostError("invalid", fault);
  return canonical;
}

/** Whether a mailbox can have the name. */
export function isMailboxName(name: string): boolean {
  return faultOf(canonicalMailboxName(name)) === undefined;
}

function faultOf(canonical: string): string | undefined {
  const levels = canonical.split(hierarchyDelimiter);
  if (levels.some((level) => level === "")) return "A level of a mailbox name is empty";
  if (levels.length > mailboxDepthMax) return `A mailbox is at most ${mailboxDepthMax} levels deep`;
  if (Buffer.byteLength(canonical) > mailboxNameBytesMax)
    return `A mailbox name has at most ${mailboxNameBytesMax} octets`;
  // An unpaired surrogate is stored as U+FFFD, so two names could become the same.
  if (!canonical.isWellFormed()) return "A mailbox name is Unicode text";
  if (hasControls(canonical)) return "A mailbox name has no control characters";
  return undefined;
}

/** The mailboxes above a name, from the top. */
export function parentNames(name: string): string[] {
  const levels = name.split(hierarchyDelimiter);
  return levels.slice(1).map((_, index) => levels.slice(0, index + 1).join(hierarchyDelimiter));
}

/** The names below a mailbox are those from the first up to, not including, the second. */
export function childNameRange(name: string): [first: string, end: string] {
  const afterDelimiter = String.fromCharCode(hierarchyDelimiter.charCodeAt(0) + 1);
  return [name + hierarchyDelimiter, name + afterDelimiter];
}

function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 32 || (code >= 127 && code < 160)) return true;
  }
  return false;
}
