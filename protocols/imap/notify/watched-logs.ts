/** The change logs of several mailbox owners, read from one session's own position in each. */
import type { Feed } from "#/src/feed/feed.ts";
import { loggedEntryNames } from "#/src/mail/metadata.ts";
import type { AgentNumber, MailboxNumber, Modseq } from "#/src/model/numbers.ts";

const messageEvents = { add: "MessageNew", remove: "MessageExpunge", update: "FlagChange" } as const;
export type MessageEvent = (typeof messageEvents)[keyof typeof messageEvents];

export interface Happened {
  /** Events of messages, by mailbox. */
  readonly messages: ReadonlyMap<string, ReadonlySet<MessageEvent>>;
  readonly hasMailboxChange: boolean;
  /** Names of annotations by mailbox; those of the server by its number 0. */
  readonly annotations: ReadonlyMap<string, ReadonlySet<string>>;
}

export function placeKey({
  agent,
  number,
}: {
  readonly agent: AgentNumber;
  readonly number: MailboxNumber | 0;
}): string {
  return `${agent} ${number}`;
}

/** How many changes are read from a log at once. */
const changesMax = 1000;

interface Log {
  position: Modseq;
  hasRung: boolean;
  readonly unsubscribe: () => void;
}

export class WatchedLogs {
  readonly #feed: Feed;
  /** The agent whose private annotations are reported too. */
  readonly #reader: AgentNumber;
  readonly #logs = new Map<AgentNumber, Log>();
  /** Changes that the reader made itself. */
  readonly #own = new Set<string>();
  #onRing: (() => void) | undefined;

  constructor(feed: Feed, reader: AgentNumber) {
    this.#feed = feed;
    this.#reader = reader;
  }

  /** Watches a log from its end on, unless it is watched already. */
  async open(agent: AgentNumber): Promise<void> {
    if (this.#logs.has(agent)) return;
    const position = await this.#feed.position(agent);
    const ring = (): void => {
      log.hasRung = true;
      this.#onRing?.();
    };
    const log: Log = { position, hasRung: false, unsubscribe: this.#feed.subscribe(agent, ring) };
    // A change may have come before the listener was set, so the log is read once in any case.
    log.hasRung = true;
    this.#logs.set(agent, log);
  }

  /** Stops watching the logs of all other agents. */
  keepOnly(agents: ReadonlySet<AgentNumber>): void {
    for (const [agent, log] of this.#logs) {
      if (agents.has(agent)) continue;
      log.unsubscribe();
      this.#logs.delete(agent);
    }
  }

  close(): void {
    this.keepOnly(new Set());
    this.#onRing = undefined;
  }

  get hasRung(): boolean {
    return [...this.#logs.values()].some((log) => log.hasRung);
  }

  /** Calls the listener at each new change, and at once if there was one while none listened. */
  onRing(listener: (() => void) | undefined): void {
    this.#onRing = listener;
    if (this.hasRung) listener?.();
  }

  /** Records a change that the reader made itself, which is not reported. */
  own(agent: AgentNumber, modseq: Modseq): void {
    this.#own.add(`${agent} ${modseq}`);
  }

  /** The events since the last call; undefined when a log no longer reaches back that far. */
  async read(): Promise<Happened | undefined> {
    const before = [...this.#logs.values()].map((log) => ({ log, position: log.position }));
    try {
      return await this.#readOn();
    } catch (error) {
      // Nothing was told of what was read: it is read again.
      for (const { log, position } of before) Object.assign(log, { position, hasRung: true });
      throw error;
    }
  }

  async #readOn(): Promise<Happened | undefined> {
    const messages = new Map<string, Set<MessageEvent>>();
    const annotations = new Map<string, Set<string>>();
    let hasMailboxChange = false;
    for (const [agent, log] of this.#logs)
      while (log.hasRung) {
        log.hasRung = false;
        for (;;) {
          const page = await this.#feed.readChanges(agent, log.position, changesMax);
          if (page.isBelowFloor) return undefined;
          for (const change of page.changes) {
            const place = placeKey({ agent, number: change.parent as MailboxNumber | 0 });
            if (change.kind === "mailbox") hasMailboxChange = true;
            else if (change.kind === "entry") noteIn(messages, place, [messageEvents[change.operation]]);
            else if (change.kind === "metadata" && this.#isTold(agent, change))
              noteIn(annotations, place, loggedEntryNames(change));
          }
          const isLast = page.changes.length === 0 || page.upTo <= log.position;
          log.position = page.upTo;
          if (isLast) break;
        }
      }
    this.#own.clear();
    return { messages, hasMailboxChange, annotations };
  }

  #isTold(agent: AgentNumber, change: { readonly ids: string; readonly modseq: Modseq }): boolean {
    const isVisible = change.ids === "0" || change.ids === String(this.#reader);
    return isVisible && !this.#own.has(`${agent} ${change.modseq}`);
  }
}

function noteIn<T>(map: Map<string, Set<T>>, key: string, values: readonly T[]): void {
  const set = map.get(key) ?? new Set();
  for (const value of values) set.add(value);
  map.set(key, set);
}
