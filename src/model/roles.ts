/** Roles of mailboxes: the special-use attributes of RFC 6154, INBOX, and the mailboxes of mail that waits for approval. */
export const mailboxRoles = {
  inbox: { name: "INBOX", attribute: undefined },
  drafts: { name: "Drafts", attribute: "\\Drafts" },
  sent: { name: "Sent", attribute: "\\Sent" },
  archive: { name: "Archive", attribute: "\\Archive" },
  junk: { name: "Junk", attribute: "\\Junk" },
  trash: { name: "Trash", attribute: "\\Trash" },
  scheduled: { name: "Scheduled", attribute: "\\Scheduled" },
  holds: { name: "Holds/Waiting", attribute: undefined },
  holds_approved: { name: "Holds/Approved", attribute: undefined },
  holds_declined: { name: "Holds/Declined", attribute: undefined },
} as const;
export type MailboxRole = keyof typeof mailboxRoles;

/** Mailboxes that every owner has from the start. */
export const standardRoles = [
  "inbox",
  "drafts",
  "sent",
  "archive",
  "junk",
  "trash",
] as const satisfies readonly MailboxRole[];

/** Agents have these mailboxes, and people in whose calendars an agent writes; only mail of holds is put into them. */
export const holdRoles = [
  "holds",
  "holds_approved",
  "holds_declined",
] as const satisfies readonly MailboxRole[];
export type HoldRole = (typeof holdRoles)[number];
/** The parent mailbox of these. */
export const holdsName = "Holds";

export function isHoldRole(role: string | null | undefined): role is HoldRole {
  return (holdRoles as readonly (string | null | undefined)[]).includes(role);
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
