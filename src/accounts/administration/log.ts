/** Who changed what in a mailbox, from its change log. */
import { z } from "zod";
import { type Author, authorKinds } from "#/src/model/author.ts";
import { countNumbers, parseNumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { parseRemoval } from "#/src/model/removed-messages.ts";
import { authorOfRow } from "#/storage/author-row.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { findPassword, findTokenByNumber } from "#/storage/queries/accounts/credentials.ts";
import { listOperatorTokens } from "#/storage/queries/accounts/operators.ts";
import { type AuthoredRow, listAuthored, listChangesAt } from "#/storage/queries/changes-by.ts";
import type { Store } from "#/storage/store.ts";
import { primaryAddress } from "../principal.ts";
import { administrationOperation } from "./operation.ts";
import { isoTime, ownerField, selectOwner } from "./selectors.ts";

const pageSize = 500;

export const logOperations = [
  administrationOperation({
    name: "log.show",
    isRead: true,
    summary: "Show who changed what in a mailbox, the newest first: credential, protocol and request.",
    input: z.strictObject({
      owner: ownerField.describe("Whose mailbox: address or id (ag_…)."),
      by: z
        .enum(authorKinds)
        .optional()
        .describe(`Only what was changed by: ${authorKinds.join(", ")}.`),
      since: z.iso
        .datetime({ offset: true })
        .optional()
        .describe("Only what was changed since: 2026-01-31T08:00:00Z."),
      before: z.coerce.number().int().min(1).optional().describe("Only before this position, to go on."),
      limit: z.coerce.number().int().min(1).max(1000).default(50).describe("How many; 50."),
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
          ...(await describe(row)),
          ...deletedIn(store, agent, changes.get(modseq) ?? []),
          changes: (changes.get(modseq) ?? []).map(({ kind, operation, event, ids }) =>
            event === null ? `${kind} ${operation} ${countNumbers(parseNumberSet(ids))}` : event,
          ),
        });
      return { changes: shown };
    },
  }),
];

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

async function find(store: Store, agent: AgentNumber, { by, since, before, limit }: Wanted) {
  const found: AuthoredRow[] = [];
  for (let next = before; found.length < limit; ) {
    const page = await listAuthored(store, agent, next, since, pageSize);
    const fitting = page.filter((row) => by === undefined || kindOf(row) === by);
    found.push(...fitting.slice(0, limit - found.length));
    if (page.length < pageSize) break;
    next = page.at(-1)!.modseq;
  }
  return found;
}

function kindOf({ by }: AuthoredRow): Author["kind"] {
  return by === undefined ? "server" : authorOfRow(by).kind;
}

/** Names of credentials and addresses of their owners are read once. */
function createDescriber(store: Store) {
  const names = new Map<string, Promise<string | undefined>>();
  const once = (key: string, read: () => Promise<string | undefined>) => {
    const known = names.get(key) ?? read();
    names.set(key, known);
    return known;
  };
  const addressOf = async (agent: AgentNumber) => {
    const row = await findAgent(store, agent);
    return row && primaryAddress(row);
  };
  const readName = async ({ kind, credential }: Author): Promise<string | undefined> => {
    if (kind === "token") return (await findTokenByNumber(store, credential))?.name;
    if (kind === "password") return (await findPassword(store, credential))?.name;
    if (kind === "operator" && credential > 0)
      return (await listOperatorTokens(store)).find(({ token }) => token === credential)?.name;
    return undefined;
  };
  return async (row: AuthoredRow["by"]) => {
    if (row === undefined) return { by: { kind: "server" } };
    const author = authorOfRow(row);
    const { kind, agent, credential, door, request } = author;
    const name = credential === 0 ? undefined : await once(`${kind} ${credential}`, () => readName(author));
    const address = agent === 0 ? undefined : await once(`agent ${agent}`, () => addressOf(agent));
    return {
      by: {
        kind,
        ...(address === undefined ? {} : { address }),
        ...(credential === 0 ? {} : { credential }),
        ...(name === undefined ? {} : { name }),
      },
      door,
      ...(request === "" ? {} : { request }),
    };
  };
}
