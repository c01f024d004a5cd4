/** Messages that cannot be indexed and are skipped, and the work that was running when the thread ended. */
import fs from "node:fs";
import path from "node:path";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { openSearchFile } from "../sqlite/connection.ts";
import type { SearchFile } from "./search-file.ts";

/** Work that has begun. When it is found at a start, the thread ended in the middle of it. */
export interface Trial {
  readonly agent: AgentNumber;
  /** The work was to index everything up to this number. */
  readonly upTo: Modseq;
  /** 0: several messages at once. */
  readonly message: MessageNumber | 0;
  readonly attempts: number;
}

/** A message that cannot be indexed. Its document is empty or has only its header. */
export interface SetAside {
  readonly agent: AgentNumber;
  readonly message: MessageNumber;
  /** Describes the error without text of the message. */
  readonly reason: string;
  readonly attempts: number;
}

export const trialStatements = [
  `create table trial (
    agent_id integer not null primary key,
    up_to integer not null,
    message_id integer not null,
    attempts integer not null)`,
  `create table set_aside (
    agent_id integer not null,
    message_id integer not null,
    reason text not null,
    attempts integer not null,
    primary key (agent_id, message_id)) without rowid`,
];

const selectSetAside = `select agent_id as agent, message_id as message, reason, attempts
  from set_aside
  order by agent_id, message_id`;

export class SearchTrials {
  readonly #file: SearchFile;

  constructor(file: SearchFile) {
    this.#file = file;
  }

  /** Written before the work begins, so that the next start knows the work that ended the thread. */
  begin(trials: readonly Trial[]): void {
    const insert = this.#file.sql(
      "insert or replace into trial (agent_id, up_to, message_id, attempts) values (?, ?, ?, ?)",
    );
    this.#file.inTransaction(() => {
      for (const { agent, upTo, message, attempts } of trials) insert.run(agent, upTo, message, attempts);
    });
  }

  end(agent: AgentNumber): void {
    this.#file.sql("delete from trial where agent_id = ?").run(agent);
  }

  /** As if the work for these agents had not begun. `last` is what stood there before. */
  takeBack(work: readonly { readonly agent: AgentNumber }[], last: Trial | undefined): void {
    if (last !== undefined) this.begin([last]);
    else for (const { agent } of work) this.end(agent);
  }

  list(): Trial[] {
    return this.#file
      .sql<Trial>(
        `select agent_id as agent, up_to as "upTo", message_id as message, attempts
        from trial
        order by agent_id`,
      )
      .all();
  }

  setAside({ agent, message, reason, attempts }: SetAside): void {
    this.#file
      .sql("insert or replace into set_aside (agent_id, message_id, reason, attempts) values (?, ?, ?, ?)")
      .run(agent, message, reason, attempts);
  }

  /** To be called when the message is indexed or deleted. */
  forget(agent: AgentNumber, message: MessageNumber): void {
    this.#file.sql("delete from set_aside where agent_id = ? and message_id = ?").run(agent, message);
  }

  listSetAside(): SetAside[] {
    return this.#file.sql<SetAside>(selectSetAside).all();
  }
}

/** The messages that the index of a store leaves out, read while another thread writes it; empty when there is no index. */
export function readSetAside(folder: string): SetAside[] {
  if (!fs.existsSync(path.join(folder, "search.db"))) return [];
  const database = openSearchFile(folder);
  try {
    const table = database.prepare("select 1 from sqlite_master where name = 'set_aside'").get();
    return table === undefined ? [] : database.prepare<[], SetAside>(selectSetAside).all();
  } finally {
    database.close();
  }
}
