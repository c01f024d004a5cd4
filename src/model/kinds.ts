/** The kinds of objects that there are, each declared once: how it is named, what the log says of it, and how a grant names it. Identifiers
 *  (`ids.ts`), the words of the log (`changes.ts`) and what grants reach (`grants.ts`) are derived from here. What a floor above knows of
 *  every kind is a `Record<Kind, …>` there, as are the rows of the store (`storage/kinds.ts`): it does not compile without its row. */

interface KindDeclaration {
  /** The prefix of its identifiers, and the byte that is encrypted for it, which must never change. null: programs name it in another way. */
  readonly id: { readonly prefix: string; readonly byte: number } | null;
  /** The kind of its rows in the change log. null: it has no rows of its own there. */
  readonly log: string | null;
  /** How a grant names it. null: a grant does not; it is reached through what it is in, or by its owner alone. */
  readonly grant: {
    /** In the store. */
    readonly word: string;
    /** In operations and archives. */
    readonly plural: string;
    /** The least right that gives access to one. */
    readonly least: string;
  } | null;
}

export const kinds = {
  agent: { id: { prefix: "ag", byte: 1 }, log: null, grant: null },
  message: { id: { prefix: "message", byte: 2 }, log: "entry", grant: null },
  thread: { id: { prefix: "thread", byte: 3 }, log: null, grant: null },
  folder: {
    id: { prefix: "folder", byte: 4 },
    log: "mailbox",
    grant: { word: "mailbox", plural: "mailboxes", least: "mail:read" },
  },
  calendar: {
    id: { prefix: "calendar", byte: 5 },
    log: "collection",
    grant: { word: "calendar", plural: "calendars", least: "calendar:freebusy" },
  },
  event: { id: { prefix: "event", byte: 6 }, log: "item", grant: null },
  addressbook: {
    id: { prefix: "addressbook", byte: 7 },
    log: "collection",
    grant: { word: "addressbook", plural: "addressbooks", least: "contacts:read" },
  },
  contact: { id: { prefix: "contact", byte: 8 }, log: "item", grant: null },
  draft: { id: { prefix: "draft", byte: 9 }, log: "entry", grant: null },
  hold: { id: { prefix: "hold", byte: 10 }, log: null, grant: null },
  blob: { id: { prefix: "blob", byte: 11 }, log: "upload", grant: null },
  submission: { id: null, log: "submission", grant: null },
  file: { id: null, log: "file", grant: null },
  grant: { id: null, log: null, grant: null },
  token: { id: null, log: null, grant: null },
  password: { id: null, log: null, grant: null },
  passkey: { id: null, log: null, grant: null },
  webhook: { id: null, log: null, grant: null },
} as const satisfies Readonly<Record<string, KindDeclaration>>;

export type Kinds = typeof kinds;
export type Kind = keyof Kinds;

/** The kinds for which a part of the declaration is there. */
export type KindWith<Part extends keyof KindDeclaration> = {
  [K in Kind]: Kinds[K][Part] extends null ? never : K;
}[Kind];
/** That part of the declaration. */
export type PartOf<Part extends keyof KindDeclaration> = NonNullable<Kinds[Kind][Part]>;

export function kindsWith<Part extends keyof KindDeclaration>(part: Part): readonly KindWith<Part>[] {
  return (Object.keys(kinds) as Kind[]).filter((kind) => kinds[kind][part] !== null) as KindWith<Part>[];
}
