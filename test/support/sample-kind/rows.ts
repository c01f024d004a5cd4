/** The rows of the sample kind, a note, in files that are there already. Its own files are below `tree`, where they are in a tree of Waypost. */

export interface Row {
  readonly file: string;
  /** The row stands behind the first line that has this text; with `before`, above the last line that is this. */
  readonly after?: string;
  readonly before?: string;
  readonly text: string;
  /** Without it something does not compile. */
  readonly isDemanded: boolean;
}

/** The declaration: what it is, and what its table holds. Everything else is demanded by it, or is an operation like any other. */
export const declaration: readonly Row[] = [
  {
    file: "src/model/kinds.ts",
    after: "export const kinds = {",
    text: `  note: {
    id: { prefix: "note", byte: 200 },
    log: "note",
    grant: { word: "note", plural: "notes", least: "mail:read" },
  },`,
    isDemanded: false,
  },
  {
    file: "storage/schema/mail.ts",
    after: "export const mailTables = {",
    text: `  note: {
    agent_id: integer(derived),
    note_id: integer(derived),
    title: text(archived),
    body: text(archived),
    size: integer(derived),
    modseq: integer(derived),
  },`,
    isDemanded: false,
  },
];

const row = (file: string, after: string, text: string, isDemanded = true): Row => ({
  ...{ file, after, text, isDemanded },
});

export const rows: readonly Row[] = [
  row(
    "storage/kinds.ts",
    "export const kindRows = {",
    `  note: {
    table: "note",
    number: "note_id",
    isOfClock: true,
    logged: { table: "note", number: "note_id" },
    counted: { items: "1", bytes: "t.size" },
    freed: { note: "at last" },
  },`,
  ),
  {
    file: "storage/migrations/index.ts",
    before: "];",
    text: '  { name: "notes", does: "makes notes", run: notes },',
    isDemanded: false,
  },
  row(
    "storage/migrations/index.ts",
    "import type { Sql }",
    'import { notes } from "./9000-notes.ts";',
    false,
  ),
  row(
    "storage/transactions/mailbox-writes.ts",
    "/**",
    'export { createNote, deleteNote, updateNote } from "./mail/notes.ts";',
    false,
  ),
  row(
    "src/mail/mail.ts",
    "import { createUploads",
    'import { createNotes, type Notes } from "./notes.ts";',
    false,
  ),
  row("src/mail/mail.ts", "    Uploads,", "    Notes,", false),
  row("src/mail/mail.ts", "    ...createFolders(store),", "    ...createNotes(store),", false),
  row("src/accounts/administration/granted-objects.ts", "const listers", notesLister()),
  row(
    "src/accounts/administration/granted-objects.ts",
    "import { listMailboxes }",
    'import { listNotes } from "#/storage/queries/mail/notes.ts";',
    false,
  ),
  row(
    "src/daemon/moving/archive/parts.ts",
    "export const archiveParts",
    "  note: { entries: exportNotes, open: createNoteImport },",
  ),
  row(
    "src/daemon/moving/archive/parts.ts",
    "import { createMailImport }",
    'import { createNoteImport, exportNotes } from "./notes.ts";',
    false,
  ),
  row("src/daemon/moving/transfer-rooms.ts", "  mail: [", '    "createNote",\n    "listNotes",', false),
  row("protocols/json/schemas.ts", "export const kinds = [", '  "note",', false),
  row("protocols/json/contents.ts", "const fullContents = {", "  note: shownNote,"),
  row(
    "protocols/json/contents.ts",
    "import { type ResultKind",
    'import { shownNote } from "./describe/note.ts";',
    false,
  ),
  row("protocols/json/operations/part/describe.ts", "const describeByKind = {", "  note: describeNote,"),
  row(
    "protocols/json/operations/part/describe.ts",
    "import { describeMessage }",
    'import { describeNote } from "../../describe/note.ts";',
    false,
  ),
  row(
    "protocols/json/registry.ts",
    "import messageUpdate",
    `import noteCreate from "./operations/note/create.ts";
import noteDelete from "./operations/note/delete.ts";
import noteList from "./operations/note/list.ts";
import noteUpdate from "./operations/note/update.ts";`,
    false,
  ),
  row(
    "protocols/json/registry.ts",
    "  contactDelete,",
    "  noteCreate,\n  noteUpdate,\n  noteDelete,\n  noteList,",
    false,
  ),
];

