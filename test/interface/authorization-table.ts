/** Who may do what: one row for each field of an operation that names an object, and for each operation that names none. The
 *  matrix test is made of it. */
import type { z } from "zod";
import type { AnyOperation, OperationName } from "#/protocols/json/registry.ts";
import type { Naming } from "#/protocols/json/schemas.ts";
import type { ObjectKind } from "#/src/model/ids.ts";
import type { Scope } from "#/src/model/roles.ts";

/** Ids of one owner: what a request names. */
export interface Named {
  readonly agent: string;
  /** In INBOX. */
  readonly message: string;
  /** In `folder`, with a conversation of its own. */
  readonly filed: string;
  readonly filedThread: string;
  readonly inbox: string;
  /** A folder without a role. */
  readonly folder: string;
  readonly thread: string;
  readonly draft: string;
  readonly blob: string;
  readonly hold: string;
  readonly calendar: string;
  /** In `calendar`. */
  readonly event: string;
  readonly addressbook: string;
  /** In `addressbook`. */
  readonly contact: string;
}

export interface Row {
  readonly operation: OperationName;
  /** Pointer to what names the object, without the places in lists; "" where nothing does, and it is about the credential's own. */
  readonly field: string;
  /** "" where nothing is named. */
  readonly kind: ObjectKind | "";
  /** The scopes that the request needs, all of them. */
  readonly scopes: readonly Scope[];
  /** Any of these does as well. */
  readonly or?: readonly Scope[];
  /** A scope of the token that is checked before the object is looked for. */
  readonly first?: Scope;
  /** The folder that a grant must reach: that of the object; "all" folders of the mailbox; "any" if folders do not matter. */
  readonly folder: "inbox" | "drafts" | "holds" | "all" | "any";
  /** The request. It names the object from `named`; all other objects in it are the caller's `own`. */
  readonly input: (named: Named, own: Named) => object;
  /** The status if the caller may do it. Not 200 where that would change something: the request then has a fault that is found later. */
  readonly reached: number;
  /** Where an object of the caller's own needs other scopes, or gets another status. */
  readonly own?: { readonly scopes?: readonly Scope[]; readonly reached?: number };
  /** The request is about the own mailbox, and names an object that may be of another mailbox. */
  readonly isBeside?: boolean;
}

const none: readonly Scope[] = [];
const read: readonly Scope[] = ["mail:read"];
const write: readonly Scope[] = ["mail"];
const readCalendar: readonly Scope[] = ["calendar:read"];
const writeCalendar: readonly Scope[] = ["calendar"];
const readContacts: readonly Scope[] = ["contacts:read"];
const writeContacts: readonly Scope[] = ["contacts"];
const body = { to: ["ada@first.example"], text: "Hello" };
/** Nobody is asked whether a mail to nobody may leave. */
const toNobody = { to: ["nobody@first.example"], text: "Hello" };

