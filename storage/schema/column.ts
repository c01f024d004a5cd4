/** A column of a table: what it holds, and what becomes of it wherever its row, or what the row is about, goes. A column is declared with
 *  both, or not at all; `test/storage/columns.test.ts` compares the declarations with the schema, and goes the journeys. */
import type { SqlValue } from "../sql.ts";

/** `export`, `import`: an account as an archive. `mailboxFile`: mail as mbox or Maildir, out and in. `transfer`: COPY and MOVE to another
 *  owner. `copy`: COPY within a mailbox. `draftVersion`: `draft.update`, REPLACE, APPEND and an edit of a hold (unseen again), which replace a message.
 *  `sending`: a draft that is sent, whose copy is in Sent, Scheduled or Holds. `restore`: a backup that is put back. */
export const journeys = [
  "export",
  "import",
  "mailboxFile",
  "transfer",
  "copy",
  "draftVersion",
  "sending",
  "restore",
] as const;
export type Journey = (typeof journeys)[number];

/** `carried`: it has the same value afterwards. `derived`: it is made anew there, from what is carried or by that place itself. */
export type Fate = "carried" | "derived" | { readonly dropped: string };
export type Fates = Readonly<Record<Journey, Fate>>;

export interface Column<V extends SqlValue> {
  readonly fates: Fates;
  readonly isNullable: boolean;
  /** For the compiler alone. */
  readonly holds?: V;
}

export function integer(fates: Fates): Column<number> {
  return { fates, isNullable: false };
}

export function text(fates: Fates): Column<string> {
  return { fates, isNullable: false };
}

export function octets(fates: Fates): Column<Uint8Array> {
  return { fates, isNullable: false };
}

export function nullable<V extends SqlValue>(column: Column<V>): Column<V | null> {
  return { fates: column.fates, isNullable: true };
}

/** Columns of declared properties (`src/model/declared-properties.ts`), by their forms. */
export function columnForms(fates: Fates) {
  return {
    name: text(fates),
    text: nullable(text(fates)),
    number: nullable(integer(fates)),
    flag: integer(fates),
    time: nullable(integer(fates)),
  };
}

/** The same on every journey; a restored backup has all of its rows. */
function everywhere(fate: Fate): Fates {
  return {
    export: fate,
    import: fate,
    mailboxFile: fate,
    transfer: fate,
    copy: fate,
    draftVersion: fate,
    sending: fate,
    restore: "carried",
  };
}

export const derived = everywhere("derived");

/** It goes nowhere from its server. */
export function staysHere(reason: string): Fates {
  return everywhere({ dropped: reason });
}

export const credential = staysHere("a credential is for one server");
export const ofScheduling = staysHere(
  "what calendars have told others, and have yet to apply, is of their server",
);
export const ofServer = staysHere("it is about this server");
export const queued = staysHere("mail leaves from the server that has queued it");
/** Of the log, which begins anew everywhere. */
export const ofLog: Fates = {
  ...staysHere("a log is of its mailbox on its server"),
  restore: { dropped: "the log of a restored store begins anew" },
};
/** Of objects that are to be removed, which a restored store leaves to the original. */
export const forgotten: Fates = {
  ...ofServer,
  restore: { dropped: "the original may be in use" },
};

const noFile: Fate = { dropped: "a file of mail has no place for it" };
const notMoved: Fate = { dropped: "messages go there, not what is around them" };

/** An archive has it. */
export const archived: Fates = {
  ...everywhere("carried"),
  mailboxFile: noFile,
  transfer: notMoved,
  copy: notMoved,
  draftVersion: notMoved,
  sending: notMoved,
};
/** What a person or program sets on a message, wherever it is. */
export const ofMessage: Fates = { ...everywhere("carried"), mailboxFile: noFile };
/** What a person or program sets on a message in a folder. */
export const ofEntry: Fates = everywhere("carried");
/** What is computed from the octets of a message, and stored beside them. */
export const ofOctets: Fates = { ...derived, transfer: "carried", copy: "carried" };
/** What this server has seen of a message: a file proves nothing. */
export const witnessed: Fates = {
  ...ofOctets,
  export: { dropped: "a file proves nothing" },
  import: { dropped: "what is imported says so itself" },
  mailboxFile: { dropped: "a file proves nothing" },
};
/** The name of a draft and what was asked for with it. */
export const ofDraft: Fates = {
  ...staysHere("elsewhere a draft is a message with the flag \\Draft"),
  draftVersion: "derived",
  sending: { dropped: "what is sent is no draft" },
};
export const notTold: Fates = {
  ...derived,
  export: { dropped: "a file proves nothing" },
  import: { dropped: "what is imported says so itself" },
};
export const timeOfWriting: Fates = {
  ...derived,
  export: { dropped: "it is when something was written here" },
  import: "derived",
};
