/** CONTEXT=SEARCH (RFC 5267 section 4.3): searches whose results the client is told of as they change.
 *
 *  What arrives or changes is looked at again, only that, when changes are told; what is expunged leaves the results just
 *  before EXPUNGE. Results are in the order of the mailbox, so their position is always 0. */
import type { Mail } from "#/src/mail/mail.ts";
import type { SearchKey } from "#/src/mail/search-keys.ts";
import {
  emptyNumberSet,
  formatNumberSet,
  type NumberSet,
  numberSetOf,
  uniteNumberSets,
} from "#/src/model/number-set.ts";
import type { Form } from "./command.ts";
import type { FetchItem } from "./fetch-items.ts";
import { searchContextsMax } from "./limits.ts";
import type { ResponseWriter } from "./response-writer.ts";
import type { SelectedMailbox } from "./selected-mailbox.ts";
import type { SessionView } from "./session-view.ts";
import { stringText } from "./strings.ts";

interface SearchContext {
  form: Form;
  readonly key: SearchKey;
  readonly uids: Set<number>;
  /** Told of a new message that comes into the result (RFC 5465 section 7). */
  readonly items: readonly FetchItem[];
}

interface NewContext extends Omit<SearchContext, "uids"> {
  readonly uids: readonly number[];
}

export class SearchContexts {
  readonly #byTag = new Map<string, SearchContext>();
  /** Messages to be looked at again. */
  #touched: NumberSet = emptyNumberSet;

  has(tag: string): boolean {
    return this.#byTag.has(tag);
  }

  /** Whether the results will be kept up to date: not of too many at once. */
  add(tag: string, { uids, ...context }: NewContext): boolean {
    if (this.#byTag.size >= searchContextsMax) return false;
    this.#byTag.set(tag, { ...context, uids: new Set(uids) });
    return true;
  }

  /** From now on by UID alone (RFC 9586 section 3). */
  speakUids(): void {
    for (const context of this.#byTag.values()) context.form = "uid";
  }

  /** Whether there was one of that tag. */
  cancel(tag: string): boolean {
    return this.#byTag.delete(tag);
  }

  note(uids: NumberSet): void {
    if (this.#byTag.size > 0) this.#touched = uniteNumberSets(this.#touched, uids);
  }

  /** While the numbers of what is gone are still in use. */
  tellExpunged(view: SessionView, out: ResponseWriter): void {
    if (this.#byTag.size === 0) return;
    const expunged = view.knownUids(view.expunged);
    for (const [tag, context] of this.#byTag)
      tell(
        tag,
        context.form,
        "REMOVEFROM",
        expunged.filter((uid) => context.uids.delete(uid)),
        view,
        out,
      );
  }

  /** What is to be told of new messages, by UID. */
  async itemsOfNew(
    selected: SelectedMailbox,
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
    selected: SelectedMailbox,
    mail: Pick<Mail, "searchMailbox">,
    out: ResponseWriter,
  ): Promise<void> {
    if (this.#touched.length === 0) return;
    const present = selected.presentUids(this.#touched);
    this.#touched = emptyNumberSet;
    if (present.length === 0) return;
    const { view } = selected;
    for (const [tag, { form, key, uids }] of this.#byTag) {
      const found = new Set<number>(await findAmong(selected, mail, present, key));
      const known = view.knownUids(present);
      const gone = known.filter((uid) => !found.has(uid) && uids.delete(uid));
      const come = known.filter((uid) => found.has(uid) && !uids.has(uid));
      for (const uid of come) uids.add(uid);
      tell(tag, form, "REMOVEFROM", gone, view, out);
      tell(tag, form, "ADDTO", come, view, out);
    }
  }
}

async function findAmong(
  { mailbox }: SelectedMailbox,
  mail: Pick<Mail, "searchMailbox">,
  uids: NumberSet,
  key: SearchKey,
): Promise<readonly number[]> {
  const among: SearchKey = { kind: "and", keys: [{ kind: "uids", uids }, key] };
  return (await mail.searchMailbox(mailbox.agent, mailbox.number, among)).uids;
}

function tell(
  tag: string,
  form: Form,
  word: "ADDTO" | "REMOVEFROM",
  uids: readonly number[],
  view: SessionView,
  out: ResponseWriter,
): void {
  if (uids.length === 0) return;
  const numbers = form === "uid" ? uids : uids.map((uid) => view.seqOf(uid)!);
  const kind = form === "uid" ? " UID" : "";
  out.line(`* ESEARCH (TAG ${stringText(tag)})${kind} ${word} (0 ${formatNumberSet(numberSetOf(numbers))})`);
}
