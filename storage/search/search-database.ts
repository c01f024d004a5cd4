/** The search index: a file of its own beside the store, made from it and so at any time thrown away and made again.
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

/** Text of a message in the form that is searched; no part of it is empty unless there is nothing. */
export interface SearchDocument {
  readonly header: string;
  readonly addresses: string;
  readonly body: string;
}

export interface IndexedDocument {
  readonly message: MessageNumber;
  /** undefined: too large for the index, to be looked at where it is. */
  readonly document: SearchDocument | undefined;
  /** The beginning of what it says; undefined when it is gone. */
  readonly preview: string | undefined;
}

export type DocumentColumn = "header" | "addresses" | "body";

/** Changes with what is written into the file, and with the text that messages are rendered to: another version's file is
 *  made anew. */
const formatVersion = 2;

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
  `create virtual table tri using fts5(text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1')`,
];

const fileNames = ["search.db", "search.db-wal", "search.db-shm"];

/** Trigrams of a term that are looked up; more make the candidates few, and the lists to walk many. */
const trigramsMax = 16;

export class SearchDatabase {
  readonly #database: Database.Database;

  private constructor(database: Database.Database) {
    this.#database = database;
  }

  /** Opens the index of the store with this secret. What is damaged, of another version or of another store is deleted. */
  static open(folder: string, secret: Uint8Array): SearchDatabase {
    const fingerprint = createHash("sha256").update("search index").update(secret).digest("hex");
    for (const attempt of ["as it is", "anew"] as const) {
      let database: Database.Database | undefined;
      try {
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
    this.#database.close();
  }

  /** Up to where an agent's mail is indexed: every message with a number up to there. */
  position(agent: AgentNumber): Modseq {
    const row = this.#sql<{ modseq: Modseq }>("select modseq from position where agent_id = ?").get(agent);
    return row?.modseq ?? (0 as Modseq);
  }

  agents(): AgentNumber[] {
    return this.#sql<{ agent: AgentNumber }>("select agent_id as agent from position order by agent_id")
      .all()
      .map(({ agent }) => agent);
  }

  /** Agents with documents of messages that may be gone. */
  agentsOwingSweep(): AgentNumber[] {
    return this.#sql<{ agent: AgentNumber }>(
      "select agent_id as agent from position where owes_sweep = 1 order by agent_id",
    )
      .all()
      .map(({ agent }) => agent);
  }

  /** Adds documents and moves the agent's position on. */
  indexDocuments(
    agent: AgentNumber,
    documents: readonly IndexedDocument[],
    upTo: Modseq,
    owesSweep: boolean,
  ): void {
    this.#inTransaction(() => {
      for (const { message, document, preview } of documents) {
        const found = this.#sql("select 1 from doc where agent_id = ? and message_id = ?").get(
          agent,
          message,
        );
        if (found !== undefined) continue;
        const { lastInsertRowid } = this.#sql(
          "insert into doc (agent_id, message_id, header, addresses, body, preview) values (?, ?, ?, ?, ?, ?)",
        ).run(
          agent,
          message,
          document?.header ?? null,
          document?.addresses ?? null,
          document?.body ?? null,
          preview ?? null,
        );
        if (document !== undefined)
          this.#sql("insert into tri (rowid, text) values (?, ?)").run(
            lastInsertRowid,
            indexText(agent, document),
          );
      }
      this.#sql(
        `insert into position (agent_id, modseq, owes_sweep)
        values (?, ?, ?)
        on conflict (agent_id) do update
        set modseq = excluded.modseq, owes_sweep = case when excluded.owes_sweep = 1 then 1 else owes_sweep end`,
      ).run(agent, upTo, owesSweep ? 1 : 0);
    });
  }

  readPreviews(agent: AgentNumber, messages: readonly MessageNumber[]): [MessageNumber, string][] {
    const query = this.#sql<{ preview: string | null }>(
      "select preview from doc where agent_id = ? and message_id = ?",
    );
    return messages.flatMap((message) => {
      const preview = query.get(agent, message)?.preview;
      return preview === undefined || preview === null ? [] : [[message, preview]];
    });
  }

  /** Numbers of an agent's documents above one, ascending. */
  listMessages(agent: AgentNumber, after: number, limit: number): MessageNumber[] {
    return this.#sql<{ message: MessageNumber }>(
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
    this.#inTransaction(() => {
      for (const message of messages) {
        const row = this.#sql<{ id: number }>(
          "delete from doc where agent_id = ? and message_id = ? returning doc_id as id",
        ).get(agent, message);
        if (row !== undefined) this.#sql("delete from tri where rowid = ?").run(row.id);
      }
    });
  }

  /** What was gone of the agent's mail is out of the index. */
  finishSweep(agent: AgentNumber): void {
    this.#sql("update position set owes_sweep = 0 where agent_id = ?").run(agent);
  }

  /** The agent has no documents any more. */
  forgetAgent(agent: AgentNumber): void {
    this.#sql("delete from position where agent_id = ?").run(agent);
  }

  /** Messages that are too large to be in the index. */
  listTooLarge(agent: AgentNumber): MessageNumber[] {
    return this.#sql<{ message: MessageNumber }>(
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
        ? this.#sql<number>("select doc_id from doc where agent_id = ? and header is not null")
        : this.#sql<number>("select rowid from tri where tri match ?");
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
    const statement = this.#sql<SearchDocument & { message: MessageNumber }>(
      `select message_id as message, ${selected.join(", ")}
      from doc
      where doc_id = ? and agent_id = ?`,
    );
    return ids.map((id) => statement.get(id, agent)).filter((row) => row !== undefined);
  }

  readonly #statements = new Map<string, Database.Statement<unknown[]>>();

  #sql<R>(query: string): Database.Statement<unknown[], R> {
    let statement = this.#statements.get(query);
    if (statement === undefined) {
      statement = this.#database.prepare<unknown[]>(query);
      this.#statements.set(query, statement);
    }
    return statement as Database.Statement<unknown[], R>;
  }

  #inTransaction(run: () => void): void {
    this.#database.exec("begin immediate");
    try {
      run();
      this.#database.exec("commit");
    } finally {
      if (this.#database.inTransaction) this.#database.exec("rollback");
    }
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

/** Three code points of plane 15 that are this agent's. */
function scopeOf(agent: AgentNumber): string {
  const base = 65_534;
  const digits = [Math.floor(agent / (base * base)) % base, Math.floor(agent / base) % base, agent % base];
  return String.fromCodePoint(...digits.map((digit) => 0xf0000 + digit));
}

/** SQLite takes a text to end at NUL, which separates what must not run together. */
function indexText(agent: AgentNumber, { header, addresses, body }: SearchDocument): string {
  return `${scopeOf(agent)}\n${header}\n${addresses}\n${body}`.replaceAll("\0", "\n");
}

/** Whether the index can look for a term; a shorter one is looked for in every document. */
export function hasTrigram(term: string): boolean {
  return term.length >= 6 || [...term].length >= 3;
}

/** An FTS5 query for documents that may hold the term; undefined when it has no trigram. Without positions FTS5 takes no
 *  phrases, so each trigram is a query of its own. */
function matchOf(agent: AgentNumber, term: string): string | undefined {
  if (!hasTrigram(term)) return undefined;
  const characters = [...term];
  const trigrams = new Set<string>();
  const count = characters.length - 2;
  const step = Math.max(1, count / trigramsMax);
  for (let at = 0; at < count; at += step)
    trigrams.add(characters.slice(Math.floor(at), Math.floor(at) + 3).join(""));
  return [scopeOf(agent), ...trigrams].map((text) => `"${text.replaceAll('"', '""')}"`).join(" AND ");
}
