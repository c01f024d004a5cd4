import type { AgentNumber } from "#/src/model/numbers.ts";
import { selectList } from "../../schema/select-list.ts";
import type { Reader } from "../../sql.ts";

export interface NoteRow {
  readonly note: number;
  readonly title: string;
  readonly body: string;
  readonly size: number;
  readonly modseq: number;
}

const select = `select ${selectList<NoteRow, "note">({
  note: "note.note_id",
  title: "note.title",
  body: "note.body",
  size: "note.size",
  modseq: "note.modseq",
})} from note where agent_id = ?`;

export function findNote(reader: Reader, agent: AgentNumber, note: number): Promise<NoteRow | undefined> {
  return reader.get(`${select} and note_id = ?`, agent, note);
}

export function listNotes(reader: Reader, agent: AgentNumber): Promise<NoteRow[]> {
  return reader.all(`${select} order by note_id`, agent);
}
