/** Events of the interface ("Events"), read from the change logs of one or several mailboxes, and the cursor of `wait` and
 *  `watch`: for each mailbox how far its log has been read. It consists of numbers of the store, so it stays valid when the daemon
 *  starts again. An event holds ids, numbers, words of Waypost, recipients of sent mail, and what a person who declines a mail writes to
 *  the agent; nothing that the sender of an arriving mail wrote. */
import { type Author, type AuthorKind, authorKinds } from "#/src/model/author.ts";
import { forEverybody } from "#/src/model/caller.ts";
import {
  type DeliveryOutcome,
  type EventData,
  type EventType,
  eventDeclarations,
  unaskedTypes,
} from "#/src/model/changes.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { DeclineWord } from "#/src/model/holds.ts";
import type { IdCodec } from "#/src/model/ids.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import type { EventAuthor, LoggedChangeRow } from "#/storage/queries/changes.ts";
import type { ChangeLog, Position } from "./change-log.ts";
import type { CursorSeal } from "./cursor.ts";

export type Positions = ReadonlyMap<AgentNumber, Position>;

/** Who caused an event; nothing else of them is told. */
export interface EventBy {
  readonly kind: AuthorKind;
  /** Whether it was the reader's own credential. Absent where the reader has none. */
  readonly self?: boolean;
}

/** An event in the names of the interface. */
export interface MailEvent {
  readonly type: EventType;
  readonly mailbox: string;
  /** Absent when the event is about the mailbox. */
  readonly message?: string;
  readonly cursor: string;
  /** ISO 8601. */
  readonly at: string;
  readonly by: EventBy;
  readonly folder?: string;
  readonly thread?: string;
  readonly authenticated?: boolean;
  readonly agent_part?: boolean;
  readonly hold?: string;
  /** A word of ours: why mail waits, was declined, is delayed or has bounced, or why the mailbox is paused. */
  readonly reason?: string;
  /** What the person who declined the mail chose and wrote, for the agent. */
  readonly why?: DeclineWord;
  readonly note?: string;
  /** The recipient that the event is about, as the sender wrote the address. */
  readonly recipient?: string;
  readonly outcome?: DeliveryOutcome;
}

export interface EventFilter {
  /** Identifies the filter completely: events that are read for one filter are valid for every other with the same key. */
  readonly key?: string;
  /** Whether the caller may see events of a folder of the mailbox. `folder` is undefined for an event without a folder. */
  readonly isVisible: (agent: AgentNumber, folder: number | undefined) => boolean;
  /** Absent: `unaskedTypes`. */
  readonly types?: ReadonlySet<string>;
  readonly hasAgentPart?: boolean;
}

export interface EventPage {
  readonly events: readonly MailEvent[];
  readonly positions: Positions;
  /** `positions`, sealed for the owner. */
  readonly cursor: string;
  /** There may be more behind this page. */
  readonly hasMore: boolean;
}

/** The number of the credential that caused each event, by the events of pages that were read. */
const credentials = new WeakMap<MailEvent, number>();
/** Pages as the holders of credentials see them. All holders who caused none of the events share one. */
const seenPages = new WeakMap<EventPage, Map<string, EventPage>>();

/** The page for the holder of a credential: each event says whether that credential caused it. */
export function pageFor(page: EventPage, { kind, credential }: Author): EventPage {
  const isOwn = (event: MailEvent) => event.by.kind === kind && credentials.get(event) === credential;
  const key = page.events.some(isOwn) ? `${kind} ${credential}` : "";
  const seen = seenPages.get(page) ?? new Map<string, EventPage>();
  seenPages.set(page, seen);
  const known = seen.get(key);
  if (known !== undefined) return known;
  const events = page.events.map((event) => ({ ...event, by: { kind: event.by.kind, self: isOwn(event) } }));
  const made = { ...page, events };
  seen.set(key, made);
  return made;
}

export interface EventReader {
  /** The ends of the logs. */
  tail(agents: readonly AgentNumber[]): Promise<Positions>;
  /** Events of `agents` behind the positions, in order. Throws `invalid` (`expired_cursor`) below the retention. */
  read(
    owner: AgentNumber,
    positions: Positions,
    agents: readonly AgentNumber[],
    filter: EventFilter,
  ): Promise<EventPage>;
  seal(owner: AgentNumber, positions: Positions): string;
  /** Throws `invalid` for a cursor that was not made here for this owner. */
  open(owner: AgentNumber, cursor: string): Positions;
}

type Wanted = EventFilter & Required<Pick<EventFilter, "types">>;

/** Pages that are kept for other readers. */
const sharedPagesMax = 5000;

