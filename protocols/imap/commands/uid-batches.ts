/** UIDBATCHES (RFC 10022): UID ranges that divide the selected mailbox into batches of a given size, the newest first.
 *  uidbatches = "UIDBATCHES" SP nz-number [SP nz-number ":" nz-number]
 *  The number of batches has no limit, their size has a lower one: with small batches a client could compute sequence numbers,
 *  which UIDONLY does not have (section 3.1.3). */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { command, whenSelected } from "../command.ts";
import { bad, no } from "../errors.ts";
import { batchMessagesMin } from "../limits.ts";
import type { WireReader } from "../wire/wire-reader.ts";

interface UidBatchesArguments {
  readonly size: number;
  /** The first and last batch that is asked for, counted from the newest. */
  readonly first: number;
  readonly last: number;
}

export const uidBatches = command({
  name: "UIDBATCHES",
  states: whenSelected,
  forms: ["plain"],
  usesSequence: false,
  capabilities: ["UIDBATCHES"],
  source: "RFC 10022",
  parse(reader): UidBatchesArguments {
    reader.space();
    const size = readNumber(reader);
    if (!reader.trySpace()) return { size, first: 1, last: Number.POSITIVE_INFINITY };
    const first = readNumber(reader);
    reader.character(":");
    const last = readNumber(reader);
    if (first > last) throw bad("The first batch of the range is above the last", "CLIENTBUG");
    return { size, first, last };
  },
  async run(session, { size, first, last }, out) {
    if (size < batchMessagesMin) throw no("TOOFEW", `A batch has at least ${batchMessagesMin} messages`);
    const { view } = session.selected;
    const turns = new LoopTurns();
    out.text(`* UIDBATCHES (TAG "${session.tag}")`);
    for (let batch = first; batch <= last; batch++) {
      const newest = view.count - (batch - 1) * size;
      if (newest < 1) break;
      // The last batch ends at UID 1, whether or not a message has it.
      const oldest = newest - size;
      const lowest = oldest > 0 ? view.uidOf(oldest + 1) : 1;
      out.text(`${batch === first ? " " : ","}${view.uidOf(newest)}:${lowest}`);
      await out.flushIfLarge();
      await turns.turn();
    }
    out.line("");
    return undefined;
  },
});

function readNumber(reader: WireReader): number {
  const number = reader.number();
  if (number === 0) throw bad("0 is no number of messages or batches", "CLIENTBUG");
  return number;
}
