/** The events that a client asked for with NOTIFY (RFC 5465) or ENABLE METADATA (RFC 5464 section 4.4), and the sending of them:
 *  changes of mailboxes other than the selected one, the client's own ones and those that others share with it. */

import { otherUsers, otherUsersPrefix } from "#/src/accounts/other-users.ts";
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { hierarchyDelimiter } from "#/src/model/roles.ts";
import type { MailboxAccess, ReachedMailbox } from "#/src/reach/mailbox-access.ts";
import { isTemporary } from "../errors.ts";
import { specialUse } from "../mailboxes/special-use.ts";
import type { SelectedEvents } from "../session/selected-mailbox.ts";
import type { Session, Watch } from "../session/session.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import { astringText } from "../wire/strings.ts";
import { type EventGroup, type EventName, isOfSelected, type MailboxFilter } from "./grammar.ts";
import { type Happened, placeKey, WatchedLogs } from "./watched-logs.ts";

/** What ENABLE METADATA asks for. */
const annotationGroup: EventGroup = {
  filter: { kind: "all" },
  events: new Set(["MailboxMetadataChange", "ServerMetadataChange"]),
  items: undefined,
};

type Mailboxes = ReadonlyMap<string, ReachedMailbox>;

export class NotifyWatch implements Watch {
  readonly isNotify: boolean;
  readonly selected: SelectedEvents;
  readonly isImmediate: boolean;
  readonly #session: Session;
  readonly #access: MailboxAccess;
  readonly #logs: WatchedLogs;
  #groups: readonly EventGroup[];
  #mailboxes: Mailboxes = new Map();
  #subscriptions: ReadonlySet<string> = new Set();
  /** Names of watched mailboxes that are no longer shared (section 5.9). */
  readonly #lost = new Set<string>();

