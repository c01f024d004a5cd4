/** What a client asked to be told with NOTIFY (RFC 5465), and what of it has happened: changes of mailboxes other than the
 *  selected one, from the log, read from this session's own position. Of the own mailboxes; others' are not watched. */
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { hierarchyDelimiter, mailboxRoles } from "#/src/model/roles.ts";
import { type EventGroup, type EventName, isOfSelected, type MailboxFilter } from "./notify-grammar.ts";
import type { ResponseWriter } from "./response-writer.ts";
import type { ImapRooms } from "./rooms.ts";
import type { SelectedEvents } from "./selected-mailbox.ts";
import type { Session } from "./session.ts";

/** Changes read from the log at once. */
const changesMax = 1000;

export class NotifyWatch {
  /** Events of the selected mailbox. */
  readonly selected: SelectedEvents;
  /** EXPUNGE of the selected mailbox may be told at any time (section 6.1.1). */
  readonly isImmediate: boolean;
  readonly #rooms: Pick<ImapRooms, "mail" | "feed">;
  readonly #agent: AgentNumber;
  #groups: readonly EventGroup[];
  #position: Modseq;
  #mailboxes: ReadonlyMap<number, Mailbox>;
  #subscriptions: ReadonlySet<string>;
  #hasRung = true;
  #onRing: (() => void) | undefined;
  readonly #unsubscribe: () => void;

