/** What of the mail cannot be indexed: messages that are set aside, and the work that was under way when the thread ended. */
import fs from "node:fs";
import path from "node:path";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import { openSearchFile } from "../sqlite/connection.ts";
import type { SearchFile } from "./search-file.ts";

/** Work that was begun: where it is found again, the thread ended in the middle of it. */
export interface Trial {
  readonly agent: AgentNumber;
  /** Everything up to here was to be indexed. */
  readonly upTo: Modseq;
  /** 0: several messages at once. */
  readonly message: MessageNumber | 0;
  readonly attempts: number;
}

/** A message that cannot be indexed; its document holds nothing, or its header alone. */
export interface SetAside {
  readonly agent: AgentNumber;
  readonly message: MessageNumber;
  /** Names the fault, and holds no text of the message. */
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

  /** Written before the work begins, so that it is known what ended the thread. */
  begin({ agent, upTo, message, attempts }: Trial): void {
    this.#file
      .sql("insert or replace into trial (agent_id, up_to, message_id, attempts) values (?, ?, ?, ?)")
      .run(agent, upTo, message, attempts);
  }

  end(agent: AgentNumber): void {
    this.#file.sql("delete from trial where agent_id = ?").run(agent);
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

  /** The message is indexed, or gone. */
  forget(agent: AgentNumber, message: MessageNumber): void {
    this.#file.sql("delete from set_aside where agent_id = ? and message_id = ?").run(agent, message);
  }

  listSetAside(): SetAside[] {
    return this.#file.sql<SetAside>(selectSetAside).all();
  }
}

/** The messages that the index of a store leaves out, read beside the thread that writes it; none where there is no index. */
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
