/** The QRESYNC parameter of SELECT and EXAMINE (RFC 7162 section 3.2.5): what changed since the client left the mailbox.
 *
 *  select-param = "QRESYNC" SP "(" uidvalidity SP mod-sequence-value [SP known-uids] [SP seq-match-data] ")"
 *  seq-match-data = "(" known-sequence-set SP known-uid-set ")" */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import { intersectNumberSets, type NumberSet, numbersIn } from "#/src/model/number-set.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { bad } from "../errors.ts";
import { flagFacets, type SelectedMailbox } from "../session/selected-mailbox.ts";
import type { Session } from "../session/session.ts";
import type { SessionView } from "../session/session-view.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import { readSequenceSet, resolveSequenceSet } from "../wire/sequence-set.ts";
import type { WireReader } from "../wire/wire-reader.ts";
import { readMailboxChanges } from "./mailbox-changes.ts";
import { writeVanished } from "./vanished.ts";
import { vanishedUids } from "./vanished-uids.ts";

export interface Resynchronisation {
  readonly uidValidity: number;
  readonly modseq: Modseq;
  readonly knownUids: NumberSet | undefined;
  /** Sequence numbers and the UIDs that they had when the client last knew them, in the same order. */
  readonly matchData: { readonly seqs: NumberSet; readonly uids: NumberSet } | undefined;
}

/** Reads what follows the word QRESYNC. */
export function readResynchronisation(reader: WireReader): Resynchronisation {
  reader.space();
  reader.character("(");
  const uidValidity = reader.nonZeroNumber();
  reader.space();
  const modseq = reader.number64() as Modseq;
  if (modseq === 0) throw bad("A MODSEQ is above 0");
  let hasMore = reader.trySpace();
  const hasUids = hasMore && reader.peek() !== "(";
  const knownUids = hasUids ? readKnownSet(reader) : undefined;
  if (hasUids) hasMore = reader.trySpace();
  const matchData = hasMore ? readMatchData(reader) : undefined;
  reader.character(")");
  return { uidValidity, modseq, knownUids, matchData };
}

function readMatchData(reader: WireReader): { seqs: NumberSet; uids: NumberSet } {
  reader.character("(");
  const seqs = readKnownSet(reader);
  reader.space();
  const uids = readKnownSet(reader);
  reader.character(")");
  return { seqs, uids };
}

/** A sequence set without `*` and `$`: the client names numbers that it knows. */
function readKnownSet(reader: WireReader): NumberSet {
  const set = readSequenceSet(reader);
  if (set === "saved" || set.some((range) => range.includes("star"))) throw bad("Expected numbers only");
  return resolveSequenceSet(set, 0);
}

/** The highest UID up to which the client knows all expunged messages: if a message still has the sequence number that the client
 *  knows, no message before it was expunged (RFC 7162 section 3.2.5.2). */
export function highestMatch(view: SessionView, seqs: NumberSet, uids: NumberSet): number {
  const uidsInTurn = numbersIn(uids);
  let highest = 0;
  for (const seq of numbersIn(seqs)) {
    if (seq > view.count) break;
    const uid = uidsInTurn.next();
    if (uid.done) break;
    if (view.uidOf(seq) === uid.value) highest = uid.value;
  }
  return highest;
}

/** Writes VANISHED (EARLIER) and FETCH for what the client missed; nothing if its UIDVALIDITY is not that of the mailbox. */
export async function resynchronise(
  session: Session,
  selected: SelectedMailbox,
  known: Resynchronisation,
  out: ResponseWriter,
): Promise<void> {
  const { mailbox, view } = selected;
  const { mail, feed } = session.rooms;
  if (known.uidValidity !== mailbox.uidValidity) return;
  const now = await mail.findMailboxByNumber(mailbox.agent, mailbox.number);
  if (now === undefined || now.highestModseq <= known.modseq) return;
  const wanted: NumberSet = known.knownUids ?? [[1, Math.max(1, mailbox.uidNext - 1)]];
  const changes = await readMailboxChanges(
    feed,
    mailbox.agent,
    mailbox.number,
    known.modseq,
    now.highestModseq,
  );

  const { matchData } = known;
  const matched = matchData === undefined ? 0 : highestMatch(view, matchData.seqs, matchData.uids);
  const unmatched = intersectNumberSets(wanted, [[matched + 1, 2 ** 32 - 1]]);
  await writeVanished(vanishedUids(selected, unmatched, changes), true, out);

  const shown = intersectNumberSets(wanted, changes?.changed ?? view.uidSet);
  const turns = new LoopTurns();
  const { agent, number } = mailbox;
  for await (const page of mail.shownPages(agent, number, selected.presentUids(shown), flagFacets(true)))
    for (const entry of page) {
      if (entry.modseq! <= known.modseq || view.seqOf(entry.uid) === undefined) continue;
      out.line(selected.flagsResponse(entry, { hasUid: true, hasCondstore: true }));
      await out.flushIfLarge();
      await turns.turn();
    }
}