export function createEventReader(
  ids: IdCodec,
  log: Pick<ChangeLog, "position" | "readRows" | "seal" | "commitCount">,
  unasked: ReadonlySet<string> = new Set(unaskedTypes),
): EventReader {
  const cursors: CursorSeal = log.seal("events");
  /** Pages that were read since the last commit, for other readers with the same position and the same filter. */
  const shared = new Map<string, Promise<EventPage>>();
  let sharedSince = -1;

  async function readOne(agent: AgentNumber, position: Position, filter: EventFilter) {
    const page = await log.readRows(agent, position);
    if (page.isBelowFloor) throw expiredCursor();
    const found = page.changes.flatMap((change, index) =>
      change.event !== null && isWanted(agent, change, { types: unasked, ...filter })
        ? [{ change, place: page.places[index]! }]
        : [],
    );
    return { agent, found, reached: page.reached, hasMore: page.hasMore };
  }

  const reader: EventReader = {
    async tail(agents) {
      const positions = new Map<AgentNumber, Position>();
      for (const agent of agents) positions.set(agent, { modseq: await log.position(agent) });
      return positions;
    },

    async read(owner, positions, agents, filter) {
      if (filter.key === undefined) return readPage(owner, positions, agents, filter);
      const commitCount = log.commitCount();
      if (sharedSince !== commitCount || shared.size > sharedPagesMax) shared.clear();
      sharedSince = commitCount;
      const key = `${filter.key} ${owner} ${agents.join()} ${nameOf(positions)}`;
      const known = shared.get(key);
      if (known !== undefined) return known;
      const page = forEverybody(() => readPage(owner, positions, agents, filter));
      shared.set(key, page);
      page.catch(() => shared.delete(key));
      return page;
    },

    seal(owner, positions) {
      const value: number[] = [owner];
      for (const [agent, { modseq, ordinal }] of positions) value.push(agent, modseq, ordinal ?? -1);
      return cursors.seal(value);
    },

    open(owner, cursor) {
      const value = cursors.open(cursor) as readonly number[] | undefined;
      if (value === undefined || value[0] !== owner)
        throw new WaypostError(
          "invalid",
          "The cursor is not one that this deployment gave to this credential.",
          {
            field: "/cursor",
            hint: "Send a cursor exactly as it was received, or none to start at the latest event.",
          },
        );
      const positions = new Map<AgentNumber, Position>();
      for (let at = 1; at + 2 < value.length; at += 3) {
        const [agent, modseq, ordinal] = value.slice(at, at + 3) as [AgentNumber, Modseq, number];
        positions.set(agent, ordinal < 0 ? { modseq } : { modseq, ordinal });
      }
      return positions;
    },
  };
  return reader;

  async function readPage(
    owner: AgentNumber,
    positions: Positions,
    agents: readonly AgentNumber[],
    filter: EventFilter,
  ): Promise<EventPage> {
    const reached = new Map(positions);
    const queues: (Awaited<ReturnType<typeof readOne>> & { next: number })[] = [];
    let hasMore = false;
    for (const agent of agents) {
      const position = positions.get(agent);
      if (position === undefined) continue;
      const log = await readOne(agent, position, filter);
      if (log.hasMore) hasMore = true;
      queues.push({ ...log, next: 0 });
    }
    const events: MailEvent[] = [];
    for (;;) {
      const queue = earliest(queues);
      if (queue === undefined) break;
      const { change, place } = queue.found[queue.next++]!;
      reached.set(queue.agent, place);
      events.push(eventOf(queue.agent, change, reader.seal(owner, reached)));
    }
    for (const queue of queues) reached.set(queue.agent, queue.reached);
    return { events, positions: reached, cursor: reader.seal(owner, reached), hasMore };
  }

  function subjectOf(agent: AgentNumber, change: LoggedChangeRow): Pick<MailEvent, "message"> {
    const kind = eventDeclarations[change.event!].subject;
    switch (kind) {
      case "message":
        return { message: ids.encode(kind, agent, Number(change.ids)) };
      case null:
        return {};
      default:
        kind satisfies never;
        return {};
    }
  }

  function eventOf(agent: AgentNumber, change: LoggedChangeRow & EventAuthor, cursor: string): MailEvent {
    const data = dataOf(change);
    const event: MailEvent = {
      type: change.event!,
      mailbox: ids.encode("agent", agent),
      ...subjectOf(agent, change),
      cursor,
      at: new Date(change.at).toISOString(),
      by: { kind: authorKinds[change.byKind ?? 0] ?? "server" },
      ...(data.mailbox === undefined ? {} : { folder: ids.encode("folder", agent, data.mailbox) }),
      ...(data.thread === undefined ? {} : { thread: ids.encode("thread", agent, data.thread) }),
      ...(data.authenticated === undefined ? {} : { authenticated: data.authenticated }),
      ...(data.agentPart === undefined ? {} : { agent_part: data.agentPart }),
      ...(data.hold === undefined ? {} : { hold: ids.encode("hold", agent, data.hold) }),
      ...(data.reason === undefined ? {} : { reason: data.reason }),
      ...(data.why === undefined ? {} : { why: data.why }),
      ...(data.note === undefined ? {} : { note: data.note }),
      ...(data.recipient === undefined ? {} : { recipient: data.recipient }),
      ...(data.outcome === undefined ? {} : { outcome: data.outcome }),
    };
    credentials.set(event, change.byCredential ?? 0);
    return event;
  }
}

function nameOf(positions: Positions): string {
  let name = "";
  for (const [agent, { modseq, ordinal }] of positions) name += `${agent}:${modseq}:${ordinal ?? ""},`;
  return name;
}

function isWanted(agent: AgentNumber, change: LoggedChangeRow, filter: Wanted): boolean {
  if (!filter.types.has(change.event!)) return false;
  const data = dataOf(change);
  if (filter.hasAgentPart === true && data.agentPart !== true) return false;
  return filter.isVisible(agent, data.mailbox);
}

function dataOf(change: LoggedChangeRow): EventData {
  return change.data === null ? {} : (JSON.parse(change.data) as EventData);
}

/** The queue whose next event is the oldest. Events of one mailbox stay in the order of its log, also when their times are not. */
function earliest<Q extends { found: readonly { change: LoggedChangeRow }[]; next: number }>(
  queues: readonly Q[],
): Q | undefined {
  let first: Q | undefined;
  for (const queue of queues) {
    const next = queue.found[queue.next];
    if (next === undefined) continue;
    if (first === undefined || next.change.at < first.found[first.next]!.change.at) first = queue;
  }
  return first;
}

function expiredCursor(): WaypostError {
  return new WaypostError("invalid", "The cursor is older than the events that are kept.", {
    reason: "expired_cursor",
    field: "/cursor",
    hint: "Start without a cursor, and read unread messages with search.",
  });
}
