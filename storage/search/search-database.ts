/** The search index: a file of its own beside the store, made from it and so at any time thrown away and made again.
 *
 *  Text that is long stands in pieces beside its document (`piece`), each with trigrams of its own (`piece_tri`), so that no
 *  statement takes long; the pieces of a message are there before its document is, and before the position says so.
 *
 *  `tri` holds the trigrams of each document without positions; a document's first trigram is its agent's, of private-use
 *  code points, so that a search in one mailbox owner's mail does not walk through everyone's. What it answers are candidates:
 *  `doc` has the text itself, plain, for the one who verifies them. Documents and the position in the agent's log up to which
 *  they are complete change in one transaction. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type Database from "better-sqlite3";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { openSearchFile } from "../sqlite/connection.ts";
import { rewriteLog } from "../sqlite/log-of-pages.ts";
import { indexable, indexedTerms, termTokenizer } from "./indexed-terms.ts";
import { SearchFile } from "./search-file.ts";
import { SearchPieces } from "./search-pieces.ts";
import { SearchTrials, trialStatements } from "./search-trials.ts";
import { matchOf, scopeOf } from "./trigrams.ts";

/** Text of a message in the form that is searched; no part of it is empty unless there is nothing. */
export interface SearchDocument {
  readonly header: string;
  readonly addresses: string;
  readonly body: string;
}

export interface IndexedDocument {
  readonly message: MessageNumber;
  /** undefined: not to be had for the index, to be looked at where it is. The body is empty where it stands in pieces. */
  readonly document: SearchDocument | undefined;
  /** The beginning of what it says; undefined when it is gone. */
  readonly preview: string | undefined;
  /** Why it is not all that there is. */
  readonly setAside?: { readonly reason: string; readonly attempts: number };
}

/** Documents of one agent, and up to where its mail is indexed with them. */
export interface IndexedSlice {
  readonly agent: AgentNumber;
  readonly documents: readonly IndexedDocument[];
  readonly upTo: Modseq;
  readonly owesSweep: boolean;
}

export type DocumentColumn = "header" | "addresses" | "body";

/** Changes with what is written into the file, and with the text that messages are rendered to: another version's file is
 *  made anew. */
const formatVersion = 10;

const statements = [
  `create table origin (fingerprint text not null)`,
  `create table position (agent_id integer not null primary key, modseq integer not null, owes_sweep integer not null)`,
  `create table doc (
    doc_id integer primary key,
    agent_id integer not null,
    message_id integer not null,
    header text,
    addresses text,
    body text,
    preview text)`,
  `create unique index doc_by_message on doc (agent_id, message_id)`,
  `create index doc_too_large on doc (agent_id, message_id) where header is null`,
  `create virtual table tri using fts5(text, content='', contentless_delete=1, detail=none, tokenize=${quoted(termTokenizer)})`,
  ...trialStatements,
  `create table piece (
    piece_id integer primary key,
    agent_id integer not null,
    message_id integer not null,
    piece_number integer not null,
    body text not null)`,
  `create unique index piece_by_number on piece (agent_id, message_id, piece_number)`,
  `create virtual table piece_tri using fts5(text, content='', contentless_delete=1, detail=none, tokenize=${quoted(termTokenizer)})`,
  // FTS5 merges four of its pieces by itself. With eight, trigrams are written a third less often, and a search takes as long.
  ...["tri", "piece_tri"].map((table) => `insert into ${table} (${table}, rank) values ('automerge', 8)`),
];

const fileNames = ["search.db", "search.db-wal", "search.db-shm"];

export class SearchDatabase {
  /** Bodies that are too long for a document. */
  readonly pieces: SearchPieces;
  readonly trials: SearchTrials;
  readonly #file: SearchFile;

