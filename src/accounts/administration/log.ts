/** Who changed what: in a mailbox, from its change log; and tokens, grants, domains and settings, from the log of access. */
import { z } from "zod";
import { type Author, authorKinds } from "#/src/model/author.ts";
import { countNumbers, parseNumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { parseRemoval } from "#/src/model/removed-messages.ts";
import { authorOfRow } from "#/storage/author-row.ts";
import {
  type AccessChangeRow,
  listAccessChanges,
  listAccessChangesOf,
} from "#/storage/queries/access-changes.ts";
import { type AuthoredRow, listAuthored, listChangesAt } from "#/storage/queries/changes-by.ts";
import type { Store } from "#/storage/store.ts";
import { createDescriber, type Describer } from "./described-author.ts";
import { administrationOperation } from "./operation.ts";
import { isoTime, ownerField, selectOwner } from "./selectors.ts";

const pageSize = 500;

const bySelector = z
  .enum(authorKinds)
  .optional()
  .describe(`Only what was changed by: ${authorKinds.join(", ")}.`);
const sinceSelector = z.iso
  .datetime({ offset: true, error: "a time with its zone is wanted, such as 2026-01-31T08:00:00Z" })
  .optional()
  .describe("Only what was changed since: 2026-01-31T08:00:00Z.");
const beforeSelector = z.coerce
  .number()
  .int()
  .min(1)
  .optional()
  .describe("Only before this position, to go on.");
const limitSelector = z.coerce.number().int().min(1).max(1000).default(50).describe("How many; 50.");

export const logOperations = [
  administrationOperation({
    name: "log.show",
    kind: "records",
    isRead: true,
    summary: "Show who changed what in a mailbox, the newest first: credential, protocol and request.",
    input: z.strictObject({
      owner: ownerField.describe("Whose mailbox: address or id (ag_…)."),
      by: bySelector,
      since: sinceSelector,
      before: beforeSelector,
      limit: limitSelector,
    }),
    positional: ["owner"],
    async run({ store }, { owner, by, since, before = Number.MAX_SAFE_INTEGER, limit }) {
      const { agent } = await selectOwner(store, owner);
      const rows = await find(store, agent, {
        by,
        since: since === undefined ? 0 : Date.parse(since),
        before,
        limit,
      });
      const changes = new Map<Modseq, Rows>();
      for (let at = 0; at < rows.length; at += pageSize) {
        const modseqs = rows.slice(at, at + pageSize).map(({ modseq }) => modseq);
        for (const row of await listChangesAt(store, agent, modseqs))
          changes.set(row.modseq, [...(changes.get(row.modseq) ?? []), row]);
      }
      const describe = createDescriber(store);
      const shown = [];
      for (const { modseq, at, by: row } of rows)
        shown.push({
          position: modseq,
          at: isoTime(at),
          ...(await describe.author(row)),
          ...deletedIn(store, agent, changes.get(modseq) ?? []),
          changes: (changes.get(modseq) ?? []).map(({ kind, operation, event, ids }) =>
            event === null ? `${kind} ${operation} ${countNumbers(parseNumberSet(ids))}` : event,
          ),
        });
      return { changes: shown };
    },
  }),
  administrationOperation({
    name: "log.access",
    kind: "records",
    isRead: true,
    summary: "Show who changed tokens, passwords, grants, domains and settings, the newest first.",
    input: z.strictObject({
      owner: ownerField.optional().describe("Only of this mailbox, and grants that its owner has got."),
      by: bySelector,
      since: sinceSelector,
      before: beforeSelector,
      limit: limitSelector,
    }),
    async run({ store }, { owner, by, since, before = Number.MAX_SAFE_INTEGER, limit }) {
      const agent = owner === undefined ? undefined : (await selectOwner(store, owner)).agent;
      const wanted = { by, since: since === undefined ? 0 : Date.parse(since), before, limit };
      const rows = await findWanted(
        wanted,
        (range) =>
          agent === undefined ? listAccessChanges(store, range) : listAccessChangesOf(store, agent, range),
        ({ change }) => change,
      );
      const describe = createDescriber(store);
      const shown = [];
      for (const row of rows) shown.push(await describeAccess(describe, row));
      return { changes: shown };
    },
  }),
];

/** `createToken` is shown as `create token`. */
async function describeAccess(
  describe: Describer,
  { change, at, write, owner, holder, object, by }: AccessChangeRow,
) {
  return {
    position: change,
    at: isoTime(at),
    ...(await describe.author(by)),
    change: write.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    ...(owner === null ? {} : { owner: await describe.owner(owner) }),
    ...(holder === null ? {} : { holder: await describe.owner(holder) }),
    ...(object === null ? {} : { object }),
  };
}

/** Ids of messages that a change deleted: those whose last place it was. Of removals of some hundred messages and more none are told. */
function deletedIn(store: Store, agent: AgentNumber, rows: Rows): { readonly deleted?: readonly string[] } {
  const gone = rows
    .filter(({ kind, operation }) => kind === "entry" && operation === "remove")
    .flatMap(({ ids, data }) => parseRemoval(parseNumberSet(ids), data))
    .filter(({ isGone }) => isGone);
  const deleted = [...new Set(gone.map(({ message }) => store.ids.encode("message", agent, message)))];
  return deleted.length === 0 ? {} : { deleted };
}

type Rows = Awaited<ReturnType<typeof listChangesAt>>;

interface Wanted {
  readonly by: Author["kind"] | undefined;
  readonly since: number;
  readonly before: number;
  readonly limit: number;
}

function find(store: Store, agent: AgentNumber, wanted: Wanted): Promise<AuthoredRow[]> {
  return findWanted(
    wanted,
    ({ before, since, limit }) => listAuthored(store, agent, before, since, limit),
    ({ modseq }) => modseq,
  );
}

/** Reads pages until there are enough rows of the wanted authors. */
async function findWanted<Row extends Pick<AuthoredRow, "by">>(
  { by, since, before, limit }: Wanted,
  readPage: (range: {
    readonly before: number;
    readonly since: number;
    readonly limit: number;
  }) => Promise<Row[]>,
  position: (row: Row) => number,
): Promise<Row[]> {
  const found: Row[] = [];
  for (let next = before; found.length < limit; ) {
    const page = await readPage({ before: next, since, limit: pageSize });
    const fitting = page.filter((row) => by === undefined || kindOf(row) === by);
    found.push(...fitting.slice(0, limit - found.length));
    if (page.length < pageSize) break;
    next = position(page.at(-1)!);
  }
  return found;
}

function kindOf({ by }: Pick<AuthoredRow, "by">): Author["kind"] {
  return by === undefined ? "server" : authorOfRow(by).kind;
}
