/** FETCH and UID FETCH (RFC 9051 section 6.4.5, RFC 3516 BINARY, RFC 7162 section 3.1.4, RFC 8474, RFC 8514).
 *  fetch = "FETCH" SP sequence-set SP ("ALL" / "FULL" / "FAST" / fetch-att / "(" fetch-att *(SP fetch-att) ")")
 *          [SP "(" fetch-modifier *(SP fetch-modifier) ")"]
 *  Items in `fetch/items.ts`, modifiers in `fetch/modifiers.ts`, responses in `fetch/response.ts`. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import type { ShownMessage } from "#/src/mail/entries.ts";
import { ifAvailable } from "#/src/model/errors.ts";
import { seenFlag } from "#/src/model/flags.ts";
import {
  emptyNumberSet,
  hasNumber,
  intersectNumberSets,
  type NumberSet,
  numberSetOf,
  numbersIn,
} from "#/src/model/number-set.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { type Answer, command, whenSelected } from "../command.ts";
import type { Form } from "../command-context.ts";
import { bad } from "../errors.ts";
import { eachOnce, type FetchItem, type RowItem, readFetchItems } from "../fetch/items.ts";
import { type FetchModifiers, readFetchModifiers } from "../fetch/modifiers.ts";
import {
  facetsOf,
  type ResponseContext,
  type ShownItem,
  shownItems,
  writeReadyResponse,
} from "../fetch/ready-response.ts";
import { writeFetchResponse } from "../fetch/response.ts";
import { readMailboxChanges } from "../resynchronise/mailbox-changes.ts";
import { writeVanished } from "../resynchronise/vanished.ts";
import { vanishedUids } from "../resynchronise/vanished-uids.ts";
import { cutPartial, partialCount } from "../search/options.ts";
import { limitedAnswer, limitMessages, overLimit } from "../session/message-limit.ts";
import { goneAnswer, namedMessages } from "../session/named-messages.ts";
import type { SelectedMailbox } from "../session/selected-mailbox.ts";
import type { Session } from "../session/session.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import { readSequenceSet, resolveSequenceSet, type SequenceSet } from "../wire/sequence-set.ts";

interface FetchArguments {
  readonly set: SequenceSet;
  readonly items: readonly FetchItem[];
  readonly modifiers: FetchModifiers;
}

export const fetch = command({
  name: "FETCH",
  states: whenSelected,
  forms: ["plain", "uid"],
  usesSequence: true,
  capabilities: ["BINARY", "CONDSTORE", "SAVEDATE", "PREVIEW", "PARTIAL"],
  source: "RFC 9051 6.4.5, RFC 3516, RFC 7162, RFC 8474, RFC 8514, RFC 8970, RFC 9394",
  parse(reader, context): FetchArguments {
    reader.space();
    const set = readSequenceSet(reader);
    reader.space();
    const items = eachOnce(readFetchItems(reader));
    return { set, items, modifiers: reader.trySpace() ? readFetchModifiers(reader, context.form) : {} };
  },
  run: runFetch,
});

/** Adds the items that are sent without being asked for. UID FETCH always answers UIDs (RFC 9051 section 6.4.9); UIDFETCH
 *  responses begin with the UID (RFC 9586 section 3.3). */
function withImplied(items: readonly FetchItem[], form: Form, isUidOnly: boolean): readonly FetchItem[] {
  return form === "uid" && !isUidOnly && !hasRow(items, "UID") ? [row("UID"), ...items] : items;
}

function row(name: RowItem): FetchItem {
  return { kind: "row", name };
}

function hasRow(items: readonly FetchItem[], name: RowItem): boolean {
  return items.some((item) => item.kind === "row" && item.name === name);
}

