import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import type { SortCriterion } from "#/src/mail/ordering/sort-keys.ts";
import { type SearchKey, uidsOfKey } from "#/src/mail/search/search-keys.ts";
import { emptyNumberSet, type NumberSet, numberSetOf } from "#/src/model/number-set.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import type { Form } from "../command-context.ts";
import { bad, refusalOf } from "../errors.ts";
import { limitMessages, overLimit } from "../session/message-limit.ts";
import type { Session } from "../session/session.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import { type NewContext, writeNoUpdate } from "./contexts.ts";
import { scoresOf, widenFuzzyKeys } from "./fuzzy.ts";
import { asksModseq, hasKey, type ImapSearchKey } from "./grammar.ts";
import { assertKnownCharset, type SearchCharset, type SearchReturn } from "./options.ts";
import { resolveSearchKey } from "./resolution.ts";

export interface FoundUids {
  /** Ascending; only messages that the client knows. A message that arrived since has no sequence number yet. */
  readonly uids: readonly number[];
  readonly highestModseq: Modseq | undefined;
  /** The search key. */
  readonly key: SearchKey;
  /** The lowest UID that was searched, where MESSAGELIMIT left messages out. */
  readonly lowest: number | undefined;
}

/** A client that enabled UTF8=ACCEPT must not name a charset (RFC 6855 section 3). */
export function assertMayNameCharset(session: Session, charset: SearchCharset | undefined): void {
  if (charset === undefined) return;
  if (session.isEnabled("UTF8=ACCEPT")) throw bad("UTF-8 is in use, without CHARSET");
  assertKnownCharset(charset);
}

/** Runs a command that searches. If it saves its result and ends in NO, "$" becomes empty; if it is BAD, "$" stays as it was
 *  (RFC 5182 section 2.1, RFC 9051 section 6.4.4.1). */
export async function runSaving<T>(
  { selected }: Session,
  returns: SearchReturn | undefined,
  search: () => Promise<T>,
): Promise<T> {
  try {
    return await search();
  } catch (error) {
    const saves = returns?.options.includes("SAVE") ?? false;
    if (saves && refusalOf(error)?.status !== "BAD") selected.saved = emptyNumberSet;
    throw error;
  }
}

/** Refuses UPDATE with a tag that already names a result kept up to date (RFC 5267 section 4.3). */
export function assertMayUpdate(session: Session, returns: SearchReturn | undefined): void {
  if (returns?.options.includes("UPDATE") && session.selected.contexts.has(session.tag))
    throw bad("A search of this tag is kept up to date");
}

/** Keeps the result up to date if the client asked for UPDATE. `criteria`: those of a SORT; "none" where its order cannot be kept
 *  up to date. */
export function keepUpToDate(
  session: Session,
  returns: SearchReturn | undefined,
  {
    criteria,
    ...context
  }: Omit<NewContext, "items" | "criteria"> & {
    readonly criteria?: readonly SortCriterion[] | "none";
  },
  out: ResponseWriter,
): void {
  if (!returns?.options.includes("UPDATE")) return;
  const { contexts } = session.selected;
  const items = returns.updateItems ?? [];
  const isKept =
    criteria !== "none" && contexts.add(session.tag, { ...context, items, ...(criteria && { criteria }) });
  if (!isKept) writeNoUpdate(session.tag, out);
}

/** Finds the messages of SEARCH, SORT or THREAD in the selected mailbox. */
export async function findMessages(session: Session, key: ImapSearchKey): Promise<FoundUids> {
  const { selected } = session;
  if (asksModseq(key)) session.enable("CONDSTORE");
  const { agent, number } = selected.mailbox;
  const resolved = resolveSearchKey(widenFuzzyKeys(key), selected, session.rooms.mail);
  const { uids: searched, lowest } = limitMessages(searchedUids(session, resolved), session.messageLimit);
  const within: SearchKey =
    lowest === undefined ? resolved : { kind: "and", keys: [{ kind: "uids", uids: searched }, resolved] };
  const found = await session.rooms.mail.searchMailbox(agent, number, within);
  return { ...found, uids: await knownTo(session, found.uids), key: resolved, lowest };
}

/** UIDs that the search covers. Only the command's own limit may leave messages out. */
function searchedUids(session: Session, key: SearchKey): NumberSet {
  const { selected, messageLimit } = session;
  return selected.view.count <= messageLimit ? emptyNumberSet : selected.presentUids(uidsOfKey(key));
}

/** Refuses SORT and THREAD beyond the limit: an order or threads cannot be answered in part. */
export function assertWithinLimit(session: Session, { lowest }: FoundUids): void {
  if (lowest !== undefined) throw overLimit(session.messageLimit);
}

/** Relevancy scores of the messages that a key with FUZZY found (RFC 6203 section 4). */
export async function scoreMessages(
  session: Session,
  key: ImapSearchKey,
  uids: readonly number[],
): Promise<number[]> {
  if (!hasKey(key, "fuzzy")) throw bad("RELEVANCY needs a FUZZY search key");
  const { agent, number } = session.selected.mailbox;
  const literal = resolveSearchKey(key, session.selected, session.rooms.mail);
  return scoresOf(uids, (await session.rooms.mail.searchMailbox(agent, number, literal)).uids);
}

/** The UIDs that have a sequence number and are not expunged. Both lists ascend, so one pass compares them. */
async function knownTo(session: Session, uids: readonly number[]): Promise<number[]> {
  const { view } = session.selected;
  const turns = new LoopTurns();
  const known: number[] = [];
  await turns.turn();
  const { allUids } = view;
  let at = 0;
  for (const uid of uids) {
    if (at % 4096 === 4095) await turns.turn();
    while (at < allUids.length && allUids[at]! < uid) at++;
    if (allUids[at] === uid && !(view.hasExpunged && view.isExpunged(uid))) known.push(uid);
  }
  return known;
}

/** The UIDs, or their sequence numbers, as the form of the command names messages. */
export async function numbersOf(
  session: Session,
  uids: readonly number[],
  form: Form,
): Promise<readonly number[]> {
  if (form === "uid") return uids;
  const { view } = session.selected;
  const turns = new LoopTurns();
  await turns.turn();
  const seqs: number[] = [];
  for (const uid of uids) {
    seqs.push(view.seqOf(uid)!);
    if (seqs.length % 1000 === 0) await turns.turn();
  }
  return seqs;
}

/** The highest MODSEQ of messages. */
export async function highestModseqOf(
  session: Session,
  uids: readonly number[],
  mailbox: Pick<Mailbox, "agent" | "number"> = session.selected.mailbox,
): Promise<Modseq | undefined> {
  const { agent, number } = mailbox;
  let highest: Modseq | undefined;
  for await (const page of session.rooms.mail.shownPages(agent, number, numberSetOf(uids), ["numbers"]))
    for (const { modseq } of page) if (modseq! > (highest ?? 0)) highest = modseq;
  return highest;
}
