/** The single transactions that take more of the writer than a few milliseconds: they wait in its lane of long writes, from which one
 *  runs after each batch of the others (`storage/writer-lanes.ts`). Measured for a processor of two cores: an octet of
 *  messages 2.5 ms a MiB, an entry, item or mailbox 20 to 60 µs. */
import { longWriteBytesMin, quickEntriesMax } from "#/src/model/limits.ts";
import type { ArgumentsOf, TransactionName } from "./index.ts";

type Weights = { readonly [N in TransactionName]?: (args: ArgumentsOf<N>) => number };

/** The number of rows of the most frequent kind. */
const weights: Weights = {
  // The mailboxes below it are renamed too: up to 5,000.
  renameMailbox: () => Number.POSITIVE_INFINITY,
  appendMessages: ({ messages }) => messages.length,
  changeItems: ({ agents }) => agents.reduce((sum, { actions }) => sum + actions.length, 0),
  deliverMessage: ({ recipients }) => recipients.length,
  submitMessage: ({ envelope }) => envelope.recipients.length,
  reportDelivery: ({ outcomes, letters }) => outcomes.length + letters.length,
};

/** Rows of the most frequent kind that the write changes; undefined if nobody has counted them. */
export function entriesOf<N extends TransactionName>(name: N, args: ArgumentsOf<N>): number | undefined {
  return weights[name]?.(args);
}

/** `bytes`: the octets of all arrays in the arguments. */
export function isLongWrite<N extends TransactionName>(
  name: N,
  args: ArgumentsOf<N>,
  bytes: number,
): boolean {
  return bytes >= longWriteBytesMin || (entriesOf(name, args) ?? 0) > quickEntriesMax;
}
