/** The selected mailbox of a session: its view, and how changes of the mailbox get into the view.
 *
 *  Changes are read from the owner's change log, from this session's own position; the doorbell only says that there are some.
 *  They are gathered at any time and sent when the standard allows it (RFC 9051 sections 5.2, 7.4 and 7.5). */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import type { MessageFacet, ShownMessage } from "#/src/mail/entries.ts";
import type { Recency } from "#/src/mail/recency.ts";
import type { Change } from "#/src/model/changes.ts";
import { systemFlagNames } from "#/src/model/flags.ts";
import {
  emptyNumberSet,
  type NumberSet,
  numberSetOf,
  numbersIn,
  parseNumberSet,
  subtractNumberSets,
  uniteNumberSets,
} from "#/src/model/number-set.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import { lowerBound } from "#/src/model/sorted-numbers.ts";
import type { ReachedMailbox } from "#/src/reach/mailbox-access.ts";
import { Refusal } from "../errors.ts";
import { eachOnce, type FetchItem } from "../fetch/items.ts";
import { facetsOf, shownItems } from "../fetch/ready-response.ts";
import { writeFetchResponse } from "../fetch/response.ts";
import { writeVanished } from "../resynchronise/vanished.ts";
import type { ImapRooms } from "../rooms.ts";
import { SearchContexts } from "../search/contexts.ts";
import { FlagWriter } from "../wire/flags.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import { type MailboxState, readMailboxState } from "./mailbox-state.ts";
import { SessionView } from "./session-view.ts";

/** Which events of the selected mailbox the client wants (RFC 5465 section 5). */
export interface SelectedEvents {
  readonly hasNew: boolean;
  readonly hasExpunge: boolean;
  readonly hasFlags: boolean;
  /** FETCH items that are sent for a new message, after EXISTS. */
  readonly newItems: readonly FetchItem[];
}

export const allEvents: SelectedEvents = { hasNew: true, hasExpunge: true, hasFlags: true, newItems: [] };

export interface TellOptions {
  readonly events: SelectedEvents;
  readonly mayExpunge: boolean;
  /** Every change is sent with its MODSEQ (RFC 7162 section 3.2). */
  readonly hasCondstore: boolean;
  /** Unsolicited FETCH responses have the UID: UID commands need it, other clients may ignore it. */
  readonly hasUid: boolean;
  /** Expunged messages are sent as VANISHED with UIDs (RFC 7162 section 3.2.10, RFC 9586 section 3.2). */
  readonly hasVanished: boolean;
}

/** How many changes are read from the log at once. */
const changesMax = 1000;

export class SelectedMailbox {
  readonly mailbox: ReachedMailbox;
  readonly isReadOnly: boolean;
  readonly view: SessionView;
  readonly flags: FlagWriter;
  /** The saved search result, `$` (RFC 9051 section 6.4.4.1). */
  saved: NumberSet = emptyNumberSet;
  /** Searches whose results are kept up to date. */
  readonly contexts = new SearchContexts();
  /** UIDONLY is enabled (RFC 9586). */
  isUidOnly = false;
  /** Only IMAP4rev1 has \Recent. */
  #hasRecent: boolean;
  readonly #recency: Recency;
  readonly #rooms: Pick<ImapRooms, "mail" | "feed">;
  /** The change log has been read up to here. */
  #position: Modseq;
  /** UIDs whose changed flags are still to be sent. */
  #updated: NumberSet = emptyNumberSet;
  /** MODSEQs of changes that a command of this client made and answered. */
  readonly #own = new Set<number>();
  /** UIDs that this client put here itself and that are still to be sent. */
  #made: NumberSet = emptyNumberSet;
  /** MODSEQ of the first expunge that is still to be sent. */
  #expungedFrom: number | undefined;
  #isDeleted = false;
  #hasRung = true;
  #onRing: (() => void) | undefined;
  readonly #unsubscribe: () => void;

