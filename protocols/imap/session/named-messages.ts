/** Which messages a command names: its sequence set, resolved with the session's view (RFC 9051 sections 6.4.9 and 9). */
import { countNumbers, type NumberSet, subtractNumberSets } from "#/src/model/number-set.ts";
import type { Answer } from "../command.ts";
import type { Form } from "../command-context.ts";
import { bad } from "../errors.ts";
import { resolveSequenceSet, type SequenceSet } from "../wire/sequence-set.ts";
import type { SelectedMailbox } from "./selected-mailbox.ts";

export interface NamedMessages {
  /** The named messages that exist. */
  readonly uids: NumberSet;
  /** Some named messages are expunged and the client has not been told (RFC 5530, EXPUNGEISSUED). */
  readonly hasExpunged: boolean;
}

/** The answer of a command that left such messages out. */
export const goneAnswer: Answer = { code: "EXPUNGEISSUED", text: "Some of the messages are gone" };

/** UIDs that do not exist are ignored; a sequence number that does not exist is an error. */
export function namedMessages(selected: SelectedMailbox, set: SequenceSet, form: Form): NamedMessages {
  const { view } = selected;
  let known: NumberSet;
  if (set === "saved") known = view.knownSet(selected.saved);
  else if (form === "uid") known = view.knownSet(resolveSequenceSet(set, view.highestUid));
  else {
    const highest = view.count;
    const isOutside = set.some((range) => range.some((bound) => bound !== "star" && bound > highest));
    // Clients send "1:*" without knowing whether the mailbox is empty.
    const isAll = set.every(([, last]) => last === "star");
    if (isOutside && !(highest === 0 && isAll)) throw bad("No message has this sequence number");
    known = highest === 0 ? [] : view.uidsOfSeqs(resolveSequenceSet(set, highest));
  }
  if (!view.hasExpunged) return { uids: known, hasExpunged: false };
  const uids = subtractNumberSets(known, view.expunged);
  return { uids, hasExpunged: countNumbers(uids) < countNumbers(known) };
}