function notesLister(): string {
  return `  note: async (store, agent) =>
    (await listNotes(store, agent)).map(({ note, title }) => ({
      ...{ number: note, name: title },
      shown: \`\${title} (\${store.ids.encode("note", agent, note)})\`,
    })),`;
}

/** The rows of the tests' own tables. */
export const testRows: readonly Row[] = [
  row("test/interface/authorization-table.ts", "export interface Named {", "  readonly note: string;", false),
  row(
    "test/interface/authorization-table.ts",
    "const table = [",
    `  row("note.create", "/in", "agent", write, "any", ({ agent }) => ({ in: agent, title: "x", body: "" }), 200),
  row("note.update", "/id", "note", write, "any", ({ note }) => ({ id: note, title: "x", body: "" }), 409),
  row("note.delete", "/id", "note", write, "any", ({ note }) => ({ id: note }), 409),
  row("note.list", "/in", "agent", read, "any", ({ agent }) => ({ in: agent }), 200),
  row("part.describe", "/id", "note", read, "any", ({ note }) => ({ id: note }), 200),`,
  ),
  row(
    "test/interface/matrix.test.ts",
    "  const inBook =",
    '  const { ref: note } = await client.ok("note.create", { title: "x", body: "" });',
    false,
  ),
  row("test/interface/matrix.test.ts", "    agent: id,", "    note,", false),
  row("test/interface/matrix.test.ts", "const idMembers = {", '  note: ["note"],'),
  row(
    "test/interface/members.ts",
    "const members = {",
    '  note: { id: "note.note_id", title: "note.title", body: "note.body" },',
  ),
  row(
    "test/interface/base.test.ts",
    "    const required:",
    `      "note.update": { id: note, ...{ title: "x", body: "" } },
      "note.delete": { id: note },`,
  ),
  row(
    "test/interface/base.test.ts",
    "    const folder = await made(",
    '    const note = await made("note.create", { title: "x", body: "" });',
    false,
  ),
  row(
    "test/interface/caller-gone.test.ts",
    "const inputs:",
    `  "note.create": [() => ({ title: "x", body: "" })],
  "note.update": [() => ({ id: note, title: "y", body: "" })],
  "note.delete": [() => ({ id: note })],
  "note.list": [() => ({})],`,
  ),
  row("test/interface/caller-gone.test.ts", '  "folder.create",', '  "note.create",', false),
  row("test/interface/caller-gone.test.ts", "let folder: string;", "let note: string;", false),
  row(
    "test/interface/caller-gone.test.ts",
    "  folder = await made(",
    '  note = await made("note.create", { title: "x", body: "" });',
    false,
  ),
  row(
    "test/interface/write-order.test.ts",
    '  "folder.create": [() => inAda(',
    `  "note.create": [() => inAda({ title: "x", body: "" })],
  "note.update": [async () => changing(await newNote(), { title: "y", body: "" })],
  "note.delete": [async () => changing(await newNote())],`,
  ),
  row(
    "test/interface/write-order.test.ts",
    "let made = 0;",
    'const newNote = async () => (await ada("note.create", { title: "x", body: "" })).ref as string;',
    false,
  ),
  row(
    "test/acceptance/authors.test.ts",
    "const operations: Readonly<Record<Write",
    `  "note.create": { input: () => ({ title: "x", body: "" }), change: "note add" },
  "note.update": { input: change("note.create", "note.create", { title: "y", body: "" }), change: "note update" },
  "note.delete": { input: change("note.create", "note.update"), change: "note remove" },`,
  ),
  row(
    "test/support/every-verb.ts",
    "export const operationInputs",
    `  "note.create": () => ({ title: "x", body: "" }),
  "note.update": nothing("note"),
  "note.delete": nothing("note"),
  "note.list": () => ({}),`,
  ),
  row(
    "test/interface/dry-run.test.ts",
    "const steps: readonly Step[] = [",
    `  step("note.create", () => ({ title: "x", body: "y" })),
  step("note.update", more("note.create", () => ({ title: "y", body: "" }))),
  step("note.delete", of("note.create")),`,
    false,
  ),
  row(
    "test/support/every-write.ts",
    "  /** Calendars and addressbooks. */",
    `  for (const title of ["Keys", "Gone"]) {
    const { note, modseq } = await write("createNote", { agent: ada.agent, title, body: "", at });
    const named = { agent: ada.agent, note, at };
    const read = await write("updateNote", { ...named, version: String(modseq), title, body: "Under the mat." });
    if (title === "Gone") await write("deleteNote", { ...named, version: String(read.modseq) });
  }`,
    false,
  ),
];