const table = [
  ...(["help.describe", "catalog.describe", "health"] as const).map((operation) =>
    row(operation, "", "", none, "any", () => ({}), 200),
  ),
  ...(["wait", "watch"] as const).map((operation) =>
    row(operation, "/mailbox", "agent", read, "any", ({ agent }) => ({ mailbox: agent }), 200),
  ),
  row("search", "/in", "agent", read, "any", ({ agent }) => ({ in: agent }), 200),
  row(
    "search",
    "/folder",
    "folder",
    read,
    "inbox",
    ({ agent, inbox }) => ({ in: agent, folder: inbox }),
    200,
  ),
  row("search", "/thread", "thread", read, "any", ({ agent, thread }) => ({ in: agent, thread }), 200),
  beside("search", "/folder", "folder", read, ({ folder }) => ({ folder })),
  beside("search", "/thread", "thread", read, ({ thread }) => ({ thread })),

  {
    ...row("part.describe", "/id", "agent", read, "any", ({ agent }) => ({ id: agent }), 200),
    or: [...readCalendar, ...readContacts],
  },
  row("part.describe", "/id", "message", read, "inbox", ({ message }) => ({ id: message }), 200),
  row("part.describe", "/id", "thread", read, "any", ({ thread }) => ({ id: thread }), 200),
  row("part.describe", "/id", "folder", read, "inbox", ({ inbox }) => ({ id: inbox }), 200),
  row("part.describe", "/id", "draft", read, "drafts", ({ draft }) => ({ id: draft }), 200),
  row("part.describe", "/id", "blob", read, "all", ({ blob }) => ({ id: blob }), 200),
  row("part.describe", "/id", "hold", read, "holds", ({ hold }) => ({ id: hold }), 200),
  ...(["raw", "source"] as const).map((render) =>
    row(
      "part.describe",
      "/id",
      "message",
      ["mail:read", "raw"],
      "inbox",
      ({ message }) => ({ id: message, render }),
      200,
    ),
  ),
  row(
    "part.describe",
    "/id",
    "blob",
    ["mail:read", "raw"],
    "all",
    ({ blob }) => ({ id: blob, render: "raw" }),
    200,
  ),

  row(
    "message.update",
    "/id",
    "message",
    write,
    "inbox",
    ({ message }) => ({ id: message, unread: true }),
    200,
  ),
  row("message.update", "/ids", "message", write, "inbox", ({ message }) => ({ ids: [message] }), 200),
  row(
    "message.update",
    "/folder",
    "folder",
    write,
    "inbox",
    ({ message, inbox }) => ({ id: message, folder: inbox }),
    200,
  ),
  row(
    "message.update",
    "/folder",
    "folder",
    write,
    "all",
    ({ filed, folder }) => ({ id: filed, folder }),
    200,
  ),
  beside("message.update", "/folder", "folder", write, ({ folder }, { filed }) => ({
    id: filed,
    folder,
  })),
  row("message.delete", "/id", "message", write, "inbox", ({ message }) => ({ id: message }), 409),
  // The same in a folder that a grant may not reach.
  row("part.describe", "/id", "message", read, "all", ({ filed }) => ({ id: filed }), 200),
  row("part.describe", "/id", "folder", read, "all", ({ folder }) => ({ id: folder }), 200),
  row("part.describe", "/id", "thread", read, "all", ({ filedThread }) => ({ id: filedThread }), 200),
  row("search", "/folder", "folder", read, "all", ({ agent, folder }) => ({ in: agent, folder }), 200),
  row("message.update", "/id", "message", write, "all", ({ filed }) => ({ id: filed, unread: true }), 200),
  row("message.update", "/ids", "message", write, "all", ({ filed }) => ({ ids: [filed] }), 200),
  row("message.delete", "/id", "message", write, "all", ({ filed }) => ({ id: filed }), 409),

  row("folder.create", "/in", "agent", write, "all", ({ agent }) => ({ in: agent, path: "INBOX" }), 200),
  row(
    "folder.create",
    "/parent",
    "folder",
    write,
    "all",
    ({ agent, folder }) => ({ in: agent, path: "a//b", parent: folder }),
    400,
  ),
  beside("folder.create", "/parent", "folder", write, ({ folder }) => ({
    path: "a//b",
    parent: folder,
  })),
  row("folder.update", "/id", "folder", write, "all", ({ folder }) => ({ id: folder, path: "x" }), 409),
  row(
    "folder.update",
    "/parent",
    "folder",
    write,
    "all",
    ({ folder, inbox }) => ({ id: folder, path: "x", parent: inbox }),
    409,
  ),
  beside("folder.update", "/parent", "folder", write, ({ inbox }, { folder }) => ({
    id: folder,
    path: "x",
    parent: inbox,
  })),
  row("folder.delete", "/id", "folder", write, "all", ({ folder }) => ({ id: folder }), 409),

  row("draft.create", "/in", "agent", write, "drafts", ({ agent }) => ({ in: agent, body }), 200),
  row("draft.update", "/id", "draft", write, "drafts", ({ draft }) => ({ id: draft, body }), 409),
  row("draft.delete", "/id", "draft", write, "drafts", ({ draft }) => ({ id: draft }), 409),
  row("blob.create", "", "", write, "any", () => ({ data: "" }), 200),
  row("blob.delete", "/id", "blob", write, "all", ({ blob }) => ({ id: blob }), 409),

  row("send", "/in", "agent", ["send"], "any", ({ agent }) => ({ in: agent, body: toNobody }), 400),
  row("send", "/draft", "draft", ["send"], "drafts", ({ draft }) => ({ draft }), 409),

  row("hold.create", "/in", "agent", ["send"], "any", ({ agent }) => ({ in: agent, body: toNobody }), 400),
  row("hold.create", "/draft", "draft", ["send"], "drafts", ({ draft }) => ({ draft }), 409),
  // Nobody approves what their own mailbox asked for.
  ...(["approved", "declined", "waiting"] as const).map((state) => ({
    ...row("hold.update", "/id", "hold", ["approve"], "holds", ({ hold }) => ({ id: hold, state }), 409),
    // There is no approval to be taken back.
    ...(state === "waiting" ? { reached: 422 } : {}),
    own: { reached: 403 },
  })),
  row("hold.update", "/id", "hold", ["send"], "holds", ({ hold }) => ({ id: hold, body }), 409),
  // Who has not asked for it takes it back as who may decline it.
  {
    ...row("hold.delete", "/id", "hold", ["send", "approve"], "holds", ({ hold }) => ({ id: hold }), 409),
    own: { scopes: ["send"] as const },
  },

  row("search", "/in", "addressbook", readContacts, "any", ({ addressbook }) => ({ in: addressbook }), 200),
  row("search", "/in", "calendar", readCalendar, "any", ({ calendar }) => ({ in: calendar }), 200),
  row(
    "search",
    "/in",
    "agent",
    readCalendar,
    "any",
    ({ agent }) => ({
      in: agent,
      kind: "freebusy",
      since: "2026-03-01T00:00:00Z",
      before: "2026-04-01T00:00:00Z",
    }),
    200,
  ),
  row("part.describe", "/id", "calendar", readCalendar, "any", ({ calendar }) => ({ id: calendar }), 200),
  row(
    "part.describe",
    "/id",
    "calendar",
    readCalendar,
    "any",
    ({ calendar, event }) => ({ id: calendar, uid: event }),
    200,
  ),
  row("part.describe", "/id", "event", readCalendar, "any", ({ event }) => ({ id: event }), 200),
  row(
    "part.describe",
    "/id",
    "event",
    ["calendar:read", "raw"],
    "any",
    ({ event }) => ({ id: event, render: "source" }),
    200,
  ),
  row(
    "calendarMonth.list",
    "/in",
    "calendar",
    readCalendar,
    "any",
    ({ calendar }) => ({ in: calendar, month: "2026-03" }),
    200,
  ),
  row(
    "calendar.create",
    "/in",
    "agent",
    writeCalendar,
    "any",
    ({ agent }) => ({ in: agent, name: "More" }),
    200,
  ),
  row(
    "calendar.update",
    "/id",
    "calendar",
    writeCalendar,
    "any",
    ({ calendar }) => ({ id: calendar, name: "x" }),
    409,
  ),
  row("calendar.delete", "/id", "calendar", writeCalendar, "any", ({ calendar }) => ({ id: calendar }), 409),
  row(
    "event.create",
    "/in",
    "calendar",
    writeCalendar,
    "any",
    ({ calendar }) => ({ in: calendar, body: { Wrong: 1 } }),
    400,
  ),
  ...(["event", "calendar"] as const).flatMap((kind) => {
    const idOf = ({ event, calendar }: Named): string => (kind === "event" ? event : `${calendar}#${event}`);
    return [
      row(
        "event.update",
        "/id",
        kind,
        writeCalendar,
        "any",
        (named) => ({ id: idOf(named), patch: {} }),
        409,
      ),
      row("event.delete", "/id", kind, writeCalendar, "any", (named) => ({ id: idOf(named) }), 409),
    ];
  }),
  // A blob that is attached is read, whoever writes.
  {
    ...row(
      "event.create",
      "/attach/blob",
      "blob",
      read,
      "all",
      ({ blob }) => ({ body: { start: "2026-03-02T10:00:00" }, attach: [{ blob }] }),
      200,
    ),
    first: "calendar" as const,
  },
  {
    ...row(
      "event.update",
      "/attach/blob",
      "blob",
      read,
      "all",
      ({ blob }, { event }) => ({ id: event, attach: [{ blob }] }),
      409,
    ),
    first: "calendar" as const,
  },
  row(
    "part.describe",
    "/id",
    "addressbook",
    readContacts,
    "any",
    (named) => ({ id: named.addressbook }),
    200,
  ),
  row(
    "part.describe",
    "/id",
    "addressbook",
    readContacts,
    "any",
    (named) => ({ id: named.addressbook, contact: named.contact }),
    200,
  ),
  row("part.describe", "/id", "contact", readContacts, "any", ({ contact }) => ({ id: contact }), 200),
  row(
    "part.describe",
    "/id",
    "contact",
    ["contacts:read", "raw"],
    "any",
    ({ contact }) => ({ id: contact, render: "source" }),
    200,
  ),
  row(
    "addressbook.create",
    "/in",
    "agent",
    writeContacts,
    "any",
    ({ agent }) => ({ in: agent, name: "More" }),
    200,
  ),
  row(
    "addressbook.update",
    "/id",
    "addressbook",
    writeContacts,
    "any",
    (named) => ({ id: named.addressbook, name: "x" }),
    409,
  ),
  row(
    "addressbook.delete",
    "/id",
    "addressbook",
    writeContacts,
    "any",
    (named) => ({ id: named.addressbook }),
    409,
  ),
  row(
    "contact.create",
    "/in",
    "addressbook",
    writeContacts,
    "any",
    (named) => ({ in: named.addressbook, body: { Wrong: 1 } }),
    400,
  ),
  ...(["contact", "addressbook"] as const).flatMap((kind) => {
    const idOf = ({ contact, addressbook }: Named): string =>
      kind === "contact" ? contact : `${addressbook}#${contact}`;
    return [
      row(
        "contact.update",
        "/id",
        kind,
        writeContacts,
        "any",
        (named) => ({ id: idOf(named), patch: {} }),
        409,
      ),
      row("contact.delete", "/id", kind, writeContacts, "any", (named) => ({ id: idOf(named) }), 409),
    ];
  }),

  // What a body names is read, whoever writes.
  ...composed("draft.create", "", "mail", 200),
  ...composed("draft.update", "draft", "mail", 409),
  ...composed("send", "", "send", 400),
  ...composed("hold.create", "", "send", 400),
  ...composed("hold.update", "hold", "send", 409),
];

