/** The journal of a program that will be killed, and the check that the store still has everything that it acknowledged.
 *
 *  The program writes a line before each write (`begun`) and after its acknowledgement (`done`) to a file outside the store. The lines
 *  survive the kill, because the operating system holds the file. Each message is written by one producer, so its lines are in order. */
import fs from "node:fs";
import type { AgentNumber, Uid } from "#/src/model/numbers.ts";
import { readBlobRange } from "#/storage/blob.ts";
import type { MessageRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";

export type Action = "deliver" | "flag" | "expunge" | "put" | "move" | "remove" | "invite" | "arrive";

export interface JournalLine {
  readonly action: Action;
  readonly isDone: boolean;
  readonly agent: number;
  /** The UID of a message, or the number of an item. */
  readonly uid: number;
  /** A text that no other message has. */
  readonly mark: string;
}

export function formatLine({ action, isDone, agent, uid, mark }: JournalLine): string {
  return `${isDone ? "done" : "begun"} ${action} ${agent} ${uid} ${mark}\n`;
}

export function readJournal(file: string): JournalLine[] {
  // The kill may have cut off the last line. Then nobody was told of it.
  const lines = fs.readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => {
    const [state, action, agent, uid, mark] = line.split(" ");
    return {
      isDone: state === "done",
      action: action as Action,
      agent: Number(agent),
      uid: Number(uid),
      mark: mark!,
    };
  });
}

/** Acknowledged writes that are lost, as sentences. */
export async function findLosses(store: Store, lines: readonly JournalLine[]): Promise<string[]> {
  const losses: string[] = [];
  const states = new Map<
    string,
    { line: JournalLine; isFlagged: boolean; expunge: "no" | "begun" | "done" }
  >();
  for (const line of lines) {
    const key = `${line.agent} ${line.uid}`;
    const state = states.get(key);
    if (line.action === "deliver" && line.isDone) {
      // A store gives a UID a second time only when it has lost the first message.
      if (state !== undefined) losses.push(`UID ${line.uid} of agent ${line.agent} was given twice`);
      states.set(key, { line, isFlagged: false, expunge: "no" });
    } else if (state !== undefined && line.action === "flag") state.isFlagged ||= line.isDone;
    else if (state !== undefined && line.action === "expunge") state.expunge = line.isDone ? "done" : "begun";
  }
  for (const { line, isFlagged, expunge } of states.values()) {
    const name = `UID ${line.uid} of agent ${line.agent}`;
    const entry = await findInboxEntry(store, line.agent as AgentNumber, line.uid as Uid);
    if (entry === undefined) {
      if (expunge === "no") losses.push(`${name} was acknowledged and is not there`);
    } else if (expunge === "done") losses.push(`${name} was expunged and is there`);
    else if (isFlagged && (entry.flags & 1) === 0) losses.push(`${name} has lost an acknowledged flag`);
    else {
      const bytes = await readBlobRange(store, entry.account, entry.blob, 0, 1e9);
      if (!bytes.includes(line.mark)) losses.push(`${name} is another message than the one acknowledged`);
    }
  }
  return losses;
}

function findInboxEntry(
  store: Store,
  agent: AgentNumber,
  uid: Uid,
): Promise<({ flags: number } & Pick<MessageRow, "account" | "blob">) | undefined> {
  return store.get(
    `select entry.flags, message.account_id as account, message.blob_id as blob
    from mailbox
    join entry on entry.agent_id = mailbox.agent_id and entry.mailbox_id = mailbox.mailbox_id
    join message on message.agent_id = entry.agent_id and message.message_id = entry.message_id
    where mailbox.agent_id = ? and mailbox.role = 'inbox' and entry.uid = ?`,
    agent,
    uid,
  );
}
