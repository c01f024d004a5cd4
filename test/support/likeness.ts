/** A mailbox with cards of a real store, and what it says of authors that arrive. */
import { arrivingAuthor } from "#/src/arrival/author-facts.ts";
import { nobody } from "#/src/model/author.ts";
import type { Resemblance } from "#/src/model/author-facts.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import type { Reader, SqlValue } from "#/storage/sql.ts";
import { readAuthorFacts } from "#/storage/writing/mail/author-facts.ts";
import { openJsonServer } from "./servers/json-server.ts";

export interface Author {
  readonly name: string;
  readonly address: string;
}

export interface Likeness extends AsyncDisposable {
  /** A card that a person made. */
  addCard(author: Author): Promise<ItemNumber>;
  /** As an arriving mail's author is looked up. */
  likeOf(author: Author): Promise<readonly Resemblance[]>;
  /** The statements of the last look-up, with their keys (`src/model/likeness.ts`) and the number of their rows. */
  readonly asked: readonly Asked[];
}

interface Asked {
  readonly query: string;
  readonly keys: readonly string[];
  readonly rows: number;
}

export async function openLikeness(): Promise<Likeness> {
  const server = await openJsonServer();
  const { collections, ada } = server;
  const { agent } = ada;
  const { number: collection } = (await collections.findCollectionOfRole(agent, "addressbook", "default"))!;
  const account = (await server.accounts.findAgentFacts(agent))!.account;
  let count = 0;
  const asked: Asked[] = [];
  const counted =
    <R>(read: (query: string, ...parameters: SqlValue[]) => Promise<R[]>) =>
    async (query: string, ...parameters: SqlValue[]): Promise<R[]> => {
      const found = await read(query, ...parameters);
      const keys = parameters.filter((one) => typeof one === "string" && one.startsWith("="));
      asked.push({ query, keys: keys as string[], rows: found.length });
      return found;
    };
  const { store } = server;
  const reader = {
    get: store.get.bind(store),
    all: counted(store.all.bind(store)),
    column: counted(store.column.bind(store)),
  } as Reader;
  return {
    asked,
    async addCard({ name, address }) {
      const card = `BEGIN:VCARD\r\nVERSION:4.0\r\nUID:card-${++count}\r\nFN:${name}\r\nEMAIL:${address}\r\nEND:VCARD\r\n`;
      const { item } = await collections.putItem(agent, nobody, {
        collection,
        bytes: Buffer.from(card),
        provenance: { source: "import" },
        isAuthenticated: true,
      });
      return item;
    },
    async likeOf({ name, address }) {
      const author = await arrivingAuthor({ fromName: name, fromAddress: address.toLowerCase() }, true);
      if (author === undefined) return [];
      asked.length = 0;
      return (await readAuthorFacts(reader, { agent, account }, author)).author?.resembles ?? [];
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
