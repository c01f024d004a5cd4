/** The mail that is indexed at once, and its bounds. */
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { NewMessages } from "#/storage/search/search-source.ts";

/** Messages of one batch: one transaction of the index. */
const batchMessages = 64;
/** Octets of messages of one batch, but for a message that is larger alone: what is indexed is soon found. */
const batchBytes = 1024 * 1024;

/** An owner's part of a batch. */
export interface Slice extends NewMessages {
  readonly agent: AgentNumber;
}

/** The next mail of the agents that are behind. Mail that is tried alone is alone. */
export async function nextBatch(
  behind: Set<AgentNumber>,
  newMailOf: (agent: AgentNumber, messagesMax: number) => Promise<Slice | undefined>,
  isTriedAlone: (agent: AgentNumber) => boolean,
): Promise<Slice[]> {
  const batch: Slice[] = [];
  let room = batchMessages;
  let bytesLeft = batchBytes;
  for (const agent of [...behind]) {
    if (room === 0 || (batch.length > 0 && isTriedAlone(agent))) break;
    // Taken out before the log is read: a ring that comes meanwhile puts it in again.
    behind.delete(agent);
    const all = await newMailOf(agent, room);
    if (all === undefined) continue;
    const slice = beginningOf(all, bytesLeft, batch.length === 0);
    if (slice.isPartial) behind.add(agent);
    if (all.messages.length > 0 && slice.messages.length === 0) break;
    batch.push(slice);
    if (isTriedAlone(agent)) break;
    room -= slice.messages.length;
    bytesLeft -= bytesOf(slice);
  }
  return batch;
}

/** So many of the messages as the room takes. The first message of a batch always has room. */
function beginningOf<S extends NewMessages>(state: S, room: number, isFirst: boolean): S {
  let bytes = 0;
  let end = 0;
  for (const { size } of state.messages) {
    bytes += size;
    if (bytes > room && !(isFirst && end === 0)) break;
    end++;
  }
  if (end === state.messages.length) return state;
  const messages = state.messages.slice(0, end);
  const last = messages.at(-1)?.message as number | undefined;
  return { ...state, messages, upTo: (last ?? 0) as Modseq, isPartial: true };
}

function bytesOf({ messages }: NewMessages): number {
  return messages.reduce((sum, { size }) => sum + size, 0);
}
