/** Who made a change, as the operator is shown it. */
import type { Author } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type AuthorRow, authorOfRow } from "#/storage/author-row.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { findPassword, findTokenByNumber } from "#/storage/queries/accounts/credentials.ts";
import { listOperatorTokens } from "#/storage/queries/accounts/operators.ts";
import type { Store } from "#/storage/store.ts";
import { primaryAddress } from "../principal.ts";

/** Names of credentials and addresses of their owners are read once. */
export interface Describer {
  author(row: AuthorRow | undefined): Promise<Readonly<Record<string, unknown>>>;
  /** The address; of a deleted owner the id. */
  owner(agent: AgentNumber): Promise<string>;
}

export function createDescriber(store: Store): Describer {
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
  const addressOnce = (agent: AgentNumber) => once(`agent ${agent}`, () => addressOf(agent));
  return {
    async author(row) {
      if (row === undefined) return { by: { kind: "server" } };
      const author = authorOfRow(row);
      const { kind, agent, credential, door, request } = author;
      const name = credential === 0 ? undefined : await once(`${kind} ${credential}`, () => readName(author));
      const address = agent === 0 ? undefined : await addressOnce(agent);
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
    },
    owner: async (agent) => (await addressOnce(agent)) ?? store.ids.encode("agent", agent),
  };
}
