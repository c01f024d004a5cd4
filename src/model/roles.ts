/** What a mailbox is for: the special-use attributes of RFC 6154, and INBOX. */
export const mailboxRoles = {
  inbox: { name: "INBOX", attribute: undefined },
  drafts: { name: "Drafts", attribute: "\\Drafts" },
  sent: { name: "Sent", attribute: "\\Sent" },
  archive: { name: "Archive", attribute: "\\Archive" },
  junk: { name: "Junk", attribute: "\\Junk" },
  trash: { name: "Trash", attribute: "\\Trash" },
} as const;
export type MailboxRole = keyof typeof mailboxRoles;

export function isMailboxRole(text: string): text is MailboxRole {
  return Object.hasOwn(mailboxRoles, text);
}

export const hierarchyDelimiter = "/";

/** Scopes of a token ("Scopes, grants, limits" of the interface); `:read` narrows one to reading. */
export const scopes = [
  "mail",
  "mail:read",
  "send",
  "calendar",
  "calendar:read",
  "contacts",
  "contacts:read",
  "approve",
  "raw",
] as const;
export type Scope = (typeof scopes)[number];
export const defaultScopes: readonly Scope[] = ["mail", "send", "calendar", "contacts"];