  private constructor(database: Database.Database) {
    this.#file = new SearchFile(database);
    this.pieces = new SearchPieces(this.#file);
    this.trials = new SearchTrials(this.#file);
  }

  /** Opens the index of the store with this secret. What is damaged, of another version or of another store is deleted. */
  static open(folder: string, secret: Uint8Array): SearchDatabase {
    const fingerprint = createHash("sha256").update("search index").update(secret).digest("hex");
    for (const attempt of ["as it is", "anew"] as const) {
      let database: Database.Database | undefined;
      try {
        rewriteLog(path.join(folder, "search.db"));
        database = openSearchFile(folder);
        if (prepare(database, fingerprint)) return new SearchDatabase(database);
        database.close();
      } catch (error) {
        database?.close();
        if (attempt === "anew") throw error;
      }
      SearchDatabase.delete(folder);
    }
    throw new Error("The search index cannot be made");
  }

  static delete(folder: string): void {
    for (const name of fileNames) fs.rmSync(path.join(folder, name), { force: true });
  }

  close(): void {
    this.#file.close();
  }

  /** Up to where an agent's mail is indexed: every message with a number up to there. */
  position(agent: AgentNumber): Modseq {
    const row = this.#file
      .sql<{ modseq: Modseq }>("select modseq from position where agent_id = ?")
      .get(agent);
    return row?.modseq ?? (0 as Modseq);
  }

  agents(): AgentNumber[] {
    return this.#file
      .sql<{ agent: AgentNumber }>("select agent_id as agent from position order by agent_id")
      .all()
      .map(({ agent }) => agent);
  }

  /** Agents with documents of messages that may be gone. */
  agentsOwingSweep(): AgentNumber[] {
    return this.#file
      .sql<{ agent: AgentNumber }>(
        "select agent_id as agent from position where owes_sweep = 1 order by agent_id",
      )
      .all()
      .map(({ agent }) => agent);
  }

  /** Adds documents and moves the positions of their agents on. */
  indexSlices(slices: readonly IndexedSlice[]): void {
    this.#file.inTransaction(() => {
      for (const { agent, documents, upTo, owesSweep } of slices) {
        for (const document of documents) this.#insert(agent, document);
        this.trials.end(agent);
        this.#file
          .sql(
            `insert into position (agent_id, modseq, owes_sweep)
          values (?, ?, ?)
          on conflict (agent_id) do update
          set modseq = excluded.modseq, owes_sweep = case when excluded.owes_sweep = 1 then 1 else owes_sweep end`,
          )
          .run(agent, upTo, owesSweep ? 1 : 0);
      }
    });
  }

