/** What NOTIFY asks for (RFC 5465 section 8).
 *
 *  notify = "NOTIFY" SP ("SET" [SP "STATUS"] 1*(SP event-group) / "NONE")
 *  event-group = "(" filter-mailboxes SP events ")"
 *  events = "(" event *(SP event) ")" / "NONE" */
import type { ParseContext } from "../command-context.ts";
import { bad, no } from "../errors.ts";
import { type FetchItem, readFetchItems } from "../fetch/items.ts";
import { watchedNamesMax } from "../limits.ts";
import { decodeMailboxName } from "../mailboxes/mailbox-name.ts";
import type { WireReader } from "../wire/wire-reader.ts";

const eventNames = [
  "MessageNew",
  "MessageExpunge",
  "FlagChange",
  "MailboxName",
  "SubscriptionChange",
  "MailboxMetadataChange",
  "ServerMetadataChange",
] as const;
export type EventName = (typeof eventNames)[number];
const messageEvents: readonly EventName[] = ["MessageNew", "MessageExpunge", "FlagChange"];

export type MailboxFilter =
  /** `all`: every mailbox that the client may use; only ENABLE METADATA makes it, the grammar of NOTIFY has no word for it. */
  | { readonly kind: "selected" | "selected-delayed" | "inboxes" | "personal" | "subscribed" | "all" }
  | { readonly kind: "subtree" | "mailboxes"; readonly names: readonly string[] };

export interface EventGroup {
  readonly filter: MailboxFilter;
  readonly events: ReadonlySet<EventName>;
  /** FETCH items that are sent for a new message. */
  readonly items: readonly FetchItem[] | undefined;
}

export interface NotifyArguments {
  readonly hasStatus: boolean;
  /** Empty for NOTIFY NONE. */
  readonly groups: readonly EventGroup[];
}

export function readNotifyArguments(reader: WireReader, context: ParseContext): NotifyArguments {
  reader.space();
  const verb = reader.word();
  if (verb === "NONE") return { hasStatus: false, groups: [] };
  if (verb !== "SET") throw bad("Expected SET or NONE");
  reader.space();
  const hasStatus = reader.tryWord("STATUS");
  if (hasStatus) reader.space();
  const groups: EventGroup[] = [];
  let nameCount = 0;
  do {
    const group = readGroup(reader, context);
    nameCount += "names" in group.filter ? group.filter.names.length : 1;
    // Every change is compared with every name.
    if (nameCount > watchedNamesMax) throw no("NOTIFICATIONOVERFLOW", "Too many mailboxes are named");
    groups.push(group);
  } while (reader.trySpace());
  if (groups.filter(({ filter }) => isOfSelected(filter)).length > 1)
    throw bad("SELECTED and SELECTED-DELAYED may be given only once");
  return { hasStatus, groups };
}

export function isOfSelected(filter: MailboxFilter): boolean {
  return filter.kind === "selected" || filter.kind === "selected-delayed";
}

function readGroup(reader: WireReader, context: ParseContext): EventGroup {
  reader.character("(");
  const filter = readFilter(reader, context);
  reader.space();
  const { names, items } = reader.tryWord("NONE") ? { names: [], items: undefined } : readEvents(reader);
  reader.character(")");
  const unknown = names.filter((name) => eventNamed(name) === undefined);
  if (unknown.length > 0) throw no(`BADEVENT (${eventNames.join(" ")})`, "Some events are not supported");
  const events = new Set(names.map((name) => eventNamed(name)!));
  assertConsistent(filter, events, items);
  return { filter, events, items };
}

function eventNamed(word: string): EventName | undefined {
  return eventNames.find((name) => name.toUpperCase() === word);
}

function readFilter(reader: WireReader, context: ParseContext): MailboxFilter {
  const kind = reader.word().toLowerCase();
  switch (kind) {
    case "selected":
    case "selected-delayed":
    case "inboxes":
    case "personal":
    case "subscribed":
      return { kind };
    case "subtree":
    case "mailboxes": {
      reader.space();
      const read = (): string => decodeMailboxName(reader.astring(), context.names);
      const names = reader.peek() === "(" ? reader.list(read, { max: watchedNamesMax }) : [read()];
      return { kind, names };
    }
    default:
      throw bad("Unknown mailbox specification");
  }
}

/** Names in upper case, with the FETCH items that stand behind MessageNew. */
function readEvents(reader: WireReader): { names: string[]; items: readonly FetchItem[] | undefined } {
  const names: string[] = [];
  let items: readonly FetchItem[] | undefined;
  reader.character("(");
  for (;;) {
    const name = reader.word();
    if (names.length >= 20) throw bad("Too many events");
    names.push(name);
    if (!reader.trySpace()) break;
    if (name !== "MESSAGENEW" || reader.peek() !== "(") continue;
    items = readFetchItems(reader);
    if (!reader.trySpace()) break;
  }
  reader.character(")");
  return { names, items };
}

/** Refuses combinations of events that RFC 5465 sections 5 and 6.1 forbid. */
function assertConsistent(
  filter: MailboxFilter,
  events: ReadonlySet<EventName>,
  items: readonly FetchItem[] | undefined,
): void {
  if (events.has("MessageNew") !== events.has("MessageExpunge"))
    throw bad("MessageNew and MessageExpunge must be given together");
  if (events.has("FlagChange") && !events.has("MessageNew")) throw bad("FlagChange needs MessageNew");
  if (!isOfSelected(filter)) {
    if (items !== undefined) throw bad("FETCH items are for the selected mailbox");
    return;
  }
  for (const event of events)
    if (!messageEvents.includes(event)) throw bad("SELECTED is for events of messages");
}