export const rows: readonly Row[] = table;

/** What a field of an input names, as "/field kind". */
export type NamesIn<Schema, Path extends string> =
  Schema extends Naming<infer Kind>
    ? `${Path} ${Kind}`
    : Schema extends z.ZodOptional<infer Inner> | z.ZodArray<infer Inner>
      ? NamesIn<Inner, Path>
      : Schema extends z.ZodObject<infer Shape>
        ? { [Field in keyof Shape & string]: NamesIn<Shape[Field], `${Path}/${Field}`> }[keyof Shape & string]
        : never;

/** An operation that names nothing needs a row as well. */
export type NeededOf<One> = One extends {
  readonly name: infer Name extends string;
  readonly input: infer Input;
}
  ? [NamesIn<Input, "">] extends [never]
    ? Name
    : `${Name} ${NamesIn<Input, "">}`
  : never;

type CoveredBy<One> = One extends {
  readonly operation: infer Name extends string;
  readonly field: infer Field extends string;
  readonly kind: infer Kind extends string;
}
  ? Name | `${Name} ${Field} ${Kind}`
  : never;

export type Covered = CoveredBy<(typeof table)[number]>;
type Missing = Exclude<NeededOf<AnyOperation>, Covered>;

/** The compiler names each operation, and each kind of object that a field of it takes, that has no row. */
({}) satisfies Record<Missing, never>;

