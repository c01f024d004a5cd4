/** The bounds of one slice of mail to be indexed. */
import type { Modseq } from "#/src/model/numbers.ts";
import type { NewMessages } from "#/storage/search/search-source.ts";

/** Messages of one slice: one transaction of the index. */
export const sliceMessages = 32;
/** Octets of messages of one slice, but for a message that is larger alone: what is indexed is soon found. */
const sliceBytes = 1024 * 1024;

/** So many of the messages as one slice takes. */
export function beginningOf(state: NewMessages): NewMessages {
  let bytes = 0;
  let end = 0;
  for (const { size } of state.messages) {
    bytes += size;
    if (bytes > sliceBytes && end > 0) break;
    end++;
  }
  if (end === state.messages.length) return state;
  const messages = state.messages.slice(0, end);
  return { ...state, messages, upTo: messages.at(-1)!.message as number as Modseq, isPartial: true };
}
