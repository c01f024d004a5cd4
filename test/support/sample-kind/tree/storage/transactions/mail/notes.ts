import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { findNote, type NoteRow } from "../../queries/mail/notes.ts";
import { insertion } from "../../schema/insertion.ts";
import type { Transaction } from "../../sql.ts";
import { deleteGrantObject } from "../../writing/accounts/grant-rows.ts";
import { type AgentTransaction, beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { assertVersion } from "../../writing/version.ts";

interface NoteText {
  readonly title: string;
  readonly body: string;
}

interface NamedNote {
  readonly agent: AgentNumber;
  readonly note: number;
  readonly version: string | undefined;
  readonly at: number;
}

const sizeOf = ({ title, body }: NoteText): number => Buffer.byteLength(title + body);

export async function createNote(
  tx: Transaction,
  args: NoteText & { readonly agent: AgentNumber; readonly at: number },
): Promise<{ note: number; modseq: Modseq }> {
  const { agent, title, body, at } = args;
  const write = await beginAgentTransaction(tx, agent, at, nobody, 1);
  const note = write.takeNumber();
  const size = sizeOf(args);
  grow(write, size, 1);
  await tx.run(
    ...insertion("note", { agent_id: agent, note_id: note, title, body, size, modseq: write.modseq }),
  );
  write.log({ kind: "note", parent: 0, operation: "add", ids: String(note) });
  return { note, modseq: await write.finish() };
}

export async function updateNote(
  tx: Transaction,
  args: NoteText & NamedNote,
): Promise<{ note: number; modseq: Modseq }> {
  const { agent, note, title, body, at } = args;
  const write = await beginAgentTransaction(tx, agent, at, nobody);
  const held = await heldNote(tx, args);
  const size = sizeOf(args);
  grow(write, size - held.size, 0);
  await tx.run(
    "update note set title = ?, body = ?, size = ?, modseq = ? where agent_id = ? and note_id = ?",
    title,
    body,
    size,
    write.modseq,
    agent,
    note,
  );
  write.log({ kind: "note", parent: 0, operation: "update", ids: String(note) });
  return { note, modseq: await write.finish() };
}

export async function deleteNote(
  tx: Transaction,
  args: NamedNote,
): Promise<{ note: number; modseq: Modseq }> {
  const { agent, note, at } = args;
  const write = await beginAgentTransaction(tx, agent, at, nobody);
  const held = await heldNote(tx, args);
  write.grow(-held.size, 0, -1);
  await tx.run("delete from note where agent_id = ? and note_id = ?", agent, note);
  await deleteGrantObject(tx, agent, "note", note);
  write.log({ kind: "note", parent: 0, operation: "remove", ids: String(note) });
  return { note, modseq: await write.finish() };
}

function grow(write: AgentTransaction, bytes: number, items: number): void {
  write.assertRoom(bytes, 0, items);
  write.grow(bytes, 0, items);
}

async function heldNote(tx: Transaction, { agent, note, version }: NamedNote): Promise<NoteRow> {
  const held = await findNote(tx, agent, note);
  if (held === undefined) throw new WaypostError("not_found", "There is no such note");
  assertVersion(version, String(held.modseq), "note");
  return held;
}