  private constructor(session: Session, groups: readonly EventGroup[] | undefined) {
    this.#session = session;
    this.#access = session.access;
    this.#logs = new WatchedLogs(session.rooms.feed, session.agent);
    this.isNotify = groups !== undefined;
    this.#groups = [
      ...(groups ?? []).filter(({ filter }) => !isOfSelected(filter)),
      ...(session.isEnabled("METADATA") ? [annotationGroup] : []),
    ];
    const selected = groups?.find(({ filter }) => isOfSelected(filter));
    this.isImmediate = selected?.filter.kind === "selected";
    this.selected = {
      hasNew: selected?.events.has("MessageNew") ?? false,
      hasExpunge: selected?.events.has("MessageExpunge") ?? false,
      hasFlags: selected?.events.has("FlagChange") ?? false,
      newItems: selected?.items ?? [],
    };
  }

  /** `groups`: the event groups of NOTIFY, if it was used. */
  static async open(session: Session, groups: readonly EventGroup[] | undefined): Promise<NotifyWatch> {
    const watch = new NotifyWatch(session, groups);
    if (watch.#groups.length > 0) await watch.#readMailboxes();
    return watch;
  }

  /** Called when ENABLE METADATA comes after NOTIFY. */
  async addAnnotations(): Promise<void> {
    this.#groups = [...this.#groups, annotationGroup];
    await this.#readMailboxes();
  }

  close(): void {
    this.#logs.close();
  }

  /** Calls the listener at each new change, and at once if there was one while none listened. */
  onRing(listener: (() => void) | undefined): void {
    this.#logs.onRing(listener);
  }

  /** Records a change that the client made itself. */
  own(agent: AgentNumber, modseq: Modseq): void {
    this.#logs.own(agent, modseq);
  }

  /** Whether mailboxes of other owners may be watched. */
  get #reachesOut(): boolean {
    const isOthers = (name: string): boolean => name === otherUsers || name.startsWith(otherUsersPrefix);
    return this.#groups.some(({ filter }) =>
      "names" in filter ? filter.names.some(isOthers) : filter.kind === "subscribed" || filter.kind === "all",
    );
  }

  /** Reads the mailboxes that exist now. From here on the logs of their owners are watched. */
  async #readMailboxes(): Promise<void> {
    const { agent, rooms } = this.#session;
    let owners = new Set([agent]);
    for (;;) {
      for (const owner of owners) await this.#logs.open(owner);
      const listed = await this.#access.list();
      const mailboxes = this.#reachesOut ? listed : listed.filter(({ isOwn }) => isOwn);
      const found = new Set([agent, ...mailboxes.map((mailbox) => mailbox.agent)]);
      this.#mailboxes = new Map(mailboxes.map((mailbox) => [placeKey(mailbox), mailbox]));
      // A log is watched before its mailboxes are read. Otherwise a mailbox created between the two would not be noticed.
      if (found.isSubsetOf(owners)) break;
      owners = found;
    }
    this.#logs.keepOnly(owners);
    this.#subscriptions = new Set(await rooms.mail.listSubscriptions(agent));
  }

  /** Writes STATUS of every mailbox whose messages are watched (section 3.1). */
  async tellStatus(out: ResponseWriter): Promise<void> {
    for (const mailbox of this.#mailboxes.values()) {
      const events = this.#eventsOf(mailbox.name, mailbox);
      if (this.#isSelected(mailbox)) continue;
      const items = new Set<StatusItem>();
      if (events.has("MessageNew"))
        for (const item of ["MESSAGES", "UIDNEXT", "UIDVALIDITY"] as const) items.add(item);
      if (events.has("FlagChange"))
        for (const item of ["UIDVALIDITY", "HIGHESTMODSEQ"] as const) items.add(item);
      if (items.size > 0) out.line(this.#statusLine(mailbox.name, mailbox, items));
      await out.flushIfLarge();
    }
  }

  /** Writes the events since the last call. */
  async tell(out: ResponseWriter): Promise<void> {
    if (!this.#logs.hasRung || this.#groups.length === 0) return;
    const happened = await this.#logs.read();
    if (happened === undefined) return this.#overflow(out);
    try {
      // Grants come and go without a change of the mailboxes.
      if (happened.hasMailboxChange || this.#reachesOut) await this.#tellMailboxes(out);
      await this.#tellMessages(happened, out);
      await this.#tellAnnotations(happened, out);
    } catch (error) {
      if (!isTemporary(error)) throw error;
      // Some of it is told, and nobody knows how much.
      this.#overflow(out);
    }
  }

  /** NOTIFICATIONOVERFLOW (section 5.8). */
  #overflow(out: ResponseWriter): void {
    this.#groups = [];
    this.#logs.close();
    out.line("* OK [NOTIFICATIONOVERFLOW] More has happened than is kept");
  }

  async #tellMessages(happened: Happened, out: ResponseWriter): Promise<void> {
    const hasCondstore = this.#session.isEnabled("CONDSTORE");
    for (const [place, all] of happened.messages) {
      const known = this.#mailboxes.get(place);
      if (known === undefined || this.#isSelected(known)) continue;
      const watched = this.#eventsOf(known.name, known);
      const events = new Set([...all].filter((event) => watched.has(event)));
      if (events.size === 0) continue;
      const now = await this.#session.rooms.mail.findMailboxByNumber(known.agent, known.number);
      if (now === undefined) continue;
      const items = new Set<StatusItem>();
      if (events.has("MessageNew") || events.has("MessageExpunge")) items.add("MESSAGES").add("UIDNEXT");
      if (events.has("FlagChange")) items.add("UIDVALIDITY").add("UNSEEN");
      if (hasCondstore) items.add("HIGHESTMODSEQ");
      out.line(this.#statusLine(known.name, now, items));
      await out.flushIfLarge();
    }
  }

  /** Writes the names of annotations that changed (sections 5.6 and 5.7). The client has to ask for their values. */
  async #tellAnnotations(happened: Happened, out: ResponseWriter): Promise<void> {
    const server = placeKey({ agent: this.#session.agent, number: 0 });
    for (const [place, names] of happened.annotations) {
      const mailbox = this.#mailboxes.get(place);
      const isWatched =
        mailbox === undefined
          ? place === server && this.#groups.some(({ events }) => events.has("ServerMetadataChange"))
          : this.#eventsOf(mailbox.name, mailbox).has("MailboxMetadataChange");
      if (!isWatched) continue;
      const entries = [...names].map(astringText).join(" ");
      out.line(`* METADATA ${this.#session.writeName(mailbox?.name ?? "")} ${entries}`);
      await out.flushIfLarge();
    }
  }

  /** Writes LIST for mailboxes that were created, deleted, renamed, subscribed or unsubscribed (sections 5.4 and 5.5), and for
   *  those that are newly shared or no longer shared (sections 5.4 and 5.9). */
  async #tellMailboxes(out: ResponseWriter): Promise<void> {
    const before = { mailboxes: this.#mailboxes, subscriptions: this.#subscriptions };
    await this.#readMailboxes();
    /** The names to send, each with its old name if the mailbox was renamed. */
    const told = new Map<string, string | undefined>();
    const renamed = new Map<string, string>();
    for (const [place, mailbox] of this.#mailboxes) {
      const old = before.mailboxes.get(place)?.name;
      if (old === mailbox.name) continue;
      if (old !== undefined) renamed.set(old, mailbox.name);
      else this.#affect(told, mailbox.name, mailbox);
      if (this.#lost.delete(mailbox.name)) told.set(mailbox.name, undefined);
    }
    for (const [place, mailbox] of before.mailboxes)
      if (!this.#mailboxes.has(place)) await this.#tellGone(told, mailbox, out);
    for (const [old, name] of renamed) {
      const parent = parentOf(old);
      const newParent = parent === undefined ? undefined : renamed.get(parent);
      // Mailboxes below a renamed one are not sent (section 5.4).
      if (newParent !== undefined && name === newParent + old.slice(parent!.length)) continue;
      if (this.#watches("MailboxName", name) || this.#watches("MailboxName", old)) told.set(name, old);
    }
    for (const name of new Set([...before.subscriptions, ...this.#subscriptions]))
      if (before.subscriptions.has(name) !== this.#subscriptions.has(name))
        if (this.#watches("SubscriptionChange", name) && !told.has(name)) told.set(name, undefined);
    for (const [name, old] of told) {
      out.line(this.#listLine(name, old));
      await out.flushIfLarge();
    }
  }

  /** Writes that a mailbox is deleted or no longer shared. A client that watches names gets \NonExistent for both; another client
   *  gets \NoAccess. */
  async #tellGone(
    told: Map<string, string | undefined>,
    mailbox: ReachedMailbox,
    out: ResponseWriter,
  ): Promise<void> {
    const { name, agent, number, isOwn } = mailbox;
    const events = this.#eventsOf(name, mailbox);
    this.#affect(told, name, mailbox);
    if (isOwn || events.size === 0 || events.has("MailboxName")) return;
    if ((await this.#session.rooms.mail.findMailboxByNumber(agent, number)) === undefined) return;
    this.#lost.add(name);
    out.line(`* LIST (\\NoAccess) "${hierarchyDelimiter}" ${this.#session.writeName(name)}`);
  }

  /** Adds a mailbox that was created or deleted, and its parent. */
  #affect(told: Map<string, string | undefined>, name: string, mailbox: ReachedMailbox): void {
    if (this.#eventsOf(name, mailbox).has("MailboxName")) told.set(name, undefined);
    const parent = parentOf(name);
    if (parent !== undefined && this.#watches("MailboxName", parent)) told.set(parent, undefined);
  }

  #listLine(name: string, oldName: string | undefined): string {
    const all = [...this.#mailboxes.values()];
    const mailbox = all.find((one) => one.name === name);
    const hasChildren = all.some((one) => one.name.startsWith(name + hierarchyDelimiter));
    const use = specialUse(mailbox);
    const attributes = [
      ...(mailbox === undefined ? ["\\NonExistent"] : []),
      hasChildren ? "\\HasChildren" : "\\HasNoChildren",
      ...(use ? [use] : []),
      ...(this.#subscriptions.has(name) ? ["\\Subscribed"] : []),
    ];
    const old = oldName === undefined ? "" : ` ("OLDNAME" (${this.#session.writeName(oldName)}))`;
    return `* LIST (${attributes.join(" ")}) "${hierarchyDelimiter}" ${this.#session.writeName(name)}${old}`;
  }

  #watches(event: EventName, name: string): boolean {
    const mailbox = [...this.#mailboxes.values()].find((one) => one.name === name);
    return this.#eventsOf(name, mailbox).has(event);
  }

  /** The events that are watched in a mailbox. Several groups may name it (section 6). */
  #eventsOf(name: string, mailbox: ReachedMailbox | undefined): ReadonlySet<EventName> {
    const events = new Set<EventName>();
    for (const group of this.#groups)
      if (this.#matches(group.filter, name, mailbox)) for (const event of group.events) events.add(event);
    return events;
  }

  #matches(filter: MailboxFilter, name: string, mailbox: ReachedMailbox | undefined): boolean {
    switch (filter.kind) {
      case "all":
        return true;
      case "personal":
        return !name.startsWith(otherUsersPrefix);
      case "inboxes":
        // The mailboxes into which arriving mail may be delivered.
        return mailbox?.isOwn === true && (mailbox.role === "inbox" || mailbox.role === "junk");
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

  #isSelected({ agent, number }: ReachedMailbox): boolean {
    if (this.#session.state !== "selected") return false;
    const { mailbox } = this.#session.selected;
    return mailbox.agent === agent && mailbox.number === number;
  }

  #statusLine(name: string, mailbox: Mailbox, items: ReadonlySet<StatusItem>): string {
    const pairs = [...items].map((item) => `${item} ${statusValues[item](mailbox)}`);
    return `* STATUS ${this.#session.writeName(name)} (${pairs.join(" ")})`;
  }
}

const statusValues = {
  MESSAGES: ({ messageCount }: Mailbox) => messageCount,
  UIDNEXT: ({ uidNext }: Mailbox) => uidNext,
  UIDVALIDITY: ({ uidValidity }: Mailbox) => uidValidity,
  UNSEEN: ({ unseenCount }: Mailbox) => unseenCount,
  HIGHESTMODSEQ: ({ highestModseq }: Mailbox) => highestModseq,
} as const;
type StatusItem = keyof typeof statusValues;

function parentOf(name: string): string | undefined {
  const at = name.lastIndexOf(hierarchyDelimiter);
  return at < 0 ? undefined : name.slice(0, at);
}
