/** CONTEXT=SEARCH and CONTEXT=SORT (RFC 5267 section 4.3): searches whose changed results are sent to the client.
 *
 *  When changes are sent, only messages that arrived or changed are searched again. Expunged messages leave the results just
 *  before EXPUNGE. Results of SEARCH are in the order of the mailbox, so their position is always 0. Results of SORT are sent
 *  with their positions (`result-positions.ts`); each new message is sorted with the whole result, so the result's size is bounded. */
import type { Mail } from "#/src/mail/mail.ts";
import type { SortCriterion } from "#/src/mail/ordering/sort-keys.ts";
import type { SearchKey } from "#/src/mail/search/search-keys.ts";
import {
  emptyNumberSet,
  formatNumberSet,
  type NumberSet,
  numberSetOf,
  uniteNumberSets,
} from "#/src/model/number-set.ts";
import type { ReachedMailbox } from "#/src/reach/mailbox-access.ts";
import type { Form } from "../command-context.ts";
import type { FetchItem } from "../fetch/items.ts";
import { searchContextsMax, sortedContextMessagesMax } from "../limits.ts";
import type { SessionView } from "../session/session-view.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import { stringText } from "../wire/strings.ts";
import { formatAdded, formatRemoved, insertSorted, withPlaced } from "./result-positions.ts";

interface SearchContext {
  form: Form;
  readonly key: SearchKey;
  readonly uids: Set<number>;
  /** FETCH items that are sent for a new message that comes into the result (RFC 5465 section 7). */
  readonly items: readonly FetchItem[];
  /** Present for SORT, absent for SEARCH. */
  readonly sorted?: SortedResult;
}

interface SortedResult {
  readonly criteria: readonly SortCriterion[];
  /** The result as the client has it. */
  order: readonly number[];
}

export interface NewContext extends Omit<SearchContext, "uids" | "sorted"> {
  /** In the order of the result. */
  readonly uids: readonly number[];
  readonly criteria?: readonly SortCriterion[];
}

/** What the contexts need of the selected mailbox. */
export interface SearchedMailbox {
  readonly mailbox: ReachedMailbox;
  readonly view: SessionView;
  /** The UIDs of a set that the client knows and that still exist. */
  presentUids(uids: NumberSet): NumberSet;
}

export class SearchContexts {
  readonly #byTag = new Map<string, SearchContext>();
  /** UIDs to be searched again. */
  #touched: NumberSet = emptyNumberSet;

  has(tag: string): boolean {
    return this.#byTag.has(tag);
  }