async function runFetch(
  session: Session,
  args: FetchArguments,
  out: ResponseWriter,
  form: Form,
): Promise<Answer | undefined> {
  const { selected } = session;
  const { messageLimit } = session;
  const { mail } = session.rooms;
  let items = withImplied(args.items, form, selected.isUidOnly);
  const { changedSince, hasVanished, partial } = args.modifiers;
  if (hasVanished && !session.isEnabled("QRESYNC")) throw bad("ENABLE QRESYNC first");
  if (changedSince !== undefined && !hasRow(items, "MODSEQ")) items = [...items, row("MODSEQ")];
  if (hasRow(items, "MODSEQ")) session.enable("CONDSTORE");

  const named = namedMessages(selected, args.set, form);
  let { hasExpunged } = named;
  if (partial !== undefined && partialCount(partial) > messageLimit) throw overLimit(messageLimit);
  const asked =
    partial === undefined ? named.uids : numberSetOf(cutPartial([...numbersIn(named.uids)], partial));
  const { uids, lowest } = limitMessages(
    changedSince === undefined ? asked : await changedUids(session, args, changedSince, asked, out),
    messageLimit,
  );
  if (hasRow(items, "FLAGS")) await selected.tellKeywords(out);
  const { agent, number } = selected.mailbox;
  const context: ResponseContext = { mail, agent, flags: selected.flags };
  const setsSeen = !selected.isReadOnly && items.some((item) => "setsSeen" in item && item.setsSeen);
  const turns = new LoopTurns();
  const asAsked = shownItems(items, selected.responseName);
  let asSeen: readonly ShownItem[] | undefined;
  const shownFacets = facetsOf(items, setsSeen ? ["flags"] : []);

  for await (const page of mail.shownPages(agent, number, uids, ...shownFacets)) {
    const wanted = changedSince === undefined ? page : page.filter(({ modseq }) => modseq! > changedSince);
    const newlySeen = setsSeen ? await markSeen(session, selected, wanted) : undefined;
    for (const message of wanted) {
      const begin = selected.responseNumber(message.uid);
      if (begin === undefined) continue;
      let shown = message;
      let written = asAsked;
      if (newlySeen !== undefined && hasNumber(newlySeen.uids, message.uid)) {
        shown = {
          ...message,
          flags: { ...message.flags!, mask: message.flags!.mask | seenFlag },
          modseq: newlySeen.modseq,
        };
        asSeen ??= shownItems(withChangedFlags(items, session.isEnabled("CONDSTORE")), selected.responseName);
        written = asSeen;
      }
      const isWritten =
        writeReadyResponse(begin, shown, written, context, out) ||
        (await writeFetchResponse(begin, shown, written, context, out));
      if (!isWritten) hasExpunged = true;
      // Most messages wait for neither.
      if (out.isLarge) await out.flush();
      if (turns.isDue) await turns.turn();
    }
  }
  return limitedAnswer(hasExpunged ? goneAnswer : undefined, lowest, messageLimit, out);
}

/** The named messages that may have changed, from the change log; all of them if the log does not reach back that far. Writes
 *  VANISHED too, since it must come before the FETCH responses (RFC 7162 section 3.2.6). */
async function changedUids(
  session: Session,
  args: FetchArguments,
  since: Modseq,
  uids: NumberSet,
  out: ResponseWriter,
): Promise<NumberSet> {
  const { selected } = session;
  const { agent, number } = selected.mailbox;
  const now = await session.rooms.mail.findMailboxByNumber(agent, number);
  if (now === undefined || now.highestModseq <= since) return emptyNumberSet;
  const changes = await readMailboxChanges(session.rooms.feed, agent, number, since, now.highestModseq);
  if (args.modifiers.hasVanished) {
    const wanted =
      args.set === "saved" ? selected.saved : resolveSequenceSet(args.set, selected.view.highestUid);
    await writeVanished(vanishedUids(selected, wanted, changes), true, out);
  }
  return changes === undefined ? uids : intersectNumberSets(uids, changes.changed);
}

/** Sets \Seen on messages whose text is read (RFC 9051 section 6.4.5). One write for each page of messages. Where nothing can be stored now, the text
 *  is given without it. */
async function markSeen(session: Session, selected: SelectedMailbox, entries: readonly ShownMessage[]) {
  const unseen: NumberSet = numberSetOf(
    entries.filter((entry) => (entry.flags!.mask & seenFlag) === 0).map((entry) => entry.uid),
  );
  if (unseen.length === 0) return undefined;
  const { agent, number, actor } = selected.mailbox;
  const stored = await ifAvailable(
    session.rooms.mail.storeFlags(actor, agent, number, {
      uids: unseen,
      mode: "add",
      flags: seenFlag,
      keywords: [],
    }),
  );
  if (stored === undefined) return undefined;
  const { modseq, changed } = stored;
  if (changed.length > 0) selected.own(modseq);
  return { uids: changed, modseq };
}

/** Adds FLAGS to the items: a change of flags that FETCH itself makes is part of its response. */
function withChangedFlags(items: readonly FetchItem[], hasCondstore: boolean): readonly FetchItem[] {
  const added: FetchItem[] = hasRow(items, "FLAGS") ? [] : [row("FLAGS")];
  if (hasCondstore && !hasRow(items, "MODSEQ")) added.push(row("MODSEQ"));
  return added.length === 0 ? items : [...items, ...added];
}