  private constructor(
    rooms: Pick<ImapRooms, "mail" | "feed">,
    { mailbox, position, uids, keywordNames }: MailboxState,
    isReadOnly: boolean,
    recency: Recency,
    hasRecent: boolean,
  ) {
    this.#rooms = rooms;
    this.mailbox = mailbox;
    this.isReadOnly = isReadOnly;
    this.#position = position;
    this.view = new SessionView(uids);
    this.flags = new FlagWriter(keywordNames);
    this.#recency = recency;
    this.#hasRecent = hasRecent;
    this.#unsubscribe = rooms.feed.subscribe(mailbox.agent, () => {
      this.#hasRung = true;
      this.#onRing?.();
    });
  }

  static async open(
    rooms: Pick<ImapRooms, "mail" | "feed">,
    mailbox: ReachedMailbox,
    isReadOnly: boolean,
    hasRecent: boolean,
  ): Promise<SelectedMailbox> {
    const recency = rooms.mail.openRecency(mailbox);
    try {
      const selected = await SelectedMailbox.#read(rooms, mailbox, isReadOnly, hasRecent, recency);
      await selected.#takeRecent(0);
      return selected;
    } catch (error) {
      await recency.leave();
      throw error;
    }
  }

  static async #read(
    rooms: Pick<ImapRooms, "mail" | "feed">,
    mailbox: ReachedMailbox,
    isReadOnly: boolean,
    hasRecent: boolean,
    recency: Recency,
  ): Promise<SelectedMailbox> {
    const state = await readMailboxState(rooms, mailbox);
    return new SelectedMailbox(rooms, state, isReadOnly, recency, hasRecent);
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    this.#onRing = undefined;
    await this.#recency.leave();
  }

  /** UIDs that are \Recent in this session, and all UIDs above those that the client knows: they will be. */
  get recent(): NumberSet {
    if (!this.#hasRecent) return emptyNumberSet;
    return uniteNumberSets(this.flags.recent, [[this.view.highestUid + 1, 2 ** 32]]);
  }

  /** How many \Recent messages still exist. */
  get recentCount(): number {
    return this.view.knownUids(this.flags.recent).length;
  }

  /** From now on no message is \Recent in this session. */
  forgetRecent(): void {
    this.#hasRecent = false;
    this.flags.recent = emptyNumberSet;
  }

  /** Called when the messages of the view behind the first `countBefore` are sent. Those that no session was told of before are
   *  \Recent here. A read-only session leaves them \Recent for others (RFC 3501 section 6.3.2). */
  async #takeRecent(countBefore: number): Promise<void> {
    const shown = this.isReadOnly ? 0 : this.view.highestUid;
    const told = await this.#recency.take(shown, this.mailbox.recentUid);
    if (!this.#hasRecent || this.view.highestUid <= told) return;
    const from = Math.max(countBefore, lowerBound(this.view.allUids, told + 1));
    this.flags.recent = uniteNumberSets(this.flags.recent, numberSetOf(this.view.allUids.slice(from)));
  }

  /** Calls the listener at each new change, and at once if there was one while none listened. */
  onRing(listener: (() => void) | undefined): void {
    this.#onRing = listener;
    if (this.#hasRung) listener?.();
  }

  /** Records a change that a command of this client made and answered, so that it is not sent again. */
  own(modseq: Modseq): void {
    this.#own.add(modseq);
    this.#hasRung = true;
  }

  /** Records messages that the client put into the mailbox. */
  made(uids: NumberSet): void {
    this.#made = uniteNumberSets(this.#made, uids);
  }

  /** The UIDs of a set that the client knows and that still exist. */
  presentUids(uids: NumberSet): NumberSet {
    return subtractNumberSets(this.view.knownSet(uids), this.view.expunged);
  }

  /** Reads the changes since the last call into the view; sends nothing. */
  async gather(reaching?: Modseq): Promise<void> {
    while (this.#hasRung || (reaching ?? 0) > this.#position) {
      this.#hasRung = false;
      try {
        while (await this.#gatherPage(reaching));
      } catch (error) {
        this.#hasRung = true;
        throw error;
      }
      this.#own.clear();
    }
  }

  /** Whether there may be another page. What could not be read is read the next time. */
  async #gatherPage(reaching: Modseq | undefined): Promise<boolean> {
    const { feed } = this.#rooms;
    const page = await feed.readChanges(this.mailbox.agent, this.#position, changesMax, reaching);
    const { changes, upTo, isBelowFloor } = page;
    if (isBelowFloor) {
      await this.#compare();
      return false;
    }
    for (const change of changes) this.#apply(change);
    const hasMore = changes.length > 0 && upTo > this.#position;
    this.#position = upTo;
    return hasMore;
  }

  #apply(change: Pick<Change, "kind" | "parent" | "operation" | "ids" | "modseq">): void {
    if (change.kind === "mailbox") {
      if (
        change.operation === "remove" &&
        parseNumberSet(change.ids).some(([a, b]) => a <= this.mailbox.number && this.mailbox.number <= b)
      )
        this.#isDeleted = true;
      return;
    }
    if (change.kind !== "entry" || change.parent !== this.mailbox.number) return;
    const uids = parseNumberSet(change.ids);
    if (change.operation !== "remove") this.contexts.note(uids);
    if (change.operation === "add") this.view.arrive(numbersIn(uids));
    else if (change.operation === "remove") this.#remove(uids, change.modseq);
    else if (!this.#own.has(change.modseq)) this.#updated = uniteNumberSets(this.#updated, uids);
  }

  #remove(uids: NumberSet, modseq: number): void {
    this.view.remove(uids);
    if (this.view.hasExpunged) this.#expungedFrom ??= modseq;
  }

  /** For when the log no longer reaches back to this session's position: compares the mailbox with the view. */
  async #compare(): Promise<void> {
    const { agent, number } = this.mailbox;
    const before = this.#position;
    this.#position = await this.#rooms.feed.position(agent);
    const uids = await this.#rooms.mail.listUids(agent, number);
    const present = new Set<number>(uids);
    this.#remove(numberSetOf(this.view.allUids.filter((uid) => !present.has(uid))), before + 1);
    this.view.arrive(uids);
    this.#updated = [[1, 2 ** 32 - 1]];
    this.contexts.note(this.#updated);
  }

  /** Whether nothing has changed that the client was not told of, as after most commands. */
  get isQuiet(): boolean {
    if (this.#hasRung || this.#isDeleted || this.#updated.length > 0) return false;
    return !this.view.hasExpunged && !this.view.hasArrived && !this.contexts.isTouched;
  }

  /** Writes the pending responses: EXPUNGE, EXISTS, FLAGS, FETCH. */
  async tell(out: ResponseWriter, options: TellOptions): Promise<void> {
    // A commit can be read before its doorbell arrives, so a response may already have had a MODSEQ of it.
    await this.gather(options.hasCondstore ? await this.#rooms.feed.position(this.mailbox.agent) : undefined);
    if (this.#isDeleted) throw new Refusal("BYE", "The selected mailbox was deleted");
    const { events } = options;
    if (options.mayExpunge && events.hasExpunge && this.view.hasExpunged) {
      this.contexts.tellExpunged(this.view, out);
      if (options.hasVanished) await writeVanished(this.view.takeVanished(), false, out);
      else await this.#tellExpunged(out);
      this.#expungedFrom = undefined;
      if (this.saved.length > 0) this.saved = numberSetOf(this.view.knownUids(this.saved));
    }
    if (events.hasNew) await this.#tellArrived(out, options);
    if (!events.hasFlags) this.#updated = emptyNumberSet;
    else if (this.#updated.length > 0) await this.#tellFlags(out, options);
    await this.contexts.tellChanged(this, this.#rooms.mail, out);
  }

  async #tellArrived(out: ResponseWriter, { events }: TellOptions): Promise<void> {
    const countBefore = this.view.count;
    if (!this.view.takeArrived()) return;
    out.line(`* ${this.view.count} EXISTS`);
    await this.#takeRecent(countBefore);
    if (this.#hasRecent) out.line(`* ${this.recentCount} RECENT`);
    // A client gets no MessageNew for a message that it made itself (RFC 5465 section 5.2).
    const arrived = subtractNumberSets(
      this.presentUids(numberSetOf(this.view.allUids.slice(countBefore))),
      this.#made,
    );
    this.#made = emptyNumberSet;
    const byUid = await this.contexts.itemsOfNew(this, this.#rooms.mail, arrived);
    const shown = events.newItems.length > 0 ? arrived : numberSetOf([...byUid.keys()].sort((a, b) => a - b));
    if (shown.length === 0) return;
    const allItems = [...events.newItems, ...[...byUid.values()].flat()];
    await this.tellKeywords(out);
    const { agent, number } = this.mailbox;
    const context = { mail: this.#rooms.mail, agent, flags: this.flags };
    for await (const page of this.#rooms.mail.shownPages(agent, number, shown, ...facetsOf(allItems)))
      for (const message of page) {
        const items = eachOnce([...events.newItems, ...(byUid.get(message.uid) ?? [])]);
        const written = shownItems(items, this.responseName);
        await writeFetchResponse(this.responseNumber(message.uid)!, message, written, context, out);
        await out.flushIfLarge();
      }
  }

  async #tellExpunged(out: ResponseWriter): Promise<void> {
    const turns = new LoopTurns();
    await turns.turn();
    for (const seq of this.view.takeExpunged()) {
      out.line(`* ${seq} EXPUNGE`);
      if (!out.isLarge) continue;
      await out.flush();
      await turns.turn();
    }
  }

  async #tellFlags(out: ResponseWriter, options: TellOptions): Promise<void> {
    const updated = this.presentUids(this.#updated);
    this.#updated = emptyNumberSet;
    if (updated.length === 0) return;
    try {
      await this.#writeFlags(updated, out, options);
    } catch (error) {
      this.#updated = uniteNumberSets(this.#updated, updated);
      throw error;
    }
  }

  async #writeFlags(updated: NumberSet, out: ResponseWriter, options: TellOptions): Promise<void> {
    await this.tellKeywords(out);
    const { agent, number } = this.mailbox;
    const facets = flagFacets(options.hasCondstore);
    for await (const page of this.#rooms.mail.shownPages(agent, number, updated, facets))
      for (const entry of page) {
        if (this.view.seqOf(entry.uid) === undefined) continue;
        out.line(this.flagsResponse(entry, options));
        await out.flushIfLarge();
      }
  }

  /** How a FETCH response begins, with the message's number; undefined for a message that the client does not know. */
  responseNumber(uid: number): string | undefined {
    const seq = this.view.seqOf(uid);
    if (seq === undefined) return undefined;
    return `* ${this.isUidOnly ? uid : seq}`;
  }

  /** What stands behind the number: UIDFETCH where UIDONLY is enabled (RFC 9586 section 3.3). */
  get responseName(): string {
    return this.isUidOnly ? " UIDFETCH (" : " FETCH (";
  }

  /** FETCH response with the flags of a message that the client knows. */
  flagsResponse(entry: ShownMessage, options: Pick<TellOptions, "hasUid" | "hasCondstore">): string {
    const uid = options.hasUid && !this.isUidOnly ? `UID ${entry.uid} ` : "";
    const modseq = options.hasCondstore ? ` MODSEQ (${entry.modseq})` : "";
    const head = this.responseNumber(entry.uid) + this.responseName;
    return `${head}${uid}FLAGS ${this.flags.write(entry.uid, entry.flags!)}${modseq})`;
  }

  /** The HIGHESTMODSEQ up to which the client has been sent all changes. */
  async readHighestModseq(): Promise<number> {
    const { agent, number, highestModseq } = this.mailbox;
    const now = await this.#rooms.mail.findMailboxByNumber(agent, number);
    const told = this.#expungedFrom === undefined ? this.#position : this.#expungedFrom - 1;
    return Math.min(now?.highestModseq ?? highestModseq, told);
  }

  /** While an EXPUNGE is kept back, sends the HIGHESTMODSEQ before it, since the client does not know all changes beyond it (RFC
   *  7162 sections 3.2 and 6). */
  tellDelayed(out: ResponseWriter): void {
    if (this.#expungedFrom !== undefined)
      out.line(`* OK [HIGHESTMODSEQ ${this.#expungedFrom - 1}] EXPUNGE is delayed`);
  }

  /** Sends FLAGS with new keywords before a FETCH uses them (RFC 9051 section 7.3.5). */
  async tellKeywords(out: ResponseWriter): Promise<void> {
    const names = await this.#rooms.mail.keywordNames(this.mailbox.agent);
    if (names.length === this.flags.keywordCount) return;
    this.flags.keywordNames = names;
    this.writeFlagsResponses(out);
  }

  writeFlagsResponses(out: ResponseWriter): void {
    out.line(`* FLAGS ${this.flags.all}`);
    const permanent = this.isReadOnly ? "()" : this.flags.permanent;
    out.line(`* OK [PERMANENTFLAGS ${permanent}] ${systemFlagNames.length} system flags and keywords`);
  }
}

/** The facets of a message that `flagsResponse` needs. */
export function flagFacets(hasCondstore: boolean): readonly MessageFacet[] {
  return hasCondstore ? ["flags", "numbers"] : ["flags"];
}