  /** The same message again, read anew; its pieces are there already. */
  replaceDocument(agent: AgentNumber, document: IndexedDocument): void {
    this.#file.inTransaction(() => {
      this.#remove(agent, document.message);
      this.#insert(agent, document);
    });
  }

  #insert(agent: AgentNumber, { message, document, preview, setAside }: IndexedDocument): void {
    const { header, addresses, body } = document ?? { header: null, addresses: null, body: null };
    const { changes, lastInsertRowid } = this.#file
      .sql(
        `insert into doc (agent_id, message_id, header, addresses, body, preview)
        values (?, ?, ?, ?, ?, ?)
        on conflict do nothing`,
      )
      .run(agent, message, header, addresses, body, preview ?? null);
    if (changes === 0) return;
    if (document !== undefined)
      this.#file
        .sql("insert into tri (rowid, text) values (?, cast(? as text))")
        .run(lastInsertRowid, termsOf(agent, document));
    if (setAside !== undefined) this.trials.setAside({ agent, message, ...setAside });
  }

  #remove(agent: AgentNumber, message: MessageNumber): void {
    const row = this.#file
      .sql<{ id: number }>("delete from doc where agent_id = ? and message_id = ? returning doc_id as id")
      .get(agent, message);
    if (row !== undefined) this.#file.sql("delete from tri where rowid = ?").run(row.id);
    this.trials.forget(agent, message);
  }

  readPreviews(agent: AgentNumber, messages: readonly MessageNumber[]): [MessageNumber, string][] {
    const query = this.#file.sql<{ preview: string | null }>(
      "select preview from doc where agent_id = ? and message_id = ?",
    );
    return messages.flatMap((message) => {
      const preview = query.get(agent, message)?.preview;
      return preview === undefined || preview === null ? [] : [[message, preview]];
    });
  }

  /** Numbers of an agent's documents above one, ascending. */
  listMessages(agent: AgentNumber, after: number, limit: number): MessageNumber[] {
    return this.#file
      .sql<{ message: MessageNumber }>(
        `select message_id as message
      from doc
      where agent_id = ? and message_id > ?
      order by message_id
      limit ?`,
      )
      .all(agent, after, limit)
      .map(({ message }) => message);
  }

  removeDocuments(agent: AgentNumber, messages: readonly MessageNumber[]): void {
    this.#file.inTransaction(() => {
      for (const message of messages) this.#remove(agent, message);
    });
  }

  /** What was gone of the agent's mail is out of the index. */
  finishSweep(agent: AgentNumber): void {
    this.#file.sql("update position set owes_sweep = 0 where agent_id = ?").run(agent);
  }

  /** The agent has no documents any more. */
  forgetAgent(agent: AgentNumber): void {
    this.#file.sql("delete from position where agent_id = ?").run(agent);
    this.trials.end(agent);
  }

  /** Messages whose text is not in the index. */
  listUnindexed(agent: AgentNumber): MessageNumber[] {
    return this.#file
      .sql<{ message: MessageNumber }>(
        "select message_id as message from doc where agent_id = ? and header is null order by message_id",
      )
      .all(agent)
      .map(({ message }) => message);
  }

  /** Documents that may hold the term, by their numbers in the index: those with its trigrams, or all of the agent when it is
   *  too short to have one. Another agent's text may hold the code points of this one's trigram, so some may be others'. */
  listCandidates(agent: AgentNumber, term: string): readonly number[] {
    const query = matchOf(agent, term);
    const statement =
      query === undefined
        ? this.#file.sql<number>("select doc_id from doc where agent_id = ? and header is not null")
        : this.#file.sql<number>("select rowid from tri where tri match ?");
    return statement.pluck().all(query ?? agent);
  }

  /** Those of the documents that are the agent's. Columns that are not asked for are empty. */
  readDocuments(
    agent: AgentNumber,
    ids: readonly number[],
    columns: readonly DocumentColumn[],
  ): (SearchDocument & { readonly message: MessageNumber })[] {
    const selected = (["header", "addresses", "body"] as const).map((column) =>
      columns.includes(column) ? column : `'' as ${column}`,
    );
    const statement = this.#file.sql<SearchDocument & { message: MessageNumber }>(
      `select message_id as message, ${selected.join(", ")}
      from doc
      where doc_id = ? and agent_id = ?`,
    );
    return ids.map((id) => statement.get(id, agent)).filter((row) => row !== undefined);
  }
}

/** Whether the file is, or has become, an index of this version and store. */
function prepare(database: Database.Database, fingerprint: string): boolean {
  const version = database.pragma("user_version", { simple: true });
  const { tables } = database.prepare("select count(*) as tables from sqlite_master").get() as {
    tables: number;
  };
  if (tables > 0) {
    if (version !== formatVersion) return false;
    const row = database.prepare("select fingerprint from origin").get() as
      | { fingerprint: string }
      | undefined;
    return row?.fingerprint === fingerprint;
  }
  database.exec("begin immediate");
  for (const statement of statements) database.exec(statement);
  database.prepare("insert into origin (fingerprint) values (?)").run(fingerprint);
  database.pragma(`user_version = ${formatVersion}`);
  database.exec("commit");
  return true;
}

function termsOf(agent: AgentNumber, { header, addresses, body }: SearchDocument): Buffer {
  return indexedTerms(indexable(`${scopeOf(agent)}\n${header}\n${addresses}\n${body}`));
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