/** The fields of a body that name objects. */
function composed<const Name extends OperationName>(
  operation: Name,
  changed: "" | "draft" | "hold",
  scope: Scope,
  reached: number,
) {
  const to = reached === 400 ? toNobody : body;
  const of = <const Field extends string, const Kind extends ObjectKind>(
    field: Field,
    kind: Kind,
    folder: Row["folder"],
    more: (named: Named) => object,
  ) => ({
    ...row(operation, `/body/${field}`, kind, read, folder, inputOf(more), reached),
    first: scope,
  });
  const inputOf = (more: (named: Named) => object) => (named: Named, own: Named) => ({
    ...(changed === "" ? {} : { id: own[changed] }),
    body: { ...to, ...more(named) },
  });
  return [
    of("attachments/blob", "blob", "all", ({ blob }) => ({ attachments: [{ blob }] })),
    ...(["inbox", "all"] as const).flatMap((folder) => {
      const messageOf = ({ message, filed }: Named): string => (folder === "inbox" ? message : filed);
      return [
        of("in_reply_to", "message", folder, (named) => ({ in_reply_to: messageOf(named) })),
        of("forward_of", "message", folder, (named) => ({ forward_of: messageOf(named) })),
        of("attachments/part", "message", folder, (named) => ({
          attachments: [{ part: `${messageOf(named)}#1` }],
        })),
      ];
    }),
  ];
}

function row<
  const Name extends OperationName,
  const Field extends string,
  const Kind extends ObjectKind | "",
>(
  operation: Name,
  field: Field,
  kind: Kind,
  scopes: readonly Scope[],
  folder: Row["folder"],
  input: Row["input"],
  reached: number,
) {
  return { operation, field, kind, scopes, folder, input, reached };
}

/** An object that has to be of the mailbox that the request is about: of another one it is `invalid`, whoever's it is. */
function beside<const Name extends OperationName, const Field extends string, const Kind extends ObjectKind>(
  operation: Name,
  field: Field,
  kind: Kind,
  scopes: readonly Scope[],
  input: Row["input"],
) {
  return { operation, field, kind, scopes, folder: "any" as const, input, reached: 400, isBeside: true };
}