  private constructor(
    rooms: Pick<ImapRooms, "mail" | "feed">,
    agent: AgentNumber,
    groups: readonly EventGroup[],
    state: { position: Modseq; mailboxes: readonly Mailbox[]; subscriptions: readonly string[] },
  ) {
    this.#rooms = rooms;
    this.#agent = agent;
    this.#groups = groups.filter(({ filter }) => !isOfSelected(filter));
    const selected = groups.find(({ filter }) => isOfSelected(filter));
    this.isImmediate = selected?.filter.kind === "selected";
    this.selected = {
      hasNew: selected?.events.has("MessageNew") ?? false,
      hasExpunge: selected?.events.has("MessageExpunge") ?? false,
      hasFlags: selected?.events.has("FlagChange") ?? false,
      newItems: selected?.items ?? [],
    };
    this.#position = state.position;
    this.#mailboxes = byNumber(state.mailboxes);
    this.#subscriptions = new Set(state.subscriptions);
    this.#unsubscribe = rooms.feed.subscribe(agent, () => {
      this.#hasRung = true;
      this.#onRing?.();
    });
  }

  static async open(
    rooms: Pick<ImapRooms, "mail" | "feed">,
    agent: AgentNumber,
    groups: readonly EventGroup[],
  ): Promise<NotifyWatch> {
    return new NotifyWatch(rooms, agent, groups, {
      position: await rooms.feed.position(agent),
      mailboxes: await rooms.mail.listMailboxes(agent),
      subscriptions: await rooms.mail.listSubscriptions(agent),
    });
  }

  close(): void {
    this.#unsubscribe();
    this.#onRing = undefined;
  }

  /** Calls back at each doorbell, at once if one was missed. */
  onRing(listener: (() => void) | undefined): void {
    this.#onRing = listener;
    if (this.#hasRung) listener?.();
  }

  /** STATUS of every mailbox whose messages are watched (section 3.1). */
  async tellStatus(session: Session, out: ResponseWriter): Promise<void> {
    for (const mailbox of this.#mailboxes.values()) {
      const events = this.#eventsOf(mailbox.name, mailbox);
      if (isSelected(session, mailbox.number)) continue;
      const items = new Set<StatusItem>();
      if (events.has("MessageNew"))
        for (const item of ["MESSAGES", "UIDNEXT", "UIDVALIDITY"] as const) items.add(item);
      if (events.has("FlagChange"))
        for (const item of ["UIDVALIDITY", "HIGHESTMODSEQ"] as const) items.add(item);
      if (items.size > 0) out.line(statusLine(session, mailbox, items));
      await out.flushIfLarge();
    }
  }

  /** Writes what has happened since. */
  async tell(session: Session, out: ResponseWriter): Promise<void> {
    const happened = new Map<number, Set<EventName>>();
    let hasMailboxChange = false;
    while (this.#hasRung && this.#groups.length > 0) {
      this.#hasRung = false;
      for (;;) {
        const page = await this.#rooms.feed.readChanges(this.#agent, this.#position, changesMax);
        if (page.isBelowFloor) return this.#overflow(out);
        for (const change of page.changes) {
          if (change.kind === "mailbox") hasMailboxChange = true;
          if (change.kind !== "entry") continue;
          const events = happened.get(change.parent) ?? new Set();
          events.add(eventOf[change.operation]);
          happened.set(change.parent, events);
        }
        const isLast = page.changes.length === 0 || page.upTo <= this.#position;
        this.#position = page.upTo;
        if (isLast) break;
      }
    }
    if (hasMailboxChange) await this.#tellMailboxes(session, out);
    for (const [number, events] of happened) await this.#tellMessages(session, number, events, out);
  }

  /** Section 5.8. */
  async #overflow(out: ResponseWriter): Promise<void> {
    this.#groups = [];
    out.line("* OK [NOTIFICATIONOVERFLOW] More has happened than is kept");
  }

  async #tellMessages(
    session: Session,
    number: number,
    happened: ReadonlySet<EventName>,
    out: ResponseWriter,
  ): Promise<void> {
    const known = this.#mailboxes.get(number);
    if (known === undefined || isSelected(session, number)) return;
    const watched = this.#eventsOf(known.name, known);
    const events = new Set([...happened].filter((event) => watched.has(event)));
    if (events.size === 0) return;
    const mailbox = await this.#rooms.mail.findMailboxByNumber(this.#agent, known.number);
    if (mailbox === undefined) return;
    const hasCondstore = session.isEnabled("CONDSTORE");
    const items = new Set<StatusItem>();
    if (events.has("MessageNew") || events.has("MessageExpunge")) items.add("MESSAGES").add("UIDNEXT");
    if (events.has("FlagChange")) items.add("UIDVALIDITY").add("UNSEEN");
    if (hasCondstore) items.add("HIGHESTMODSEQ");
    out.line(statusLine(session, mailbox, items));
    await out.flushIfLarge();
  }

  /** LIST of what was created, deleted, renamed, subscribed or not (sections 5.4 and 5.5). */
  async #tellMailboxes(session: Session, out: ResponseWriter): Promise<void> {
    const before = { mailboxes: this.#mailboxes, subscriptions: this.#subscriptions };
    this.#mailboxes = byNumber(await this.#rooms.mail.listMailboxes(this.#agent));
    this.#subscriptions = new Set(await this.#rooms.mail.listSubscriptions(this.#agent));
    /** By the name to tell, with the old name of a mailbox that was renamed. */
    const told = new Map<string, string | undefined>();
    const renamed = new Map<string, string>();
    for (const [number, mailbox] of this.#mailboxes) {
      const old = before.mailboxes.get(number)?.name;
      if (old === mailbox.name) continue;
      if (old !== undefined) renamed.set(old, mailbox.name);
      else this.#affect(told, mailbox.name, mailbox);
    }
    for (const [number, mailbox] of before.mailboxes)
      if (!this.#mailboxes.has(number)) this.#affect(told, mailbox.name, mailbox);
    for (const [old, name] of renamed) {
      const parent = parentOf(old);
      const newParent = parent === undefined ? undefined : renamed.get(parent);
      // What is below moves with it and is not told (section 5.4).
      if (newParent !== undefined && name === newParent + old.slice(parent!.length)) continue;
      if (this.#watches("MailboxName", name) || this.#watches("MailboxName", old)) told.set(name, old);
    }
    for (const name of new Set([...before.subscriptions, ...this.#subscriptions]))
      if (before.subscriptions.has(name) !== this.#subscriptions.has(name))
        if (this.#watches("SubscriptionChange", name) && !told.has(name)) told.set(name, undefined);
    for (const [name, old] of told) {
      out.line(this.#listLine(session, name, old));
      await out.flushIfLarge();
    }
  }

  /** A mailbox that came or went, and the one above it. */
  #affect(told: Map<string, string | undefined>, name: string, mailbox: Mailbox): void {
    if (this.#eventsOf(name, mailbox).has("MailboxName")) told.set(name, undefined);
    const parent = parentOf(name);
    if (parent !== undefined && this.#watches("MailboxName", parent)) told.set(parent, undefined);
  }

  #listLine(session: Session, name: string, oldName: string | undefined): string {
    const all = [...this.#mailboxes.values()];
    const mailbox = all.find((one) => one.name === name);
    const hasChildren = all.some((one) => one.name.startsWith(name + hierarchyDelimiter));
    const attributes = [
      ...(mailbox === undefined ? ["\\NonExistent"] : []),
      hasChildren ? "\\HasChildren" : "\\HasNoChildren",
      ...(mailbox?.role === undefined ? [] : [mailboxRoles[mailbox.role].attribute].filter(Boolean)),
      ...(this.#subscriptions.has(name) ? ["\\Subscribed"] : []),
    ];
    const old = oldName === undefined ? "" : ` ("OLDNAME" (${session.writeName(oldName)}))`;
    return `* LIST (${attributes.join(" ")}) "${hierarchyDelimiter}" ${session.writeName(name)}${old}`;
  }

  #watches(event: EventName, name: string): boolean {
    const mailbox = [...this.#mailboxes.values()].find((one) => one.name === name);
    return this.#eventsOf(name, mailbox).has(event);
  }

  /** Several groups may be about one mailbox (section 6). */
  #eventsOf(name: string, mailbox: Mailbox | undefined): ReadonlySet<EventName> {
    const events = new Set<EventName>();
    for (const group of this.#groups)
      if (this.#matches(group.filter, name, mailbox)) for (const event of group.events) events.add(event);
    return events;
  }

  #matches(filter: MailboxFilter, name: string, mailbox: Mailbox | undefined): boolean {
    switch (filter.kind) {
      case "personal":
        return true;
      case "inboxes":
        // Where arriving mail may be put.
        return mailbox?.role === "inbox" || mailbox?.role === "junk";
      case "subscribed":
        return this.#subscriptions.has(name);
      case "subtree":
        return filter.names.some((top) => name === top || name.startsWith(top + hierarchyDelimiter));
      case "mailboxes":
        return filter.names.includes(name);
      default:
        return false;
    }
  }
}

const eventOf = { add: "MessageNew", remove: "MessageExpunge", update: "FlagChange" } as const;

const statusValues = {
  MESSAGES: ({ messageCount }: Mailbox) => messageCount,
  UIDNEXT: ({ uidNext }: Mailbox) => uidNext,
  UIDVALIDITY: ({ uidValidity }: Mailbox) => uidValidity,
  UNSEEN: ({ unseenCount }: Mailbox) => unseenCount,
  HIGHESTMODSEQ: ({ highestModseq }: Mailbox) => highestModseq,
} as const;
type StatusItem = keyof typeof statusValues;

function statusLine(session: Session, mailbox: Mailbox, items: ReadonlySet<StatusItem>): string {
  const pairs = [...items].map((item) => `${item} ${statusValues[item](mailbox)}`);
  return `* STATUS ${session.writeName(mailbox.name)} (${pairs.join(" ")})`;
}

function isSelected(session: Session, number: number): boolean {
  if (session.state !== "selected") return false;
  const { mailbox } = session.selected;
  return mailbox.agent === session.agent && mailbox.number === number;
}

function byNumber(mailboxes: readonly Mailbox[]): ReadonlyMap<number, Mailbox> {
  return new Map(mailboxes.map((mailbox) => [mailbox.number, mailbox]));
}

function parentOf(name: string): string | undefined {
  const at = name.lastIndexOf(hierarchyDelimiter);
  return at < 0 ? undefined : name.slice(0, at);
}
