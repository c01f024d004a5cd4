/** Roles of mailboxes: the special-use attributes of RFC 6154, INBOX, and the mailboxes of mail that waits for approval. */

interface RoleDeclaration {
  readonly name: string;
  /** By which IMAP shows it (RFC 6154). */
  readonly attribute: `\\${string}` | undefined;
  /** Every owner has it from the start, or clients make it (CREATE with USE), or the server makes it when it needs it first. */
  readonly made: "from the start" | "by clients" | "by the server";
  /** Whether `/v1` names the folder by it ("Names"); of one that it does not name so it shows the path alone. */
  readonly isNamed: boolean;
}

const standard = { made: "from the start", isNamed: true } as const;

export const mailboxRoles = {
  inbox: { name: "INBOX", attribute: undefined, ...standard },
  drafts: { name: "Drafts", attribute: "\\Drafts", ...standard },
  sent: { name: "Sent", attribute: "\\Sent", ...standard },
  archive: { name: "Archive", attribute: "\\Archive", ...standard },
  junk: { name: "Junk", attribute: "\\Junk", ...standard },
  trash: { name: "Trash", attribute: "\\Trash", ...standard },
  scheduled: { name: "Scheduled", attribute: "\\Scheduled", made: "by the server", isNamed: true },
  holds: { name: "Holds/Waiting", attribute: undefined, made: "by the server", isNamed: true },
  holds_approved: { name: "Holds/Approved", attribute: undefined, made: "by the server", isNamed: false },
  holds_declined: { name: "Holds/Declined", attribute: undefined, made: "by the server", isNamed: false },
} as const satisfies Readonly<Record<string, RoleDeclaration>>;
export type MailboxRole = keyof typeof mailboxRoles;

const declared = Object.entries<RoleDeclaration>(mailboxRoles) as [MailboxRole, RoleDeclaration][];
const rolesThat = (isWanted: (role: RoleDeclaration) => boolean): readonly MailboxRole[] =>
  declared.filter(([, role]) => isWanted(role)).map(([name]) => name);

/** Mailboxes that every owner has from the start. */
export const standardRoles = rolesThat(({ made }) => made === "from the start");
/** Roles by which `/v1` names folders. */
export const namedRoles = rolesThat(({ isNamed }) => isNamed);
/** Roles that clients and other servers give mailboxes by an attribute, in small letters. */
export const roleOfAttribute: ReadonlyMap<string, MailboxRole> = new Map(
  declared.flatMap(([role, { attribute, made }]) =>
    attribute === undefined || made === "by the server" ? [] : [[attribute.toLowerCase(), role] as const],
  ),
);

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