  /** Keeps a result up to date. False if there are too many contexts already. */
  add(tag: string, { uids, criteria, ...context }: NewContext): boolean {
    if (this.#byTag.size >= searchContextsMax) return false;
    if (criteria !== undefined && uids.length > sortedContextMessagesMax) return false;
    const sorted = criteria && { criteria, order: uids };
    this.#byTag.set(tag, { ...context, uids: new Set(uids), ...(sorted && { sorted }) });
    return true;
  }

  /** From now on results are sent as UIDs (RFC 9586 section 3). */
  speakUids(): void {
    for (const context of this.#byTag.values()) context.form = "uid";
  }

  /** Whether there was a context with that tag. */
  cancel(tag: string): boolean {
    return this.#byTag.delete(tag);
  }

  /** Whether something is to be searched again. */
  get isTouched(): boolean {
    return this.#touched.length > 0;
  }

  note(uids: NumberSet): void {
    if (this.#byTag.size > 0) this.#touched = uniteNumberSets(this.#touched, uids);
  }

  /** Called while the sequence numbers of expunged messages are still valid. */
  tellExpunged(view: SessionView, out: ResponseWriter): void {
    if (this.#byTag.size === 0) return;
    const expunged = view.knownUids(view.expunged);
    for (const [tag, context] of this.#byTag)
      tellRemoved(
        tag,
        context,
        expunged.filter((uid) => context.uids.delete(uid)),
        view,
        out,
      );
  }

  /** FETCH items to send for new messages, by UID. */
  async itemsOfNew(
    selected: SearchedMailbox,
    mail: Pick<Mail, "searchMailbox">,
    uids: NumberSet,
  ): Promise<ReadonlyMap<number, readonly FetchItem[]>> {
    const byUid = new Map<number, readonly FetchItem[]>();
    for (const { key, items } of this.#byTag.values()) {
      if (items.length === 0) continue;
      for (const uid of await findAmong(selected, mail, uids, key))
        byUid.set(uid, [...(byUid.get(uid) ?? []), ...items]);
    }
    return byUid;
  }

  async tellChanged(
    selected: SearchedMailbox,
    mail: Pick<Mail, "searchMailbox" | "sortMessages">,
    out: ResponseWriter,
  ): Promise<void> {
    if (this.#touched.length === 0) return;
    const present = selected.presentUids(this.#touched);
    this.#touched = emptyNumberSet;
    if (present.length === 0) return;
    const { view } = selected;
    for (const [tag, context] of [...this.#byTag]) {
      const { key, uids, sorted } = context;
      const found = new Set<number>(await findAmong(selected, mail, present, key));
      const known = view.knownUids(present);
      const gone = known.filter((uid) => !found.has(uid) && uids.delete(uid));
      const come = known.filter((uid) => found.has(uid) && !uids.has(uid));
      for (const uid of come) uids.add(uid);
      tellRemoved(tag, context, gone, view, out);
      if (sorted === undefined) tell(tag, context, "ADDTO", come, view, out);
      else if (uids.size <= sortedContextMessagesMax)
        await this.#tellSorted(tag, context, sorted, come, selected, mail, out);
      else {
        this.#byTag.delete(tag);
        writeNoUpdate(tag, out);
      }
    }
  }

  async #tellSorted(
    tag: string,
    context: SearchContext,
    sorted: SortedResult,
    come: readonly number[],
    { mailbox, view }: SearchedMailbox,
    mail: Pick<Mail, "sortMessages">,
    out: ResponseWriter,
  ): Promise<void> {
    if (come.length === 0) return;
    const { criteria, order } = sorted;
    const all = numberSetOf([...context.uids].sort((a, b) => a - b));
    const ordered = await mail.sortMessages(mailbox.agent, mailbox.number, all, criteria);
    const placed = insertSorted(order, ordered, new Set(come));
    // A message deleted from the store meanwhile never gets into the client's result.
    const kept = new Set(placed.map(({ uid }) => uid));
    for (const uid of come) if (!kept.has(uid)) context.uids.delete(uid);
    sorted.order = withPlaced(order, placed);
    const changes = placed.map(({ uid, position }) => ({ position, number: numberOf(uid, context, view) }));
    writeUpdate(tag, context, "ADDTO", formatAdded(changes), out);
  }
}

async function findAmong(
  { mailbox }: SearchedMailbox,
  mail: Pick<Mail, "searchMailbox">,
  uids: NumberSet,
  key: SearchKey,
): Promise<readonly number[]> {
  const among: SearchKey = { kind: "and", keys: [{ kind: "uids", uids }, key] };
  return (await mail.searchMailbox(mailbox.agent, mailbox.number, among)).uids;
}

function tellRemoved(
  tag: string,
  context: SearchContext,
  uids: readonly number[],
  view: SessionView,
  out: ResponseWriter,
): void {
  const { sorted } = context;
  if (sorted === undefined) {
    tell(tag, context, "REMOVEFROM", uids, view, out);
    return;
  }
  const gone = new Set(uids);
  const changes = sorted.order.flatMap((uid, at) =>
    gone.has(uid) ? [{ position: at + 1, number: numberOf(uid, context, view) }] : [],
  );
  sorted.order = sorted.order.filter((uid) => !gone.has(uid));
  writeUpdate(tag, context, "REMOVEFROM", formatRemoved(changes), out);
}

/** In the order of the mailbox. */
function tell(
  tag: string,
  context: SearchContext,
  word: "ADDTO" | "REMOVEFROM",
  uids: readonly number[],
  view: SessionView,
  out: ResponseWriter,
): void {
  if (uids.length === 0) return;
  const numbers = uids.map((uid) => numberOf(uid, context, view));
  writeUpdate(tag, context, word, `0 ${formatNumberSet(numberSetOf(numbers))}`, out);
}

function numberOf(uid: number, { form }: SearchContext, view: SessionView): number {
  return form === "uid" ? uid : view.seqOf(uid)!;
}

function writeUpdate(
  tag: string,
  { form }: SearchContext,
  word: "ADDTO" | "REMOVEFROM",
  changes: string,
  out: ResponseWriter,
): void {
  if (changes === "") return;
  const kind = form === "uid" ? " UID" : "";
  out.line(`* ESEARCH (TAG ${stringText(tag)})${kind} ${word} (${changes})`);
}

/** NOUPDATE: the result of that tag is not kept up to date, or no longer (RFC 5267 section 4.3.1). */
export function writeNoUpdate(tag: string, out: ResponseWriter): void {
  out.line(`* NO [NOUPDATE ${stringText(tag)}] Too much is kept up to date`);
}
