import type { Author } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { findNote, listNotes, type NoteRow } from "#/storage/queries/mail/notes.ts";
import type { ResultOf, Store } from "#/storage/store.ts";
import { type Idempotency, type Once, writeOnce } from "./write-once.ts";

export interface NoteText {
  readonly title: string;
  readonly body: string;
}

export interface Notes {
  findNote(agent: AgentNumber, note: number): Promise<NoteRow | undefined>;
  listNotes(agent: AgentNumber): Promise<NoteRow[]>;
  createNote(
    by: Author,
    agent: AgentNumber,
    text: NoteText,
    once?: Idempotency,
  ): Promise<Once<ResultOf<"createNote">>>;
  updateNote(
    by: Author,
    agent: AgentNumber,
    note: number,
    version: string | undefined,
    text: NoteText,
    once?: Idempotency,
  ): Promise<Once<ResultOf<"updateNote">>>;
  deleteNote(
    by: Author,
    agent: AgentNumber,
    note: number,
    version: string | undefined,
    once?: Idempotency,
  ): Promise<Once<ResultOf<"deleteNote">>>;
}

export function createNotes(store: Store): Notes {
  const at = (): number => store.clock.now();
  return {
    findNote: (agent, note) => findNote(store, agent, note),
    listNotes: (agent) => listNotes(store, agent),
    createNote: (by, agent, { title, body }, once) =>
      writeOnce(store, by, "createNote", { agent, title, body, at: at() }, once),
    updateNote: (by, agent, note, version, { title, body }, once) =>
      writeOnce(store, by, "updateNote", { agent, note, version, title, body, at: at() }, once),
    deleteNote: (by, agent, note, version, once) =>
      writeOnce(store, by, "deleteNote", { agent, note, version, at: at() }, once),
  };
}
