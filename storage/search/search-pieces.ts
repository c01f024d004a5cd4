/** Long bodies in pieces, and the trigrams of each. A body is searched piece by piece, and no piece takes long. */
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { indexable, indexedTerms } from "./indexed-terms.ts";
import type { SearchFile } from "./search-file.ts";
import { firstCharacters, matchOf, scopeOf } from "./trigrams.ts";

/** Characters of the piece before that are indexed with a piece, so that the beginning of a term that stands across their border
 *  is in one of them; of a term no more is looked up. */
export const overlapLength = 63;

export class SearchPieces {
  readonly #file: SearchFile;

  constructor(file: SearchFile) {
    this.#file = file;
  }

  /** Adds a piece of a message's body: `before` is the one before it, "" for none. Numbers count from 0. */
  add(agent: AgentNumber, message: MessageNumber, number: number, body: string, before: string): void {
    this.#file.inTransaction(() => {
      const { lastInsertRowid } = this.#file
        .sql("insert into piece (agent_id, message_id, piece_number, body) values (?, ?, ?, ?)")
        .run(agent, message, number, body);
      this.#file
        .sql("insert into piece_tri (rowid, text) values (?, cast(? as text))")
        .run(
          lastInsertRowid,
          indexedTerms(indexable(`${scopeOf(agent)}\n${before.slice(-overlapLength)}${body}`)),
        );
    });
  }

  /** Removes at most `limit` pieces of a message. Answers whether there may be more. */
  remove(agent: AgentNumber, message: MessageNumber, limit: number): boolean {
    const ids = this.#file
      .sql<number>("select piece_id from piece where agent_id = ? and message_id = ? limit ?")
      .pluck()
      .all(agent, message, limit) as number[];
    if (ids.length === 0) return false;
    this.#file.inTransaction(() => {
      for (const id of ids) {
        this.#file.sql("delete from piece where piece_id = ?").run(id);
        this.#file.sql("delete from piece_tri where rowid = ?").run(id);
      }
    });
    return ids.length === limit;
  }

  has(agent: AgentNumber): boolean {
    return this.#file.sql("select 1 from piece where agent_id = ? limit 1").get(agent) !== undefined;
  }

  /** Messages of the agent that have pieces, up to a number, ascending. */
  listMessages(agent: AgentNumber, upTo: number): MessageNumber[] {
    return this.#file
      .sql("select distinct message_id from piece where agent_id = ? and message_id <= ? order by message_id")
      .pluck()
      .all(agent, upTo) as MessageNumber[];
  }

  /** Pieces in which the term may begin, or shortly before which; the term has a trigram. Some may be others'. */
  listCandidates(agent: AgentNumber, term: string): readonly number[] {
    const query = matchOf(agent, firstCharacters(term, overlapLength + 1));
    return this.#file
      .sql("select rowid from piece_tri where piece_tri match ?")
      .pluck()
      .all(query) as number[];
  }

  /** The message of the piece; undefined if it is not the agent's. */
  find(
    agent: AgentNumber,
    id: number,
  ): { readonly message: MessageNumber; readonly number: number } | undefined {
    return this.#file
      .sql<{ message: MessageNumber; number: number }>(
        `select message_id as message, piece_number as number
      from piece
      where piece_id = ? and agent_id = ?`,
      )
      .get(id, agent);
  }

  /** undefined after the last piece. */
  read(agent: AgentNumber, message: MessageNumber, number: number): string | undefined {
    return this.#file
      .sql<{ body: string }>(
        "select body from piece where agent_id = ? and message_id = ? and piece_number = ?",
      )
      .get(agent, message, number)?.body;
  }
}
