/** Keeps the flags of large mailboxes in memory while the mailbox does not change, because programs often request the flags of all
 *  messages, or the unseen ones. HIGHESTMODSEQ tells whether the flags are still valid (RFC 7162 section 3.1.2.1: every change raises
 *  it), also if another daemon made the change. The flags are read at the second request, so a mailbox that changes between any two
 *  requests costs nothing. */
import { LoopTurns, nextTurn } from "#/src/fairness/loop-turns.ts";
import type { FlagState } from "#/src/model/flags.ts";
import { keptFlagsMax } from "#/src/model/limits.ts";
import { countNumbers, type NumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, Modseq, Uid } from "#/src/model/numbers.ts";
import { lowerBound } from "#/src/model/sorted-numbers.ts";
import type { FlagQuery } from "#/storage/queries/mail/entries.ts";
import { findMailbox } from "#/storage/queries/mail/mailboxes.ts";
import { shownMessagePages } from "#/storage/queries/mail/shown-messages.ts";
import type { Reader } from "#/storage/sql.ts";
import { everyUid } from "./search/search-keys.ts";

/** Fewer messages are read from the store just as fast. */
const wholeMin = 1000;
const pageMessages = 1000;

export interface KeptFlags {
  /** The current flags of the mailbox; undefined if they have to be read from the store. */
  find(agent: AgentNumber, mailbox: MailboxNumber, uids: NumberSet): Promise<MailboxFlags | undefined>;
  /** Messages whose flags are kept, of all mailboxes. */
  readonly count: number;
}

interface Kept {
  readonly modseq: Modseq;
  /** undefined until the second request. */
  readonly flags?: MailboxFlags | undefined;
  /** The mask cannot hold all keywords of some message. */
  readonly isUnfit?: boolean;
}

/** Bound on the mailboxes with a known MODSEQ of the last request. */
const mailboxesMax = 1000;

export function createKeptFlags(store: Reader, messagesMax = keptFlagsMax): KeptFlags {
  /** In the order of their use, the latest last. */
  const kept = new Map<string, Kept>();
  let count = 0;
  const drop = (name: string): void => {
    count -= kept.get(name)?.flags?.count ?? 0;
    kept.delete(name);
  };
  const keep = (name: string, one: Kept): void => {
    drop(name);
    kept.set(name, one);
    count += one.flags?.count ?? 0;
    for (const oldest of kept.keys()) {
      if (count <= messagesMax && kept.size <= mailboxesMax) return;
      drop(oldest);
    }
  };
  return {
    get count() {
      return count;
    },
    async find(agent, mailbox, uids) {
      if (countNumbers(uids) < wholeMin) return undefined;
      const row = await findMailbox(store, agent, mailbox);
      if (row === undefined || row.messageCount < wholeMin || row.messageCount > messagesMax)
        return undefined;
      const { modseq } = row;
      const name = `${agent}/${mailbox}`;
      const known = kept.get(name);
      if (known?.modseq !== modseq) {
        keep(name, { modseq });
        return undefined;
      }
      if (known.flags !== undefined || known.isUnfit) {
        keep(name, known);
        return known.flags;
      }
      const flags = await readFlags(store, agent, mailbox, row.messageCount);
      if ((await findMailbox(store, agent, mailbox))?.modseq !== modseq) return undefined;
      keep(name, { modseq, flags, isUnfit: flags === undefined });
      return flags;
    },
  };
}

/** undefined if some keywords are not in the masks. */
async function readFlags(
  store: Reader,
  agent: AgentNumber,
  mailbox: MailboxNumber,
  count: number,
): Promise<MailboxFlags | undefined> {
  const uids = new Uint32Array(count);
  const masks = new Uint32Array(count);
  let at = 0;
  const shown = { facets: ["flags"], marks: [] } as const;
  for await (const rows of shownMessagePages(store, agent, mailbox, everyUid, shown, (page) => page))
    for (const { uid, flags, keywords } of rows) {
      if (keywords !== null) return undefined;
      uids[at] = uid;
      masks[at++] = flags!;
    }
  return new MailboxFlags(uids.subarray(0, at), masks.subarray(0, at));
}

interface FlaggedMessage {
  readonly uid: Uid;
  readonly flags: FlagState;
}

export class MailboxFlags {
  /** Ascending. */
  readonly #uids: Uint32Array;
  readonly #masks: Uint32Array;

  constructor(uids: Uint32Array, masks: Uint32Array) {
    this.#uids = uids;
    this.#masks = masks;
  }

  get count(): number {
    return this.#uids.length;
  }

  /** The UIDs of the set whose flags meet the condition, ascending. */
  async listFlagged(uids: NumberSet, { mask, value }: FlagQuery): Promise<Uid[]> {
    const found: Uid[] = [];
    const turns = new LoopTurns();
    for (const [from, end] of this.#spans(uids)) {
      for (let at = from; at < end; at++)
        if ((this.#masks[at]! & mask) === value) found.push(this.#uids[at]! as Uid);
      await turns.turn();
    }
    return found;
  }

  /** The messages of the set with their flags, ascending, in pages; other work runs between the pages. */
  async *pages(uids: NumberSet): AsyncGenerator<FlaggedMessage[]> {
    let page: FlaggedMessage[] = [];
    for (const [from, end] of this.#spans(uids)) {
      for (let at = from; at < end; at++)
        page.push({ uid: this.#uids[at]! as Uid, flags: { mask: this.#masks[at]!, overflow: null } });
      if (page.length < pageMessages) continue;
      yield page;
      page = [];
      await nextTurn();
    }
    if (page.length > 0) yield page;
  }

  /** The positions of the UIDs of the set, as spans of at most one page. */
  *#spans(uids: NumberSet): Generator<[from: number, end: number]> {
    for (const [first, last] of uids)
      for (let from = lowerBound(this.#uids, first); this.#uids[from]! <= last; from += pageMessages) {
        const end = Math.min(from + pageMessages, lowerBound(this.#uids, last + 1));
        yield [from, end];
      }
  }
}
